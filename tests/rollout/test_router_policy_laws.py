"""Whatever people, routers and the cluster do: the order holds at every commit, and every end is reached."""

from collections.abc import Callable, Mapping
from copy import deepcopy
from functools import cache

from hypothesis import given
from hypothesis import strategies as st

from gitops_rollout.rollout.draft import Order
from gitops_rollout.rollout.facts import About, Fact
from tests.drawn import drawn
from tests.rollout.graphs import SIZES, graph
from tests.rollout.observed import NEW, OLD
from tests.rollout.router_laws import assert_laws
from tests.rollout.told import ToldStage, attached

NEXT = "engine:3.0.0"


@cache
def beginning() -> ToldStage:
    return attached().source(graph(NEW)).settle()


def wanted_image(stage: ToldStage) -> str:
    return stage.image_in(stage.wanted or {})


def merge(stage: ToldStage, _: int) -> None:
    if stage.gate is not None:
        stage.merge(look=False)


def scale(stage: ToldStage, more: int) -> None:
    stage.source(graph(wanted_image(stage), {one: count + more for one, count in SIZES.items()}))


def restart(stage: ToldStage, which: int) -> None:
    routers = [*stage.routers.values()]
    routers[which % len(routers)].restart()


def deafen(stage: ToldStage, which: int) -> None:
    routers = [*stage.routers.values()]
    stage.deaf = {routers[which % len(routers)].revision} if which else set()


def hide(stage: ToldStage, which: int) -> None:
    some = (About.ACKNOWLEDGED, About.REGISTERED, About.ACCEPTED)
    stage.unknown = frozenset(some[which : which + 1])


def dip(stage: ToldStage, which: int) -> None:
    candidate = stage.state.candidate
    stage.no = frozenset({Fact(About.ROUTABLE, candidate)} if candidate and which else ())


def abort(stage: ToldStage, _: int) -> None:
    if not stage.refusal(Order.ABORT):
        stage.look(Order.ABORT)


def revert(stage: ToldStage, _: int) -> None:
    if stage.state.published.step in ("canary", "half"):
        stage.revert(str(stage.state.published.step))


MOVES: Mapping[str, Callable[[ToldStage, int], object]] = {
    "merge": merge,
    "merge again": merge,
    "wait": lambda stage, times: stage.run(times=times),
    "want": lambda stage, which: stage.source(graph([OLD, NEW, NEXT, NEW][which])),
    "scale": scale,
    "restart": restart,
    "deafen": deafen,
    "hide": hide,
    "dip": dip,
    "abort": abort,
    "revert": revert,
}
moves = st.lists(st.tuples(st.sampled_from(sorted(MOVES)), st.integers(0, 3)), min_size=4, max_size=14)


def play(stage: ToldStage, made: list[tuple[str, int]]) -> None:
    for name, number in made:
        MOVES[name](stage, number)
        stage.run(times=1)


@drawn(12)
@given(moves)
def test_the_order_holds_and_the_way_back_ends(made: list[tuple[str, int]]) -> None:
    stage = deepcopy(beginning())
    play(stage, made)
    stage.deaf, stage.unknown, stage.no = set(), frozenset(), frozenset()
    stage.source(graph(stage.image_of(stage.state.stable))).run(times=16)
    assert stage.state.candidate is None
    assert stage.bound == (stage.image_of(stage.state.stable), [])
    assert all(one.body == stage.body for one in stage.routers.values())
    assert_laws(stage)
