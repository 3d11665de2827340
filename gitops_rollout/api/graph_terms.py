"""How the revisions of a Dynamo graph follow each other: strategy, capacity, groups, contracts (DESIGN 5)."""

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum

from gitops_rollout.api.amounts import Amount
from gitops_rollout.api.values import Json, Object, mapping, sequence, text


class Strategy(StrEnum):
    """What a new revision is: the graph itself, a graph of its own, or a part of the one graph."""

    WHOLE = "Whole"
    NEW_GRAPH = "NewGraph"
    IN_PLACE = "InPlace"


NOTHING = Amount(0)
NOTHING_MOVES = "maxSurge and maxUnavailable are both zero: nothing could ever move; raise one of them"


def nothing_moves(surge: Amount | None, unavailable: Amount) -> bool:
    """Say whether both together leave no room for any change."""
    return surge is not None and not surge.number and not unavailable.number


@dataclass(frozen=True, slots=True)
class Capacity:
    """What two revisions may have together: so many replicas more than desired, so many fewer routable."""

    max_surge: Amount | None = None
    """None: no limit, as much as the steps need."""
    max_unavailable: Amount = NOTHING

    def __post_init__(self) -> None:
        if nothing_moves(self.max_surge, self.max_unavailable):
            raise ValueError(NOTHING_MOVES)

    def to_json(self) -> Object:
        """Give the form that stands in the rollout file; what is as built in is left out."""
        surge: Object = {} if self.max_surge is None else {"maxSurge": self.max_surge.written}
        unavailable = self.max_unavailable
        return surge | ({} if unavailable == NOTHING else {"maxUnavailable": unavailable.written})

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

    def joins(self, one: Collection[str], other: Collection[str]) -> bool:
        """Say whether this is an edge between what goes by these names and what goes by those."""
        first, second = self.edge
        return (first in one and second in other) or (first in other and second in one)

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
