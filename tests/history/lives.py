"""Random lives of a workload of either kind, watched after every move."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from hypothesis import strategies as st

from gitops_rollout.api.values import Json, Object
from gitops_rollout.documents.load import Limits, load
from gitops_rollout.kinds.protocol import Kind
from gitops_rollout.rollout.draft import Head, Order, Word
from tests.history.graphs import OBJECT as GRAPH
from tests.history.graphs import GraphStage, beta_of
from tests.history.past import policy
from tests.rollout.stage import OBJECT, Stage, groups, roles

_NUMBER = re.compile(rb"^revision: .*\n", re.MULTILINE)

Move: TypeAlias = tuple[str, str | int]

MOVES: list[Move] = [
    *[("merge", "")] * 5,
    *[("image", f"engine:{name}") for name in "abcd"],
    *[("replicas", number) for number in (1, 3, 5)],
    *[("order", word) for word in ("abort", "decline", "retry", "resume")],
    *[("rollback", number) for number in (0, 1)],
]


def lives(least: int = 3, most: int = 14) -> st.SearchStrategy[list[Move]]:
    """Give lives that begin with a rollout."""
    moves = st.lists(st.sampled_from(MOVES), min_size=least, max_size=most)
    return moves.map(lambda rest: [("image", "engine:b"), ("merge", ""), *rest])


@dataclass
class Life:
    """A workload with what its source wants now."""

    write: Callable[[str, int], Object]
    stage: Stage
    path: str
    image: str = "engine:a"
    replicas: int = 4

    @property
    def kind(self) -> Kind:
        return self.stage.place.kind

    @property
    def head(self) -> Head:
        head = self.stage.head()
        assert isinstance(head, Head)
        return head

    @property
    def published(self) -> Json:
        """Read the published object."""
        (only,) = load(self.stage.line.files[self.path], Limits())
        return only.value

    @property
    def revisions(self) -> dict[str, bytes]:
        """Give every recorded revision without its number, which may rise."""
        files = self.stage.line.files.items()
        return {path: _NUMBER.sub(b"", raw) for path, raw in files if "/revisions/" in path}

    def wants(self, image: str, replicas: int) -> None:
        self.image, self.replicas = image, replicas
        self.stage.source(self.write(image, replicas)).settle()

    def make(self, move: Move) -> None:
        """Make a move, as far as it means something now, with the passes after it."""
        match move:
            case ("image", str(image)):
                self.wants(image, self.replicas)
            case ("replicas", int(number)):
                self.wants(self.image, number)
            case ("merge", _):
                if self.stage.gate is not None:
                    self.stage.merge()
            case ("order", str(word)):
                self._order(Order(Word(word)))
            case ("rollback", int(number)):
                known = [one.id for one in self.head.history]
                self._order(Order(Word.ROLLBACK, revision=known[number % len(known)]))

    def _order(self, order: Order) -> None:
        if not self.stage.refusal(order):
            self.stage.order(order)

    def turns(self, moves: list[Move]) -> Iterator[Move]:
        for move in moves:
            self.make(move)
            yield move


def serving() -> Life:
    """A ModelServing under three steps, a short history and a window of one."""
    kept = policy(1, revision_history_limit=1)
    stage = Stage(groups("engine:a"), policy=kept)
    return Life(groups, stage.settle(), OBJECT)


def graph() -> Life:
    stage = GraphStage(_graph("engine:a", 4), policy=policy(1, revision_history_limit=1))
    return Life(_graph, stage.settle(), GRAPH)


def _graph(image: str, replicas: int) -> Object:
    return beta_of(engine=image, replicas=replicas)


def by_role() -> Life:
    """A ModelServing whose roles roll on their own: one that changes and one that stays."""
    stage = Stage(_roles("engine:a", 4), policy=policy(1, revision_history_limit=1))
    return Life(_roles, stage.settle(), OBJECT)


def _roles(image: str, replicas: int) -> Object:
    return roles(
        {"decode": {"image": image, "replicas": replicas}, "router": {"image": "router:1", "replicas": 2}}
    )


LIVES: dict[str, Callable[[], Life]] = {"serving": serving, "graph": graph, "by role": by_role}
