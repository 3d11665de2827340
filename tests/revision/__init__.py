"""Revisions and their history."""
