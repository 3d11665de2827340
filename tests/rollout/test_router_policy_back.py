"""Ways back where routers are told: requests, binding, acknowledgement, replicas (R13, G2.14)."""

from copy import deepcopy
from dataclasses import replace
from functools import cache

import pytest

from gitops_rollout.api.values import Object, sequence
from gitops_rollout.api.values import at as value_at
from gitops_rollout.rollout.draft import Order
from gitops_rollout.rollout.facts import About, Fact
from tests.rollout.graphs import SIZES, graph
from tests.rollout.observed import NEW, OLD
from tests.rollout.router_laws import assert_laws
from tests.rollout.stage import HOME
from tests.rollout.told import TOLD, ToldStage, attached, going

NEXT = "engine:3.0.0"
POINTS = 15


@cache
def points() -> list[ToldStage]:
    """Give the rollout after each of its commits and each merge, up to the last before it is complete."""
    stage = attached().source(graph(NEW)).settle()
    found, head = [deepcopy(stage)], stage.line.head
    for _ in range(60):
        if stage.gate is not None and stage.gate.step != "attach":
            stage.merge(look=False)
            found.append(deepcopy(stage))
        stage.later(minutes=1).look()
        if stage.state.stable == stage.revision_of(NEW):
            return found
        if stage.line.head != head:
            found, head = [*found, deepcopy(stage)], stage.line.head
    raise AssertionError("the rollout comes to no end")


def at(point: int) -> ToldStage:
    return deepcopy(points()[point])


def test_every_point_of_a_rollout_is_played() -> None:
    assert len(points()) == POINTS


@pytest.mark.parametrize("point", range(POINTS))
def test_a_rollback_ends_where_it_began(point: int) -> None:
    stage = at(point).source(graph(OLD)).run(times=14)
    assert (stage.sizes, stage.traffic, stage.bound) == ({OLD: SIZES}, ([], [(OLD, 100)]), (OLD, []))
    assert_laws(stage)


@pytest.mark.parametrize("point", range(POINTS))
def test_r13_requests_leave_whatever_routers_say(point: int) -> None:
    stage = at(point)
    stage.unknown = frozenset({About.ACKNOWLEDGED})
    stage.deaf = {stage.revision_of(NEW)}
    stage.source(graph(OLD)).run(times=12)
    assert stage.traffic == ([], [(OLD, 100)])


@pytest.mark.parametrize("point", [3, 6, 9])
def test_a_way_back_ends_although_nobody_acknowledges(point: int) -> None:
    stage = at(point)
    stage.unknown = frozenset({About.ACKNOWLEDGED, About.ACCEPTED, About.DRAINED})
    stage.source(graph(OLD)).run(minutes=5, times=12)
    assert (stage.sizes, stage.bound) == ({OLD: SIZES}, (OLD, []))
    assert "DRAIN_DEADLINE" in stage.all_codes
    assert_laws(stage, late=True)


def test_a_binding_leaves_when_the_route_is_accepted_without_its_requests() -> None:
    stage = going("canary", "half").source(graph(OLD))
    stage.unknown = frozenset({About.ACCEPTED})
    stage.run(times=3)
    assert (stage.traffic, stage.bound) == (([], [(OLD, 100)]), (OLD, [NEW]))
    stage.unknown = frozenset()
    assert stage.run(times=1).bound == (OLD, [])


def test_replicas_leave_when_routers_know() -> None:
    stage = going("canary", "half").source(graph(OLD))
    stage.unknown = frozenset({About.ACKNOWLEDGED})
    assert stage.run(times=4).bound == (OLD, [])
    assert stage.sizes[NEW] == {"Frontend": 1, "Decode": 2, "Prefill": 2}
    stage.unknown = frozenset()
    assert NEW not in stage.run().sizes
    assert_laws(stage)


def test_stable_is_named_again_before_it_gets_its_requests_back() -> None:
    stage = going("canary", "half").through("all")
    while stage.bound != (NEW, []):
        stage.run(times=1)
    stage.source(graph(OLD)).run(times=1)
    assert (stage.bound, stage.traffic) == ((NEW, []), ([], [(NEW, 100)]))
    stage.run(times=1)
    assert (stage.bound, stage.traffic) == ((OLD, [NEW]), ([], [(NEW, 100)]))
    assert stage.run(times=1).traffic == ([], [(OLD, 100)])
    assert_laws(stage)


def test_a_stable_that_never_shrank_is_named_again_all_the_same() -> None:
    short = replace(TOLD, steps=(TOLD.steps[0], TOLD.steps[-1]))
    stage = going("canary", terms=short).through("all")
    while stage.bound != (NEW, []):
        stage.run(times=1)
    assert stage.sizes[OLD] == SIZES
    stage.source(graph(OLD)).run(times=2)
    assert (stage.bound, stage.traffic) == ((OLD, [NEW]), ([], [(NEW, 100)]))
    assert stage.run().traffic == ([], [(OLD, 100)])
    assert_laws(stage)


