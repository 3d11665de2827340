"""Whole output trees, compared both ways."""
