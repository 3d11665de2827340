"""The page that draws the planner is what the planner does."""

import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitops_rollout.rollout.facts import ASKED, PROOFS, Transition
from tests.drawn import drawn
from tests.rollout import graphs, planner_page, routed, walked, walks
from tests.rollout.planner_page import PAGE, box, known, page
from tests.rollout.routed import RoutedStage
from tests.rollout.walked import IMAGES
from tests.rollout.walks import Move, stands

Going: TypeAlias = Callable[[], RoutedStage]

TEXT = PAGE.read_text(encoding="utf-8")


def arrows(title: str) -> set[tuple[str, str]]:
    """Give the arrows of a picture, from box to box."""
    drawn = TEXT.partition(f"## {title}\n")[2].partition("\n## ")[0]
    return set(re.findall(r"^    (\S+) --> ([^:\s]+)", drawn, re.M))


def places(stage: RoutedStage, *gates: str) -> Iterator[str]:
    """Name the boxes that a stage is in while these gates are merged."""
    yield box(stands(stage))
    for gate in gates:
        yield box(stands(stage.through(gate)))


def graph_on_its_way() -> RoutedStage:
    return graphs.going()


def serving_on_its_way() -> RoutedStage:
    return routed.going()


@pytest.mark.slow
def test_the_page_is_what_is_played() -> None:
    assert page(planner_page.walks()) == TEXT


@pytest.mark.parametrize("one", Transition)
def test_every_transition_is_there_with_what_it_stands_on(one: Transition) -> None:
    (row,) = [line for line in TEXT.splitlines() if line.startswith(f"| {one} |")]
    assert f"| {', '.join(map(str, PROOFS[one]))}" in row
    assert f"| {'is asked' if one in ASKED else 'follows'} |" in row
    assert "no picture yet" not in row


def test_every_fact_is_there_in_the_words_of_the_planner() -> None:
    assert known() in TEXT


@pytest.mark.parametrize(
    ("title", "stage", "gates"),
    [
        ("Graphs beside each other", graph_on_its_way, graphs.ALL_GATES),
        ("A ModelServing with a route", serving_on_its_way, routed.ALL_GATES),
    ],
)
def test_a_way_up_and_a_way_back_are_drawn(title: str, stage: Going, gates: tuple[str, ...]) -> None:
    up = [*places(stage(), *gates)]
    back = [*places(returning(stage()), "drained")]
    assert up[-1] == "rest"
    assert {*pairwise(up), *pairwise(back)} <= arrows(title)


def returning(stage: RoutedStage) -> RoutedStage:
    """Let the source want stable again when marked requests reach the candidate."""
    return stage.through("canary", "canary-traffic").source(walked.written(stage, IMAGES[0])).settle()


WALKS = {
    "A ModelServing without a route": walks.model_serving,
    "A ModelServing with a route": walks.routed_serving,
    "Graphs beside each other": walks.graphs_beside,
    "A graph whose routers change alone": walks.routers_alone,
    "Graphs whose routers are told": walks.routers_told,
    "A graph in place": walks.graph_in_place,
    "A graph in place whose routers are told": walks.in_place_routed,
    "The route": walks.the_route,
}


@pytest.mark.slow
@pytest.mark.parametrize("title", WALKS)
@drawn(8)
@given(st.lists(st.integers(0, 11), min_size=4, max_size=14))
def test_whatever_is_played_at_random_is_drawn(title: str, chosen: list[int]) -> None:
    walk = WALKS[title]()
    stage = walk.starts[0]
    for number in chosen:
        before, acts = stands(stage), [*walk.acts(stage)]
        move, act = acts[number % len(acts)] if number < 8 else acts[0]
        act(stage)
        if move is Move.MERGED or before != stands(stage):
            assert (box(before), box(stands(stage))) in arrows(title)


@pytest.mark.parametrize("title", [one for one in WALKS if one != "The route"])
def test_nothing_is_drawn_that_ends_nowhere(title: str) -> None:
    drawn = arrows(title)
    boxes = {end for pair in drawn for end in pair}
    reached = {"rest"}
    for _ in boxes:
        reached |= {before for before, after in drawn if after in reached}
    assert boxes <= reached
