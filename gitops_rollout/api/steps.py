"""The shares that steps give to a candidate, and which names and shares a list of steps may have."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from gitops_rollout.api.values import Json, text

_PERCENT = re.compile(r"([1-9][0-9]?|100)%", re.ASCII)


@dataclass(frozen=True, slots=True)
class Share:
    """How much of the desired replicas a step gives to the candidate: a count or a percentage."""

    number: int
    percent: bool = False

    def __post_init__(self) -> None:
        if self.number < 1 or (self.percent and self.number > 100):
            raise ValueError("a share is a count from 1 up or a percentage from 1% to 100%")

    @classmethod
    def parse(cls, value: Json) -> "Share":
        """Read `1` or `25%`; ValueError for anything else."""
        if isinstance(value, int) and not isinstance(value, bool):
            return cls(value)
        match = _PERCENT.fullmatch(text(value))
        if match is None:
            raise ValueError(
                'write a count from 1 up, such as 2, or a percentage from 1% to 100%, such as "25%"'
            )
        return cls(int(match[1]), percent=True)

    def of(self, desired: int) -> int:
        """Give the candidate's replicas: rounded up, at most `desired`, at least 1 where 1 is desired."""
        wanted = -(-self.number * desired // 100) if self.percent else self.number
        return max(0, min(wanted, desired))

    @property
    def whole(self) -> bool:
        """Say whether this is everything, whatever is desired."""
        return self.percent and self.number == 100

    @property
    def written(self) -> int | str:
        """Give the value as people write it."""
        return f"{self.number}%" if self.percent else self.number

    @property
    def step_name(self) -> str:
        """Give the name of a step that is written by its value only: `1`, `25pct`."""
        return f"{self.number}pct" if self.percent else str(self.number)

    def __str__(self) -> str:
        return str(self.written)


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
    if name in RESERVED_STEPS or name.endswith("-traffic"):
        return f"{name!r} names a step of our own; choose another name"
    if name in taken:
        return f"a second step named {name!r}; names are unique"
    return ""
