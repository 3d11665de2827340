"""Tests of what is read out of a commit."""
