"""The outside world: git."""
