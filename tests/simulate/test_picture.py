"""The picture of a run, looked at as whoever reads it does: nothing overlaps, nothing is left out."""

from fractions import Fraction
from itertools import pairwise
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitops_rollout.simulate.faults import Faults
from gitops_rollout.simulate.picture import _moved_apart, _whole, picture
from gitops_rollout.simulate.run import Played, played
from tests.simulate.runs import KNOWN

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def run() -> Played:
    return played(KNOWN["routed"], Faults())


@pytest.fixture(scope="module")
def drawn(run: Played) -> ElementTree.Element:
    return ElementTree.fromstring(picture("a → b", run.timeline, run.revisions))


def texts(drawn: ElementTree.Element) -> list[str]:
    return [one.text or "" for one in drawn.iter(f"{SVG}text")]


def test_the_legend_says_where_each_revision_comes_from(run: Played, drawn: ElementTree.Element) -> None:
    assert {f"{name} ({file})" for name, file in run.revisions.items()} <= set(texts(drawn))
    assert {"starting", "a gate is merged"} <= set(texts(drawn))


def test_requests_with_the_canary_header_have_a_chart_where_they_go_elsewhere(run: Played) -> None:
    told = "requests with the canary header"
    plain = played(KNOWN["plain"], Faults())
    assert told in picture("", run.timeline, {})
    assert told not in picture("", plain.timeline, {})


def test_nothing_is_drawn_beyond_the_page(drawn: ElementTree.Element) -> None:
    _, _, width, height = map(float, drawn.attrib["viewBox"].split())
    points = [one.attrib["points"] for kind in ("polygon", "polyline") for one in drawn.iter(f"{SVG}{kind}")]
    pairs = [tuple(map(float, pair.split(","))) for one in points for pair in one.split()]
    assert all(0 <= x <= width and 0 <= y <= height for x, y in pairs)


def test_the_last_name_of_a_gate_ends_on_the_page(drawn: ElementTree.Element) -> None:
    width = float(drawn.attrib["viewBox"].split()[2])
    slanted = [one for one in drawn.iter(f"{SVG}text") if "rotate(-40" in one.attrib.get("transform", "")]
    ends = [float(one.attrib["x"]) + 0.77 * 6.6 * len(one.text or "") for one in slanted]
    assert max(ends) <= width


@given(st.lists(st.floats(64, 850), min_size=1, max_size=40).map(sorted))
def test_names_of_gates_never_overlap(wanted: list[float]) -> None:
    places = _moved_apart(wanted, 850)
    assert all(after - before >= 17.99 for before, after in pairwise(places))
    assert places[-1] <= 850


@given(st.integers(0, 500))
def test_replicas_are_counted_in_whole_numbers(most: int) -> None:
    marks = _whole(most)
    assert (marks[0], marks[-1] >= most, len(marks) <= 5) == (0, True, True)
    assert len({Fraction(after - before) for before, after in pairwise(marks)}) == 1
