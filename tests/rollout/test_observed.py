"""Cluster proof: what is observed is taken, what only people decide is asked when its facts are in."""

from dataclasses import replace

import pytest

from gitops_rollout.api.policy import Deletion, Gate, Proof
from gitops_rollout.report import WorkloadReport
from gitops_rollout.rollout.draft import Presence
from gitops_rollout.rollout.facts import ASKED, PROOFS, About, Fact, Transition
from tests.rollout.graphs import SIZES, graph, policy
from tests.rollout.observed import NEW, OLD, SOAKED, ObservedStage, attached, going
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


def test_requests_of_a_step_that_moves_no_replicas_are_asked_for() -> None:
    shares = (step(f"{share}%", weight=share, name=f"to-{share}") for share in (25, 50, 100))
    stage = attached(policy(*shares, proof=Proof.CLUSTER), dict.fromkeys(SIZES, 1))
    stage.source(graph(NEW, dict.fromkeys(SIZES, 1))).settle()
    stage.through("to-25").run()
    assert (stage.gate is not None, stage.traffic) == (True, ([], [(OLD, 75), (NEW, 25)]))
    stage.through("to-50-traffic").run().through("to-100-traffic").run()
    assert stage.sizes == {NEW: dict.fromkeys(SIZES, 1)}


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


def test_r8_a_share_does_not_fall_back_to_a_stable_that_has_left() -> None:
    stage = going("canary", "half").through("all")
    while stage.sizes[OLD]["Frontend"]:
        stage.run(times=1)
    revision = stage.revision_of(NEW)
    stage.counted = {revision: {"Frontend": 1, "Decode": 2, "Prefill": 4}}
    stage.no = frozenset({Fact(About.ROUTABLE, revision)})
    assert stage.run(times=2).traffic == ([], [(NEW, 100)])


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


def leaving(deletion: Deletion) -> ObservedStage:
    """A graph whose spec has left the source."""
    stage = attached(policy(proof=Proof.CLUSTER, deletion=deletion))
    return stage.source(None).settle()


def test_r6_an_automatic_deletion_follows_when_the_spec_is_absent_at_two_heads() -> None:
    stage = leaving(Deletion.AUTOMATIC)
    stage.commit = "c0ffee2"
    stage.run(minutes=4, times=2)
    assert stage.state.withdraw is not None
    assert (stage.state.withdraw.stage, stage.gate is not None) == ("delete", True)
    stage.run(minutes=4, times=2)
    assert stage.last is not None
    assert stage.last.plan.remove


def test_r6_one_head_of_the_source_is_never_enough() -> None:
    stage = leaving(Deletion.AUTOMATIC).run(minutes=60)
    assert stage.gate is not None
    assert stage.gate.step == "delete"


def test_r6_what_leaves_is_looked_at_again_at_every_head_of_the_source() -> None:
    stage = leaving(Deletion.AUTOMATIC)
    report = WorkloadReport(stage.key, stage.state, gate=stage.gate, branch="asked")
    assert not report.quiet
    assert replace(report, state=replace(stage.state, withdraw=None)).quiet


@pytest.mark.parametrize("unknown", [frozenset({About.LIVE}), frozenset(About)])
def test_r6_nothing_is_removed_before_its_protection_is_seen_to_be_off(unknown: frozenset[About]) -> None:
    stage = leaving(Deletion.AUTOMATIC)
    stage.commit, stage.unknown = "c0ffee2", unknown
    stage.run(minutes=10, times=4)
    assert stage.state.withdraw is not None
    assert stage.state.withdraw.stage == "unprotected"


@pytest.mark.parametrize("deletion", Deletion)
def test_r6_what_is_held_goes_by_no_proof(deletion: Deletion) -> None:
    stage = leaving(deletion)
    stage.commit, stage.presence = "c0ffee2", Presence.HELD
    before = stage.graphs
    assert stage.run(minutes=30).graphs == before


def test_people_are_asked_for_a_deletion_that_is_not_automatic() -> None:
    stage = leaving(Deletion.GATE)
    stage.commit = "c0ffee2"
    assert stage.run(minutes=30).gate is not None
    stage.through("delete").run(times=3)
    assert stage.last is not None
    assert stage.last.plan.remove


def test_a_route_in_the_way_holds_what_follows_by_itself_too() -> None:
    stage = going()
    stage.obstructed = True
    stage.run()
    assert stage.gate is None
    stage.obstructed = False
    stage.run().through("canary")
    stage.obstructed = True
    assert stage.run().traffic == ([], [(OLD, 100)])


def test_every_transition_says_what_it_stands_on() -> None:
    assert set(PROOFS) == set(Transition)
    free = {one for one, facts in PROOFS.items() if not facts}
    assert free == {Transition.DETACH, Transition.DELETE, Transition.RESTORE}
    assert free - {Transition.RESTORE} <= ASKED  # what gives stable its routers back waits for nothing


def test_r16_a_clock_that_was_set_back_holds_nothing_up() -> None:
    stage = going().merge().later(days=-1)
    assert stage.run(times=3).traffic == ([(NEW, 1)], [(OLD, 100)])
