"""A workload, the people around it and Kthena underneath, played to the end."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from gitops_rollout.api.values import Json, Object
from gitops_rollout.rollout.draft import Order, Word
from gitops_rollout.rollout.state import State
from gitops_rollout.simulate.controllers import Why
from tests.rollout.kthena import Death, Kthena, template
from tests.rollout.stage import KIND, Stage, groups

Move: TypeAlias = tuple[str, Json]
EVERYTHING = "100pct"


@dataclass(frozen=True)
class Turn:
    """One move, the pass after it, and what became of the groups.

    `kept` says that a merge, before any pass, left every group below the new partition alone;
    `after` are the deaths since the pass; `pods` maps revisions to what their pods are made from.
    """

    move: Move
    before: State
    state: State
    kept: bool
    after: list[Death]
    revisions: list[str]
    pods: dict[str | None, str]

    @property
    def rolled_from_stable(self) -> bool:
        stable = self.pods[self.state.stable]
        return any(death.why is Why.ROLLED and death.pod.made_from == stable for death in self.after)

    @property
    def going_back(self) -> bool:
        return self.state.candidate is not None and self.state.offered is None


@dataclass
class Play:
    """What people do is a move: image, replicas, floor, merge, an order, edit, die.

    `prompt`: the controller comes to rest before each pass, and not only after it.
    """

    image: str = "engine:a"
    replicas: int = 4
    floor: Json = None
    prompt: bool = True
    stage: Stage = field(init=False)
    kthena: Kthena = field(init=False)

    def __post_init__(self) -> None:
        self.stage = Stage(self.wanted).settle()
        self.kthena = Kthena(self.stage.published).settle()

    @property
    def wanted(self) -> Object:
        return groups(self.image, self.replicas, self.floor)

    @property
    def state(self) -> State:
        assert self.stage.last is not None
        return self.stage.last.state

    def move(self, move: Move) -> None:
        """Make a move, without any pass after it but the one that an order is."""
        name, value = move
        match name:
            case "merge" if self.stage.gate is not None:
                self.stage.merge(look=False)
            case "edit" if isinstance(value, int):
                self.stage.edit(value)
            case "die" if isinstance(value, int):
                self.kthena.kill(value)
            case "image" | "replicas" | "floor":
                setattr(self, name, value)
                self.stage.source(self.wanted)
            case "abort" | "decline" | "retry" if not self.stage.refusal(Order(Word(name))):
                self.stage.look(Order(Word(name)))
        self.kthena.apply(self.stage.published)

    def look(self) -> None:
        """Do a pass, and apply what it publishes."""
        self.stage.look()
        self.kthena.apply(self.stage.published)

    def turns(self, moves: list[Move]) -> Iterator[Turn]:
        """Make moves, each with the pass after it, and watch."""
        for move in moves:
            before, uids = self.state, self.uids()
            self.move(move)
            kept = True
            if self.prompt:
                self.kthena.settle()
                below = {one: uid for one, uid in uids.items() if one < self.kthena.partition}
                kept = move[0] != "merge" or below.items() <= self.uids().items()
            since = len(self.kthena.deaths)
            self.look()
            self.kthena.settle()
            after, revisions = self.kthena.deaths[since:], self.kthena.revisions()
            yield Turn(move, before, self.state, kept, after, revisions, self.pods())

    def uids(self) -> dict[int, int]:
        return {ordinal: group.uid for ordinal, group in self.kthena.groups.items()}

    def finish(self) -> None:
        """Let people merge every gate that there is; a floor that never falls would hold it for good."""
        self.replicas, self.floor = max(1, self.replicas), None
        self.stage.source(self.wanted).settle()
        if self.state.rejected is not None:
            self.stage.order(Order.RETRY)
        for _ in range(12):
            self.kthena.apply(self.stage.published).settle()
            if self.stage.gate is None:
                return
            self.stage.merge()
        raise AssertionError("the gates come to no end")

    def pods(self) -> dict[str | None, str]:
        """Say what pods of each recorded revision are made from."""
        assert self.stage.last is not None
        history = self.stage.last.plan.history
        return {one.id: template(KIND.render(one.text, {}, one.injection, None)) for one in history}

    def pods_of(self, revision: str) -> str:
        return self.pods()[revision]
