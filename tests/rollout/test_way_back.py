"""Four ways down, and what comes after them."""

import pytest

from gitops_rollout.api.policy import Policy
from gitops_rollout.rollout.draft import Order
from tests.rollout.stage import Stage, chat, groups, rolling

A, B, C = "engine:a", "engine:b", "engine:c"


@pytest.mark.parametrize(
    ("gates", "partition"), [(["1"], 3), (["1", "50pct"], 2), (["1", "50pct", "100pct"], 0)]
)
def test_a_source_commit_equal_to_stable_is_a_way_back_at_the_lowest_threshold(
    gates: list[str], partition: int
) -> None:
    stage = rolling(*gates).source(groups(A, floor=4)).settle()
    assert (stage.image, stage.partition) == (A, partition)
    assert stage.through("complete").partition == 4


def test_a_way_back_makes_no_revision_and_ends_the_attempt() -> None:
    stage = rolling("1").source(groups(A)).settle()
    assert (stage.state.attempt, stage.state.offered, len(stage.state.inventory)) == (2, None, 3)


def test_before_its_first_gate_a_revision_just_is_not_wanted_any_more() -> None:
    stage = rolling().source(groups(A)).settle()
    assert (stage.gate, stage.state.candidate, stage.state.attempt) == (None, None, 2)


def test_back_and_forth_asks_again_from_the_first_step() -> None:
    stage = rolling("1", "50pct").source(groups(A)).settle().through("complete").source(groups(B)).settle()
    assert stage.gate is not None
    assert (stage.gate.step, stage.state.attempt) == ("1", 3)


def test_a_b_a_takes_the_first_revision_up_again_under_the_next_number() -> None:
    stage = rolling("1", "50pct", "100pct", "complete")
    first = stage.revision(A)
    stage.source(groups(A)).look()
    assert "RETURNING" in stage.codes
    head = stage.head()
    assert [(one.id, one.number) for one in head.history][-1] == (first, 3)  # type: ignore[union-attr]


@pytest.mark.parametrize("order", [Order.DECLINE, Order.ABORT])
def test_what_was_rejected_does_not_come_back_by_itself(order: Order) -> None:
    stage = rolling("1").order(order)
    for replicas in (6, 4):
        assert stage.source(groups(B, replicas)).settle().state.rejected is not None
        assert stage.gate is None or stage.gate.step == "complete"


def test_a_declined_step_stays_where_it_is() -> None:
    stage = rolling("1").order(Order.DECLINE)
    assert (stage.gate, stage.image, stage.partition) == (None, B, 3)


def test_a_retry_of_a_declined_step_asks_the_same_question() -> None:
    stage = rolling("1")
    before = stage.gate
    assert stage.order(Order.DECLINE).order(Order.RETRY).gate == before


def test_a_retry_of_an_aborted_revision_begins_anew() -> None:
    stage = rolling("1", "50pct").order(Order.ABORT).through("complete").order(Order.RETRY)
    assert stage.gate is not None
    assert (stage.gate.step, stage.state.attempt) == ("1", 3)


@pytest.mark.parametrize("order", [Order.DECLINE, Order.ABORT])
def test_another_revision_makes_the_rejection_history(order: Order) -> None:
    stage = rolling().order(order).source(groups(C)).settle()
    assert (stage.state.rejected, stage.gate and stage.gate.revision) == (None, stage.revision(C))
    assert stage.source(groups(B)).settle().gate is not None


def test_an_aborted_revision_is_known_again_although_history_keeps_nothing() -> None:
    stage = chat(policy=Policy(revision_history_limit=0)).source(groups(B)).settle()
    stage.through("all").order(Order.ABORT).through("complete").settle()
    assert (stage.state.rejected is not None, stage.gate) == (True, None)


@pytest.mark.parametrize(
    ("stage", "order"),
    [
        (chat(), Order.DECLINE),
        (chat(), Order.ABORT),
        (chat(), Order.RETRY),
        (rolling("1").order(Order.ABORT), Order.ABORT),
        (rolling("1").order(Order.DECLINE), Order.DECLINE),
        (rolling("1").source(None).settle(), Order.DECLINE),
    ],
)
def test_an_order_that_means_nothing_now_is_refused_with_the_reason(stage: Stage, order: Order) -> None:
    assert stage.refusal(order)


def test_suspended_nothing_is_asked_and_the_way_back_is_open() -> None:
    stage = rolling("1")
    assert stage.policy is not None
    stage.policy = Policy(stage.policy.steps, suspend=True)
    assert stage.settle().gate is None
    assert stage.source(groups(A)).settle().image == A


def test_a_gate_merged_as_the_policy_suspends_counts_and_the_next_is_not_asked() -> None:
    stage = rolling("1").merge(look=False)
    assert stage.policy is not None
    stage.policy = Policy(stage.policy.steps, suspend=True)
    assert stage.settle().in_force == (2, 2, "50pct")
    assert stage.gate is None
