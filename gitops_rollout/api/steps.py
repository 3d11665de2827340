"""The shares that steps give to a candidate, and which names and shares a list of steps may have."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar

from gitops_rollout.api.amounts import Amount


@dataclass(frozen=True, slots=True)
class Share(Amount):
    """How much of the desired replicas a step gives to the candidate: a count or a percentage."""

    least: ClassVar[int] = 1
    noun: ClassVar[str] = "a share"

    def of(self, desired: int) -> int:
        """Give the candidate's replicas: rounded up, at most `desired`, at least 1 where 1 is desired."""
        return max(0, min(self.up(desired), desired))

    @property
    def whole(self) -> bool:
        """Say whether this is everything, whatever is desired."""
        return self.percent and self.number == 100

    @property
    def step_name(self) -> str:
        """Give the name of a step that is written by its value only: `1`, `25pct`."""
        return f"{self.number}pct" if self.percent else str(self.number)


STEP_NAME_LIMIT = 20
RESERVED_STEPS = ("complete", "drained", "delete", "unprotected", "attach", "detach")
_STEP_NAME = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?", re.ASCII)


def step_faults(steps: Iterable[tuple[str, Share]]) -> Iterator[tuple[str, str]]:
    """Find what is wrong with a list of steps, as (path below `steps`, message); names and shares only."""
    steps = list(steps)
    if not steps or not steps[-1][1].whole:
        yield "", "the last step is 100%: without it the rollout never ends"
    highest: dict[bool, int] = {}
    names: set[str] = set()
    for index, (name, share) in enumerate(steps):
        fault = _name_fault(name, names)
        if fault:
            yield f"[{index}].name", fault
        names.add(name)
        if share.number <= highest.get(share.percent, 0):
            yield f"[{index}].replicas", f"{share} does not rise above the step before it"
        highest[share.percent] = max(share.number, highest.get(share.percent, 0))


def _name_fault(name: str, taken: set[str]) -> str:
    if len(name) > STEP_NAME_LIMIT or not _STEP_NAME.fullmatch(name):
        return f"{name[:40]!r} is no step name: at most {STEP_NAME_LIMIT} of a-z, 0-9 and inner dashes"
    if name in RESERVED_STEPS or name.endswith(("-traffic", "-policy")):
        return f"{name!r} names a step of our own; choose another name"
    if name in taken:
        return f"a second step named {name!r}; names are unique"
    return ""
