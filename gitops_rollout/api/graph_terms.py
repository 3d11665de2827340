"""How the revisions of a Dynamo graph follow each other: strategy, capacity, groups, contracts (DESIGN 5)."""

import re
from dataclasses import dataclass
from enum import StrEnum

from gitops_rollout.api.values import Json, Object, mapping, sequence, text

_PERCENT = re.compile(r"(0|[1-9][0-9]?|100)%", re.ASCII)


class Strategy(StrEnum):
    """What a new revision is: the graph itself, a graph of its own, or a part of the one graph."""

    WHOLE = "Whole"
    NEW_GRAPH = "NewGraph"
    IN_PLACE = "InPlace"


@dataclass(frozen=True, slots=True)
class Amount:
    """A number of replicas from 0 up, or a percentage of them from 0% to 100%."""

    number: int
    percent: bool = False

    def __post_init__(self) -> None:
        if self.number < 0 or (self.percent and self.number > 100):
            raise ValueError("an amount is a count from 0 up or a percentage from 0% to 100%")

    @classmethod
    def parse(cls, value: Json) -> "Amount":
        """Read `0`, `3` or `25%`; ValueError for anything else."""
        if isinstance(value, int) and not isinstance(value, bool):
            return cls(value)
        match = _PERCENT.fullmatch(text(value))
        if match is None:
            raise ValueError(
                'write a count from 0 up, such as 2, or a percentage from 0% to 100%, such as "25%"'
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


NOTHING_MOVES = "maxSurge and maxUnavailable are both zero: nothing could ever move; raise one of them"


@dataclass(frozen=True, slots=True)
class Capacity:
    """What two revisions may have together: so many replicas more than desired, so many fewer routable."""

    max_surge: Amount | None = None
    """None: no limit, as much as the steps need."""
    max_unavailable: Amount = Amount(0)

    def __post_init__(self) -> None:
        if self.max_surge is not None and not self.max_surge.number and not self.max_unavailable.number:
            raise ValueError(NOTHING_MOVES)

    def to_json(self) -> Object:
        """Give the form that stands in the rollout file; what is as built in is left out."""
        surge: Object = {} if self.max_surge is None else {"maxSurge": self.max_surge.written}
        unavailable = self.max_unavailable
        return surge | ({} if unavailable == Amount(0) else {"maxUnavailable": unavailable.written})

    @classmethod
    def from_json(cls, value: Json) -> "Capacity":
        """Read what `to_json` gave; ValueError when it is anything else."""
        fields = mapping(value)
        surge = Amount.parse(fields["maxSurge"]) if "maxSurge" in fields else None
        return cls(surge, Amount.parse(fields.get("maxUnavailable", 0)))

    def __str__(self) -> str:
        surge = "no limit" if self.max_surge is None else self.max_surge
        return f"maxSurge {surge}, maxUnavailable {self.max_unavailable}"


UNLIMITED = Capacity()


@dataclass(frozen=True, slots=True)
class ReleaseGroup:
    """Components that serve a request in one revision (proposal, "Release groups and revision affinity")."""

    name: str
    components: tuple[str, ...]

    def to_json(self) -> Object:
        """Give the form that stands in the rollout file."""
        return {"name": self.name, "components": [*self.components]}

    @classmethod
    def from_json(cls, value: Json) -> "ReleaseGroup":
        """Read what `to_json` gave; ValueError when it is anything else."""
        fields = mapping(value)
        name, components = text(fields.get("name")), tuple(map(text, sequence(fields.get("components"))))
        if not name or not components or not all(components):
            raise ValueError("a recorded release group has a name and the names of its components")
        return cls(name, components)

    def __str__(self) -> str:
        return f"{self.name}: {' '.join(self.components)}"


@dataclass(frozen=True, slots=True)
class Contract:
    """What both ends of an edge keep to, whatever their revisions; the ends stand in one order."""

    edge: tuple[str, str]
    contract: str

    def __post_init__(self) -> None:
        if self.edge != tuple(sorted(self.edge)):
            raise ValueError("the ends of an edge are sorted; use Contract.between")

    @classmethod
    def between(cls, one: str, other: str, contract: str) -> "Contract":
        """Give the contract of an edge, whichever end is named first."""
        return cls((min(one, other), max(one, other)), contract)

    def to_json(self) -> Object:
        """Give the form that stands in the rollout file."""
        return {"edge": [*self.edge], "contract": self.contract}

    @classmethod
    def from_json(cls, value: Json) -> "Contract":
        """Read what `to_json` gave; ValueError when it is anything else."""
        fields = mapping(value)
        match [*map(text, sequence(fields.get("edge"))), text(fields.get("contract"))]:
            case [one, other, contract] if one and other and contract:
                return cls.between(one, other, contract)
        raise ValueError("a recorded contract has an edge with two ends and says what they keep to")

    def __str__(self) -> str:
        return f"{' and '.join(self.edge)}: {self.contract}"