def test_r13_stable_gets_its_requests_back_at_the_deadline() -> None:
    stage = going("canary", "half").through("all")
    while stage.bound != (NEW, []):
        stage.run(times=1)
    stage.deaf = {stage.revision_of(OLD)}
    stage.source(graph(OLD)).run(times=10)
    assert (stage.bound, stage.traffic) == ((OLD, [NEW]), ([], [(NEW, 100)]))
    assert stage.run(times=3).traffic == ([], [(OLD, 100)])


def test_requests_leave_a_candidate_that_answers_nobody_as_soon_as_stable_is_named() -> None:
    stage = going("canary", "half").through("all")
    while stage.bound != (NEW, []):
        stage.run(times=1)
    stage.no = frozenset({Fact(About.ROUTABLE, stage.revision_of(NEW))})
    stage.source(graph(OLD)).run(times=2)
    assert (stage.bound, stage.traffic) == ((OLD, [NEW]), ([], [(NEW, 100)]))
    stage.deaf = {stage.revision_of(OLD)}
    assert stage.run(times=1).traffic == ([], [(OLD, 100)])
    assert_laws(stage)


def test_an_approval_taken_back_unbinds_what_has_no_step_left() -> None:
    stage = going("canary")
    stage.revert("canary")
    stage.run()
    assert (stage.traffic, stage.bound) == (([], [(OLD, 100)]), (OLD, []))
    assert_laws(stage)


def test_an_approval_taken_back_late_waits_until_stable_is_named() -> None:
    stage = going("canary", "half").through("all")
    while stage.bound != (NEW, []):
        stage.run(times=1)
    stage.revert("all")
    stage.run(times=3)
    assert stage.bound == (OLD, [NEW])
    stage.run()
    assert stage.traffic[1] in ([(OLD, 100)], [(OLD, 50), (NEW, 50)])
    assert_laws(stage)


def test_the_same_revision_is_bound_anew() -> None:
    stage = going("canary", "half").source(graph(OLD)).run()
    version = stage.version
    stage.source(graph(NEW)).run(times=2).through("canary").run(times=2)
    assert (stage.bound, stage.version) == ((OLD, [NEW]), version + 1)


def test_scaling_sends_nothing_back_to_a_stable_whose_routers_know_nobody() -> None:
    stage = going("canary", "half").through("all")
    while stage.bound != (NEW, []):
        stage.run(times=1)
    stage.deaf = {stage.revision_of(OLD)}
    bigger = {name: 3 * count for name, count in SIZES.items()}
    paused: Object = {"components": [{"name": "Decode", "paused": True}]}
    stage.source(graph(NEW, bigger, paused)).run(times=3)
    assert stage.traffic == ([], [(NEW, 100)])
    assert_laws(stage)


def test_an_abort_takes_the_binding_along() -> None:
    stage = going("canary").order(Order.ABORT).run()
    assert (stage.sizes, stage.bound) == ({OLD: SIZES}, (OLD, []))
    assert_laws(stage)


def test_a_third_revision_waits_until_the_second_is_unbound() -> None:
    stage = going("canary", "half").source(graph(NEXT)).run()
    assert (stage.sizes, stage.bound) == ({OLD: SIZES}, (OLD, []))
    stage.through("canary").run(times=2)
    assert stage.bound == (OLD, [NEXT])
    assert_laws(stage)


def unreadable(stage: ToldStage, image: str) -> ToldStage:
    """Damage a recorded revision in every version that there ever was."""
    path = f"{HOME}/capacity/revisions/chat-{stage.revision_of(image)}.yaml"
    for version in stage.line.versions:
        version.update({path: b"- 1\n"} if path in version else {})
    stage.line.trees.clear()
    stage.known = None
    return stage


def test_a_way_back_under_unknown_history_takes_the_binding_along() -> None:
    stage = unreadable(going("canary", "half"), NEW)
    stage.source(graph(OLD)).run(minutes=5, times=8)
    assert (stage.state.published.traffic, stage.bound) == (False, (OLD, []))
    assert_laws(stage)


def test_stable_is_named_again_under_unknown_history() -> None:
    stage = going("canary", "half").through("all")
    while stage.bound != (NEW, []):
        stage.run(times=1)
    unreadable(stage, NEW).source(graph(OLD)).run(times=2)
    default, (binding,) = stage.body["default"], sequence(stage.body["routerRevisionBindings"])
    assert default == {"workerRevision": stage.revision_of(OLD)}
    assert value_at(binding, "routerRevision") == stage.state.candidate
    stage.run(minutes=5, times=8)
    assert (stage.state.published.traffic, stage.bound) == (False, (OLD, []))
