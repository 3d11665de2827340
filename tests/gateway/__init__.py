"""Tests of Gateway API objects."""
