"""Cluster proof: what is observed is taken, what only people decide is asked when its facts are in."""

from dataclasses import replace

import pytest

from gitops_rollout.api.policy import Gate, Proof
from gitops_rollout.rollout.facts import ASKED, PROOFS, About, Fact, Transition
from tests.rollout.graphs import SIZES, graph, policy
from tests.rollout.observed import NEW, OLD, SOAKED, attached, going
from tests.rollout.routed import step


def test_people_are_asked_for_steps_and_nothing_else() -> None:
    stage = going("canary", "half", "all")
    assert stage.steps_asked == ["attach", "canary", "half", "all"]
    assert (stage.sizes, stage.gate) == ({NEW: SIZES}, None)


def test_an_automatic_step_is_taken_when_it_is_proven() -> None:
    steps = (replace(step("100%", weight=100, name="all"), gate=Gate.AUTOMATIC),)
    stage = going(terms=policy(*steps, proof=Proof.CLUSTER)).run()
    assert stage.sizes == {NEW: SIZES}


@pytest.mark.parametrize("about", [About.LIVE, About.ROUTABLE, About.ACCEPTED])
def test_what_is_unknown_holds_every_way_up(about: About) -> None:
    stage = going("canary")
    stage.unknown = frozenset({about})
    before = stage.run().sizes
    assert (stage.gate, before) == (None, stage.run().sizes)


def test_a_gate_is_asked_when_its_facts_are_in() -> None:
    stage = attached()
    stage.unknown = frozenset({About.ROUTABLE})
    assert stage.source(graph(NEW)).settle().gate is None
    stage.unknown = frozenset()
    assert stage.settle().gate is not None


def test_requests_follow_by_themselves_when_replicas_answer() -> None:
    stage = going("canary")
    assert stage.traffic == ([(NEW, 1)], [(OLD, 100)])


def test_a_step_of_requests_alone_is_asked_as_every_step_is() -> None:
    steps = (step("26%", header=True, name="half"), step("50%", weight=50, name="shift"))
    stage = going("half", terms=policy(*steps, step("100%", weight=100, name="all"), proof=Proof.CLUSTER))
    assert (stage.gate is not None and stage.gate.step, stage.traffic) == (
        "shift-traffic",
        ([(NEW, 1)], [(OLD, 100)]),
    )
    assert stage.through("shift-traffic").run().traffic == ([], [(OLD, 50), (NEW, 50)])


def test_an_automatic_step_of_requests_alone_follows() -> None:
    shift = replace(step("50%", weight=50, name="shift"), gate=Gate.AUTOMATIC)
    steps = (step("26%", header=True, name="half"), shift, step("100%", weight=100, name="all"))
    assert going("half", terms=policy(*steps, proof=Proof.CLUSTER)).traffic == ([], [(OLD, 50), (NEW, 50)])


def test_r20_no_gate_is_asked_on_facts_of_an_earlier_head() -> None:
    stage = going("canary")
    stage.unknown = frozenset(About)
    stage.run(times=1)
    stage.unknown = frozenset()
    stage.source(graph(NEW, {**SIZES, "Decode": 6})).look()
    assert stage.gate is None
    assert stage.settle().gate is not None


def test_one_class_of_change_a_pass() -> None:
    stage = going("canary", "half", "all")
    for before, after in zip(stage.line.versions, stage.line.versions[1:], strict=False):
        changed = {path for path in {*before, *after} if before.get(path) != after.get(path)}
        route = any(path.endswith("httproute.yaml") for path in changed)
        assert not (route and any("/capacity/dgd" in path for path in changed))


def test_a_soak_runs_from_when_everything_is_proven() -> None:
    stage = going("canary", terms=SOAKED)
    stage.unknown = frozenset({About.ACCEPTED})
    stage.run(minutes=60, times=2)
    stage.unknown = frozenset()
    assert stage.run(minutes=10, times=2).gate is None
    assert stage.run(minutes=10, times=4).gate is not None


def test_a_dip_begins_the_soak_anew() -> None:
    stage = going("canary", terms=SOAKED).run(minutes=10, times=2)
    stage.no = frozenset({Fact(About.ROUTABLE, stage.revision_of(NEW))})
    stage.run(times=1)
    stage.no = frozenset()
    assert stage.run(minutes=10, times=2).gate is None
    assert stage.run(minutes=10, times=4).gate is not None


def test_r8_a_share_falls_with_the_replicas_that_answer() -> None:
    stage = going("canary", "half")
    revision = stage.revision_of(NEW)
    stage.counted = {revision: {"Frontend": 1, "Decode": 1, "Prefill": 2}}
    stage.no = frozenset({Fact(About.ROUTABLE, revision)})
    assert stage.run(times=2).traffic == ([], [(OLD, 75), (NEW, 25)])


def test_a_candidate_that_does_not_answer_is_given_up_at_its_deadline() -> None:
    stage = going("canary")
    stage.no = frozenset({Fact(About.ROUTABLE, stage.revision_of(NEW))})
    stage.run(minutes=10, times=20)
    assert (stage.sizes, stage.traffic) == ({OLD: SIZES}, ([], [(OLD, 100)]))
    assert stage.state.rejected is not None
    assert stage.state.rejected.why == "failed"


def test_what_never_comes_is_told_and_never_passed_over() -> None:
    stage = going("canary")
    stage.unknown = frozenset({About.ACCEPTED})
    stage.run(minutes=30, times=4)
    assert stage.last is not None
    assert "Accepted" in stage.last.plan.stuck
    assert stage.traffic == ([(NEW, 1)], [(OLD, 100)])


@pytest.mark.parametrize("unknown", [frozenset(), *(frozenset({one}) for one in About), frozenset(About)])
def test_r13_requests_leave_within_the_deadline_whatever_is_unknown(unknown: frozenset[About]) -> None:
    stage = going("canary", "half")
    stage.unknown = unknown
    stage.source(graph(OLD)).run(minutes=1, times=13)
    assert stage.traffic == ([], [(OLD, 100)])


def test_r13_requests_stay_while_stable_has_no_pod_at_all() -> None:
    stage = going("canary", "half").source(graph(OLD))
    stage.look()
    stable = stage.revision_of(OLD)
    stage.yes = frozenset({Fact(About.GONE, stable)})
    stage.no = frozenset({Fact(About.ROUTABLE, stable)})
    assert stage.run(minutes=10, times=3).traffic == ([], [(OLD, 50), (NEW, 50)])


def test_a_rollback_ends_by_itself_when_everything_is_seen() -> None:
    stage = going("canary", "half").source(graph(OLD)).run()
    assert (stage.sizes, stage.state.candidate) == ({OLD: SIZES}, None)


def test_every_transition_says_what_it_stands_on() -> None:
    assert set(PROOFS) == set(Transition)
    free = {one for one, facts in PROOFS.items() if not facts}
    assert free == {Transition.DETACH, Transition.DELETE}
    assert free <= ASKED


def test_r16_a_clock_that_was_set_back_holds_nothing_up() -> None:
    stage = going().merge().later(days=-1)
    assert stage.run(times=3).traffic == ([(NEW, 1)], [(OLD, 100)])
