"""From decisions to files."""
