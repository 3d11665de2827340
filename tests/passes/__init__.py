"""Whole passes over real git, and their faults."""
