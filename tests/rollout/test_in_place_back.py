"""Ways down of a graph that holds both revisions, a third revision, and what merges cannot let in."""

from itertools import pairwise

import pytest

from gitops_rollout.api.values import Json, at
from gitops_rollout.rollout.draft import Order, Word
from gitops_rollout.rollout.facts import About, Answer, Fact
from tests.rollout.graphs import graph
from tests.rollout.in_place import NEXT, everywhere, going, only, resting, terms
from tests.rollout.observed import NEW, OLD


@pytest.mark.parametrize("gates", [("1",), ("1", "50pct"), ("1", "50pct", "100pct")])
def test_a_rollback_gives_stable_everything_and_ends_when_the_candidate_is_gone(
    gates: tuple[str, ...],
) -> None:
    stage = going(*gates[:-1])
    stage.unknown = frozenset({About.UPDATED})
    stage.through(gates[-1]).source(graph(OLD)).look()
    stage.unknown = frozenset()
    stage.run()
    assert (stage.pods, stage.state.candidate) == (everywhere(OLD), None)
    assert (stage.partitions, stage.state.stable) == ({}, stage.revision_of(OLD))


def test_r12_a_rollback_raises_nothing_above_the_lowest_until_the_candidate_is_gone() -> None:
    stage = going("1", "50pct")
    stage.no = frozenset({Fact(About.GONE, stage.revision_of(NEW))})
    stage.source(graph(OLD, rollout={"components": [{"name": "Decode", "partition": 4}]})).run()
    assert stage.partitions == {"Frontend": 1, "Decode": 2, "Prefill": 2}
    assert stage.image_in(stage.published) == OLD


def test_r13_a_pause_holds_no_way_back() -> None:
    paused: Json = {"components": [{"name": "Decode", "paused": True}]}
    stage = going("1", "50pct").source(graph(NEW, rollout=paused)).settle()
    stage.source(graph(OLD, rollout=paused)).look()
    assert "paused" not in str(stage.published)
    stage.run()
    assert stage.pods == everywhere(OLD)
    assert at(stage.published, "spec", "rollout") == paused


def test_an_abort_goes_back_and_does_not_offer_it_again() -> None:
    stage = going("1").order(Order.ABORT)
    stage.run()
    assert (stage.pods, stage.gate) == (everywhere(OLD), None)


def test_a_candidate_that_does_not_answer_is_given_up_at_its_deadline() -> None:
    stage = going("1")
    stage.no = frozenset({Fact(About.ROUTABLE, stage.revision_of(NEW))})
    stage.run(minutes=10, times=20)
    assert stage.pods == everywhere(OLD)
    assert stage.state.rejected is not None


def test_a_third_revision_takes_over_exactly_what_the_second_holds() -> None:
    stage = going("1", "50pct").source(graph(NEXT)).settle()
    second = stage.partitions
    assert (stage.image_in(stage.published), stage.gate is not None) == (NEW, True)
    stage.through("50pct")
    assert (stage.partitions, stage.image_in(stage.published)) == (second, NEXT)
    assert stage.pods["Decode"] == {OLD: 2, NEXT: 2}


def test_while_a_third_waits_the_second_follows_the_replicas_of_the_source() -> None:
    stage = going("1", "50pct").source(graph(NEXT, {"Frontend": 2, "Decode": 6, "Prefill": 4})).settle()
    assert (stage.image_in(stage.published), stage.partitions["Decode"]) == (NEW, 4)


def test_after_it_come_the_steps_that_are_left() -> None:
    stage = going("1", "50pct").source(graph(NEXT)).settle()
    stage.through("50pct").run(times=3).through("100pct").run()
    assert (stage.pods, stage.state.stable) == (everywhere(NEXT), stage.revision_of(NEXT))


