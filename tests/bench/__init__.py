"""Measuring a pass beside bare git, in one run."""
