"""Revisions: identity by content, history, restoring."""