def test_the_lowest_never_rises_however_revisions_follow_each_other() -> None:
    stage, seen = going("1"), []
    moves = (graph(NEXT), graph(NEXT, {"Frontend": 4, "Decode": 8, "Prefill": 4}), graph(OLD))
    for wanted in moves:
        stage.source(wanted).look()
        seen.append(stage.state.lowest or {})
    for before, after in pairwise(seen):
        assert all(after[name] <= number for name, number in before.items())


def test_r3_a_reverted_merge_gives_back_what_it_let_in() -> None:
    stage = going("1", "50pct")
    stage.revert("50pct")
    stage.run(times=2)
    assert (stage.partitions["Decode"], stage.pods["Decode"]) == (3, {OLD: 3, NEW: 1})


@pytest.mark.parametrize("gates", [(), ("1",)])
@pytest.mark.parametrize("answer", [Answer.UNKNOWN, Answer.NO])
def test_r26_what_is_merged_lets_nothing_in_where_the_field_is_not_kept(
    gates: tuple[str, ...], answer: Answer
) -> None:
    stage = going(*gates)
    before = stage.published
    stage.unknown = frozenset({About.KEPT})
    stage.no = frozenset({Fact(About.KEPT)}) if answer is Answer.NO else frozenset()
    stage.merge()
    assert (stage.published["spec"], stage.gate) == (before["spec"], None)
    assert "NOT_KEPT" in stage.all_codes


def test_r13_a_way_back_waits_for_no_field() -> None:
    stage = going("1", "50pct")
    stage.unknown = frozenset({About.KEPT})
    stage.source(graph(OLD)).run()
    assert (stage.pods, stage.state.candidate) == (everywhere(OLD), None)


def test_r26_nor_does_an_order() -> None:
    stage = resting().source(graph(NEW)).settle()
    stage.unknown = frozenset({About.KEPT})
    stage.look()
    assert "spec.rollout" in stage.refusal(Order(Word.PROMOTE, step="50pct"))


def test_r26_nor_a_partition_that_is_lowered_by_hand() -> None:
    stage = going("1")
    stage.unknown = frozenset({About.KEPT})
    stage.lower("Decode", 1)
    assert (stage.settle().partitions["Decode"], stage.state.lowest) == (
        3,
        {"Frontend": 1, "Decode": 1, "Prefill": 3},
    )


def test_a_partition_that_is_lowered_by_hand_approves_the_step_that_it_reaches() -> None:
    stage = going("1")
    stage.lower("Decode", 2)
    assert "STEP_SKIPPED" in stage.settle().all_codes
    assert stage.partitions == {"Frontend": 1, "Decode": 2, "Prefill": 3}


def test_a_promotion_takes_several_steps_at_once() -> None:
    stage = going().order(Order(Word.PROMOTE, step="100pct"))
    stage.run()
    assert stage.pods == everywhere(NEW)


def test_a_contract_alone_is_a_revision_that_moves_nothing() -> None:
    contract: Json = {"compatibility": [{"edge": ["router", "worker"], "contract": "frontend-worker/1.5"}]}
    stage = resting().source(graph(OLD, rollout=contract)).settle()
    stage.through("100pct").run()
    assert (stage.pods, stage.state.candidate, stage.state.offered) == (everywhere(OLD), None, None)
    assert len(stage.state.stables) == 1


def test_one_component_after_another_leaves_the_first_where_it_stands() -> None:
    stage = going("1", wanted=only(NEW, "Decode")).source(only(NEW, "Decode", "Prefill")).settle()
    stage.through("1")
    assert stage.pods == {"Frontend": {OLD: 2}, "Decode": {OLD: 3, NEW: 1}, "Prefill": {OLD: 3, NEW: 1}}


def test_a_window_of_rollbacks_brings_the_one_before_back_through_one_gate() -> None:
    stage = going("1", "50pct", "100pct", policy=terms(rollback_window=1)).source(graph(OLD)).settle()
    assert stage.steps_asked[-1] == "all"
    assert stage.through("all").run().pods == everywhere(OLD)
