"""Exit codes (DESIGN 9): a script learns from them what a person reads."""

from enum import IntEnum


class Exit(IntEnum):
    """0 also when a workload is blocked or waits: that is in the output."""

    FINE = 0
    FAILED = 1
    """An error of ours or the world's: a remote that cannot be reached, an order that cannot be followed."""
    USAGE = 2
    """Bad usage or settings."""
    REFUSED = 3
    """Some input was refused, the rest went on."""
    RESTARTS = 4
    """`diff --exit-code`: something would restart."""
