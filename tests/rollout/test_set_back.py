"""An older record on top of a newer one: by `checkout`, or by one side of a conflict (R2, R3)."""

import pytest

from gitops_rollout.rollout.draft import Order
from tests.rollout.line import Changes
from tests.rollout.stage import FILE, OBJECT, Stage, groups, rolling

B, C = "engine:b", "engine:c"


def test_an_abort_is_not_undone_by_an_older_folder() -> None:
    stage = rolling("1", "50pct").order(Order.ABORT)
    before = stage.state
    stage.line.commit(stage.line.versions[-2])
    stage.look()
    assert "RECORD_RESTORED" in stage.codes
    assert (stage.state.rejected, stage.image, stage.state.seq > before.seq) == (
        before.rejected,
        "engine:a",
        True,
    )


@pytest.mark.parametrize("gate", [0, 1, 2])
def test_a_stale_gate_taken_whole_approves_nothing(gate: int) -> None:
    stage = rolling("1", "50pct")
    late = stage.asked[gate][1]
    stage.source(groups(C)).settle()
    stage.line.commit(late)
    stage.settle()
    assert stage.state.candidate == stage.revision(B)
    assert (stage.image, stage.state.published.step, stage.partition) == (B, None, 2)


@pytest.mark.parametrize("back", [1, 2, 3])
def test_a_number_is_never_used_twice(back: int) -> None:
    stage = rolling("1", "50pct")
    last = stage.state.seq
    stage.line.commit(stage.line.versions[-1 - back])
    assert stage.settle().state.seq > last
    assert stage.in_force == (2, 2, "50pct")


def old_gates_forced_in(stage: Stage, *gates: int) -> None:
    for gate in gates:
        stage.line.commit(stage.asked[gate][1])


def test_a_number_is_not_used_twice_when_older_records_hide_a_newer_one() -> None:
    stage = rolling("1", "50pct")
    last = stage.state.seq
    old_gates_forced_in(stage, 0, 1)
    assert stage.settle().state.seq > last


@pytest.mark.parametrize("damage", [{FILE: b"fence: 1-0"}, {FILE: None, OBJECT: None}])
def test_what_is_restored_is_the_newest_record_and_not_the_last(damage: Changes) -> None:
    stage = rolling("1", "50pct")
    last = stage.state.seq
    old_gates_forced_in(stage, 0)
    stage.line.commit(damage)
    assert stage.settle().state.seq > last
    assert stage.state.published.step == "50pct"
