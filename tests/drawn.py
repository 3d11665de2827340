"""How many examples a law is tried with: some at every change, all of them behind the long target."""

import os
from typing import Any

from hypothesis import settings

LONG = os.environ.get("GITOPS_ROLLOUT_LONG") == "1"


def drawn(most: int, **more: Any) -> settings:
    """Try a law with so many examples, or with a quarter of them where the long target does not run."""
    return settings(max_examples=most if LONG else max(3, most // 4), **more)
