"""A third revision in mid-rollout: it takes over what the second holds, and nobody serves beside two."""

import pytest

from gitops_rollout.rollout.draft import Order
from tests.rollout.stage import Stage, groups, rolling, steps

B, C = "engine:b", "engine:c"


def after(*gates: str) -> Stage:
    """C is wanted while B serves behind these gates."""
    return rolling(*gates).source(groups(C)).settle()


def test_the_second_stays_as_it_is_until_the_third_is_approved() -> None:
    stage = after("1", "50pct")
    assert (stage.image, stage.partition, stage.state.offered) == (B, 2, stage.revision(C))
    assert stage.state.attempt == 2


@pytest.mark.parametrize(
    ("gates", "first"), [(["1"], "1"), (["1", "50pct"], "50pct"), (["1", "50pct", "100pct"], "100pct")]
)
def test_the_first_gate_covers_exactly_what_the_second_holds(gates: list[str], first: str) -> None:
    stage = after(*gates)
    partition = stage.partition
    assert stage.gate is not None
    assert stage.gate.step == first
    stage.merge(look=False)
    assert (stage.image, stage.partition) == (C, partition)


def test_after_it_come_the_steps_that_are_left() -> None:
    stage = after("1", "50pct").through("50pct", "100pct", "complete")
    assert stage.state.stable == stage.revision(C)


def test_a_gate_that_shows_less_than_its_step_moves_no_more_than_it_shows() -> None:
    stage = rolling("1", "50pct").source(groups(B, 6)).settle().source(groups(C, 6)).settle()
    assert stage.gate is not None
    assert (stage.gate.step, stage.gate.partition) == ("100pct", {"*": 2})
    assert stage.merge().in_force == (2, 2, "50pct")
    assert stage.through("100pct").partition == 0


def test_where_the_second_holds_nothing_the_third_begins_anew() -> None:
    stage = rolling("1").source(groups(B, 2)).settle().source(groups(C, 2)).settle()
    assert stage.through("50pct").in_force == (1, 1, "50pct")


def test_a_floor_over_what_the_second_holds_leaves_none_of_it_behind() -> None:
    stage = rolling("1", "50pct").source(groups(B, floor=3)).settle()
    stage.source(groups(C, floor=3)).settle().through("50pct")
    assert (stage.image, stage.partition) == (C, 2)


def test_its_controls_follow_the_source_while_the_second_waits() -> None:
    stage = after("1", "50pct").source(groups(C, 6)).settle()
    assert (stage.image, stage.in_force[:2]) == (B, (6, 2))


def test_a_return_to_the_second_asks_again_and_moves_nothing() -> None:
    stage = after("1", "50pct").source(groups(B)).settle()
    assert stage.gate is not None
    assert (stage.gate.step, stage.state.attempt, stage.partition) == ("50pct", 3, 2)
    assert stage.merge().in_force == (2, 2, "50pct")


def test_the_way_back_from_a_third_is_finished_before_anything_else() -> None:
    stage = after("1", "50pct").source(groups("engine:a")).settle().source(groups(C))
    stage.look()
    assert "WAITING_FOR_ROLLBACK" in stage.codes
    assert (stage.image, stage.partition, stage.state.offered) == ("engine:a", 2, None)
    assert stage.settle().through("complete").state.offered == stage.revision(C)


def test_an_abort_of_the_third_goes_back_to_stable_from_the_second() -> None:
    stage = after("1", "50pct").order(Order.ABORT)
    assert (stage.image, stage.partition) == ("engine:a", 2)
    assert stage.state.rejected is not None
    assert stage.state.rejected.revision == stage.revision(C)


def test_a_history_that_keeps_nothing_keeps_what_still_serves() -> None:
    stage = after("1", "50pct")
    assert stage.policy is not None
    stage.policy = type(stage.policy)(stage.policy.steps, revision_history_limit=0)
    assert stage.settle().revision(B)
    stage.through("50pct", "100pct", "complete")
    assert len(stage.state.inventory) == 2


def test_steps_of_one_replica_ask_once() -> None:
    stage = rolling("100pct", replicas=1, policy=steps(1, "50%", "100%")).source(groups(C, 1)).settle()
    assert stage.through("100pct", "complete").state.stable == stage.revision(C)
