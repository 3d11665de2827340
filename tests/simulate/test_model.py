"""Every state of small worlds: at most three components of three replicas each and three commits, and no
invariant broken in any. Where people merge blindly, the first of them.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import pytest

from gitops_rollout.simulate.wishes import AFTER, BEFORE, THIRD, Wishes
from tests.simulate.graph_runs import QUICK, WHOLE, graph_wishes
from tests.simulate.model import Explored, Move, explore, moves
from tests.simulate.runs import wishes

SIZES = {"Frontend": 1, "Prefill": 2, "Decode": 3}
BACK, THREE = (BEFORE, AFTER), (BEFORE, AFTER, THIRD)


Search: TypeAlias = Callable[["Small", int], Explored]


@dataclass(frozen=True)
class Small:
    """A small world: what it begins with, what its source may want, and by how many replicas it is scaled."""

    begin: Callable[[], Wishes]
    wants: tuple[str, ...] = THREE
    scaled: tuple[int, ...] = ()
    blindly: bool = False

    @property
    def moves(self) -> list[Move]:
        every = moves(self.wants, self.scaled)
        return every if self.blindly else [one for one in every if one[0] != "merge blindly"]


@pytest.fixture
def explored(record_property: Callable[[str, object], None]) -> Search:
    """Explore a small world, and say at the end of the test run how much that was."""

    def search(world: Small, most: int) -> Explored:
        began = time.monotonic()
        found = explore(world.begin(), world.moves, most)
        every = "every" if found.whole else "the first"
        said = f"{every} {found.states} states, {found.steps} steps, {found.deepest} moves deep"
        record_property("explored", f"{said} in {time.monotonic() - began:.0f} s")
        return found

    return search


def serving(policy: str, replicas: int) -> Callable[[], Wishes]:
    return lambda: wishes(policy, replicas)


def graph(policy: str) -> Callable[[], Wishes]:
    return lambda: graph_wishes(policy, sizes=SIZES)


def test_one_replica_there_and_back(explored: Search) -> None:
    found = explored(Small(serving("quick", 1), BACK, blindly=True), 2_000)
    assert (found.findings, found.whole) == ([], True)


SMALL = {
    "three replicas, there and back, merged blindly": Small(serving("quick", 3), BACK, blindly=True),
    "two replicas, three revisions": Small(serving("quick", 2)),
    "one replica, scaled to none and two": Small(serving("quick", 1), BACK, (0, 2)),
    "three replicas behind a route, three revisions": Small(serving("routed", 3)),
    "a graph that moves as a whole, three revisions": Small(graph(WHOLE)),
    "graphs beside each other, three revisions": Small(graph(QUICK)),
}


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("world", SMALL.values(), ids=list(SMALL))
def test_every_state_of_a_small_world(world: Small, explored: Search) -> None:
    found = explored(world, 60_000)
    assert (found.findings, found.whole) == ([], True)


@pytest.mark.parametrize("policy", [WHOLE, QUICK], ids=["whole", "beside"])
def test_the_first_moves_of_a_graph(policy: str, explored: Search) -> None:
    assert explored(Small(graph(policy)), 60).findings == []


LARGE = {
    "two revisions one after another": Small(serving("quick", 2), (AFTER, THIRD), blindly=True),
    "behind a route": Small(serving("routed", 2), BACK, blindly=True),
    "a graph that moves as a whole": Small(graph(WHOLE), blindly=True),
    "graphs beside each other": Small(graph(QUICK), blindly=True),
}


@pytest.mark.slow
@pytest.mark.parametrize("world", LARGE.values(), ids=list(LARGE))
def test_the_first_states_where_people_merge_blindly(world: Small, explored: Search) -> None:
    assert explored(world, 2_000).findings == []
