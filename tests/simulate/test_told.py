"""Routers that are told whom to choose, played: what they take, who tells them, and their laws (R18, R19)."""

import json
from dataclasses import replace
from functools import cache

import pytest

from gitops_rollout.rollout.bindings import Binding, Bindings, body
from gitops_rollout.simulate import router_laws as laws
from gitops_rollout.simulate.controllers import Pod
from gitops_rollout.simulate.faults import Faults
from gitops_rollout.simulate.moments import Moment
from gitops_rollout.simulate.routers import Accepted, Client, Routers, Told
from gitops_rollout.simulate.run import played, prepared
from tests.simulate.graph_runs import graph_wishes
from tests.simulate.runs import found
from tests.simulate.test_invariants import GROUPS

STABLE, BOTH = (
    Bindings.of("serving", Binding("a", {"decode": "a"})),
    Bindings.of("serving", Binding("a", {"decode": "a"}), [Binding("b", {"decode": "b"})]),
)
POD = Pod(1, "chat", "Frontend", "Frontend@1", True)
FEW = [name for name in GROUPS if name in ("consumers", "services", "people", "cluster", "facts", "routers")]


def raw(bindings: Bindings, version: int) -> bytes:
    return json.dumps(body(bindings, version)).encode()


def fleet(*versions: int) -> Routers:
    """Give one router that was put these versions."""
    routers = Routers(managed=True)
    routers.follow([POD])
    for version in versions:
        routers.put(1, version, raw(STABLE, version))
    return routers


def test_a_rollout_whose_routers_are_told_comes_to_its_end() -> None:
    run = played(graph_wishes("told"), Faults())
    told = [row.did for row in run.timeline.rows if row.actor == "router client" and "tells" in row.did]
    assert run.findings == ()
    assert {line.rpartition(" ")[2] for line in told} == {"1", "2", "3"}


def test_routers_alone_are_told_of_the_workers_that_they_share() -> None:
    assert played(graph_wishes("routers-told"), Faults()).findings == ()


@pytest.mark.parametrize("group", FEW)
def test_no_fault_breaks_an_invariant_of_routers_that_are_told(group: str) -> None:
    assert [found("told", GROUPS[group], seed) for seed in range(2)] == [[], []]


def test_a_lower_version_is_refused() -> None:
    routers = fleet(4, 3)
    assert (routers.told[1].version, [one.version for one in routers.accepted]) == (4, [4])


def test_another_body_for_the_version_that_is_held_is_refused() -> None:
    routers = fleet(4)
    routers.put(1, 4, raw(BOTH, 4))
    assert [one.refused for one in routers.answers.values()] == [True]
    assert len(routers.accepted) == 1


def test_a_router_that_restarts_has_forgotten_everything_and_answers_nobody() -> None:
    routers = fleet(4)
    routers.restart(POD)
    assert [pod.ready for pod in routers.answering((POD,), {"Frontend@1": {"a"}})] == [False]
    assert routers.unanswered(raw(STABLE, 4)) == (1,)


@pytest.mark.parametrize(("revision", "ready"), [("a", True), ("b", False)])
def test_a_router_answers_when_it_is_told_of_its_own_revision(revision: str, ready: bool) -> None:
    assert [pod.ready for pod in fleet(1).answering((POD,), {"Frontend@1": {revision}})] == [ready]


def test_who_slept_since_it_read_puts_what_it_read_and_is_refused() -> None:
    routers = fleet()
    slow, fast = Client(routers), Client(routers)
    slow.read((1, raw(STABLE, 1)))
    fast.read((2, raw(BOTH, 2)))
    assert (fast.put(), slow.put()) == (True, True)
    assert [one.version for one in routers.accepted] == [2]


@cache
def last() -> Moment:
    return [*prepared(graph_wishes("told"), Faults()).moments()][-1]


def test_an_answer_of_a_router_that_was_not_told_is_a_finding() -> None:
    silent = replace(last(), told={uid: Told() for uid in last().told})
    assert laws.who_answers_was_told(last(), last()) == ""
    assert "holds version 0" in laws.who_answers_was_told(last(), silent)


def test_a_router_that_chooses_others_than_it_finds_is_a_finding() -> None:
    strange = {
        uid: Told(
            1,
            9,
            body(
                Bindings.of("serving", Binding("x", {"decode": "y"}), [Binding(revision(), {"decode": "y"})]),
                9,
            ),
        )
        for uid in last().told
    }
    assert laws.chosen_workers_are_found(last(), last()) == ""
    assert "choose ['y']" in laws.chosen_workers_are_found(last(), replace(last(), told=strange))


def revision() -> str:
    state = last().state
    assert state is not None
    return state.stable


@pytest.mark.parametrize(
    ("more", "seen"),
    [
        (Accepted(1, 1, 3, "d3"), "accepts version 3 after 4"),
        (Accepted(1, 2, 4, "other"), "two bodies"),
        (Accepted(1, 2, 4, "d4"), ""),
    ],
)
def test_versions_that_fall_or_have_two_bodies_are_findings(more: Accepted, seen: str) -> None:
    after = replace(last(), accepted=(Accepted(1, 1, 4, "d4"), more))
    assert seen in laws.accepted_versions_grow(last(), after)
    assert bool(seen) == bool(laws.accepted_versions_grow(last(), after))
