"""When so much vanishes at once that a mistake is likelier than a wish (R6)."""

from collections import Counter
from collections.abc import Collection
from typing import TypeAlias

Item: TypeAlias = tuple[str, str]
"""Namespace and name of something that is published."""


def stop(gone: Collection[Item], published: Collection[Item]) -> str:
    """Say why removals are held, empty when they may go on.

    `gone` counts withdrawals that are not finished. More than a fifth (one is always allowed), all of
    a namespace, or everything.
    """
    if not gone:
        return ""
    if len(gone) >= len(published):
        return "everything that is published would go"
    most = max(1, len(published) // 5)
    if len(gone) > most:
        return f"{len(gone)} of {len(published)} would go at once, more than {most}"
    before, after = Counter(one for one, _ in published), Counter(one for one, _ in gone)
    emptied = sorted(name for name, count in after.items() if count >= before[name])
    return f"everything in namespace {emptied[0]} would go" if emptied else ""
