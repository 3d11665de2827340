"""Recent stables come back through one gate (rollbackWindow); others wait or replace (onNewRevision)."""

from dataclasses import replace

import pytest

from gitops_rollout.api.policy import OnNewRevision, Policy, Step
from gitops_rollout.api.steps import Share
from gitops_rollout.rollout.draft import Order
from tests.history.past import A, B, C, D, asked, back_to, policy, stable_after, to
from tests.rollout.stage import Stage, groups

EVERYTHING = Share(100, percent=True)
WAITS = policy(on_new_revision=OnNewRevision.WAIT)


@pytest.mark.parametrize(
    ("window", "image", "first"), [(1, C, "all"), (1, B, "1"), (2, B, "all"), (0, C, "1")]
)
def test_one_gate_within_the_window_and_steps_beyond(window: int, image: str, first: str) -> None:
    stage = to(stable_after(A, B, C, D, under=policy(window)), image)
    assert asked(stage) == first


def test_the_one_gate_moves_everything_and_then_it_is_complete() -> None:
    stage = to(stable_after(A, B, under=policy(1)), A).through("all")
    assert (stage.image, stage.in_force) == (A, (0, 0, "all"))
    assert stage.through("complete").gate is None


def test_by_command_it_is_the_same_one_gate() -> None:
    stage = stable_after(A, B, under=policy(1))
    assert asked(stage.order(back_to(stage, A))) == "all"


@pytest.mark.parametrize("name", ["all", "last"])
def test_the_way_back_does_not_soak_whatever_the_policys_steps_are_called(name: str) -> None:
    soaked = Policy((Step("first", Share(1), 60), Step(name, EVERYTHING, 3600)), 3600, rollback_window=1)
    stage = Stage(groups(A), policy=soaked).settle()
    to(stage, B).through("first").later(hours=1).settle()
    stage.through(name).later(hours=1).settle().through("complete")
    assert asked(to(stage, A).through("all")) == "complete"


def test_a_return_that_was_undone_counts_as_recent_itself() -> None:
    stage = to(stable_after(A, B, under=policy(1)), A).through("all", "complete")
    assert asked(to(stage, B)) == "all"


def test_a_recent_stable_that_replaces_a_candidate_moves_nothing_that_was_not_shown() -> None:
    stage = to(stable_after(A, B, under=policy(1)), C).through("1")
    to(stage, A)
    assert stage.gate is not None
    shown = stage.gate.partition
    stage.merge()
    assert stage.state.partition == shown


def test_a_window_that_is_opened_in_mid_rollout_takes_no_step_away() -> None:
    stage = to(stable_after(A, B), A).through("1")
    stage.policy = policy(1)
    assert asked(stage.settle()) == "50pct"


def test_a_window_that_is_closed_in_mid_rollout_asks_no_step_twice() -> None:
    stage = to(stable_after(A, B, under=policy(1)), A).through("all")
    stage.policy = policy(0)
    assert asked(stage.settle()) == "complete"


def test_history_keeps_what_the_window_may_ask_for() -> None:
    kept = policy(2, revision_history_limit=0)
    stage = stable_after(A, B, C, D, under=kept)
    assert len(stage.state.inventory) == 4
    assert (stage.revision(B), asked(to(stage, B))) == (stage.state.stables[1], "all")


def test_another_revision_waits_for_the_end_of_the_rollout() -> None:
    stage = to(to(stable_after(A, under=WAITS), B).through("1"), C)
    assert (asked(stage), stage.state.offered) == ("50pct", stage.revision(B))
    assert "WAITING_FOR_ROLLOUT" in stage.codes
    assert asked(stage.through("50pct", "100pct", "complete")) == "1"
    assert stage.state.offered == stage.revision(C)


def test_what_serves_nothing_yet_is_replaced_at_once() -> None:
    stage = to(to(stable_after(A, under=WAITS), B), C)
    assert stage.state.offered == stage.revision(C)


def test_the_way_back_waits_for_nothing() -> None:
    stage = to(to(stable_after(A, under=WAITS), B).through("1"), A)
    assert (stage.image, asked(stage)) == (A, "complete")


def test_while_it_waits_scaling_goes_through() -> None:
    stage = to(to(stable_after(A, under=WAITS), B).through("1"), C, replicas=6)
    assert (stage.image, stage.published["spec"]["replicas"]) == (B, 6)  # type: ignore[index,call-overload]


def test_nothing_waits_for_a_rollout_that_people_declined() -> None:
    stage = to(to(stable_after(A, under=WAITS), B).through("1").order(Order.DECLINE), C)
    assert (stage.state.rejected, stage.state.offered) == (None, stage.revision(C))


def test_an_abort_lets_the_one_that_waits_come_after_the_way_back() -> None:
    stage = to(to(stable_after(A, under=WAITS), B).through("1"), C).order(Order.ABORT)
    assert (stage.image, asked(stage)) == (A, "complete")
    assert stage.through("complete").state.offered == stage.revision(C)


def test_a_policy_that_waits_no_longer_lets_the_new_one_in() -> None:
    stage = to(to(stable_after(A, under=WAITS), B).through("1"), C)
    stage.policy = replace(WAITS, on_new_revision=OnNewRevision.REPLACE)
    assert stage.settle().state.offered == stage.revision(C)
