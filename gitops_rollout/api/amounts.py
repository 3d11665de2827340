"""How many of some replicas: a count or a percentage, as people write it."""

import re
from dataclasses import dataclass
from typing import ClassVar, Self

from gitops_rollout.api.values import Json, text

_PERCENT = re.compile(r"(0|[1-9][0-9]?|100)%", re.ASCII)


@dataclass(frozen=True, slots=True)
class Amount:
    """A number of replicas from `least` up, or a percentage of them up to 100%."""

    number: int
    percent: bool = False

    least: ClassVar[int] = 0
    noun: ClassVar[str] = "an amount"

    def __post_init__(self) -> None:
        if self.number < self.least or (self.percent and self.number > 100):
            message = f"a count from {self.least} up or a percentage from {self.least}% to 100%"
            raise ValueError(f"{self.noun} is {message}")

    @classmethod
    def parse(cls, value: Json) -> Self:
        """Read `3` or `25%`; ValueError for anything else, and for less than `least`."""
        if isinstance(value, int) and not isinstance(value, bool):
            return cls(value)
        match = _PERCENT.fullmatch(text(value))
        if match is None or int(match[1]) < cls.least:
            raise ValueError(
                f"write a count from {cls.least} up, such as 2, or a percentage from {cls.least}% to 100%, "
                'such as "25%"'
            )
        return cls(int(match[1]), percent=True)

    def up(self, replicas: int) -> int:
        """Give the count for so many replicas, rounded up."""
        return -(-self.number * replicas // 100) if self.percent else self.number

    def down(self, replicas: int) -> int:
        """Give the count for so many replicas, rounded down."""
        return self.number * replicas // 100 if self.percent else self.number

    @property
    def written(self) -> int | str:
        """Give the value as people write it."""
        return f"{self.number}%" if self.percent else self.number

    def __str__(self) -> str:
        return str(self.written)
