"""Tests of what people write and of settings."""
