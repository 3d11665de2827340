"""A rollback by command holds until the source wants something else, or `resume` (DESIGN 2)."""

from collections.abc import Callable

import pytest

from gitops_rollout.api.policy import OnNewRevision
from gitops_rollout.rollout.draft import Order, Presence, Word
from tests.history.past import A, B, C, asked, back_to, policy, stable_after, to
from tests.rollout.stage import Stage, groups, rolling


def held() -> Stage:
    """B was stable, A is again, and the source still wants B."""
    stage = stable_after(A, B)
    return stage.order(back_to(stage, A)).through("1", "50pct", "100pct", "complete")


def halfway() -> Stage:
    """The way back to A has shown its first step; B is stable and what the source wants."""
    stage = stable_after(A, B)
    return stage.order(back_to(stage, A)).through("1")


def test_it_goes_by_the_steps_of_the_policy_and_then_holds() -> None:
    stage = held()
    assert (stage.image, stage.gate, stage.state.offered) == (A, None, None)
    assert stage.state.held is not None
    assert stage.state.held.revision == stage.revision(A)


@pytest.mark.parametrize("replicas", [2, 4, 6])
def test_neither_scaling_nor_time_ends_it(replicas: int) -> None:
    stage = to(held().later(days=30), B, replicas)
    assert (stage.image, stage.gate, stage.published["spec"]["replicas"]) == (A, None, replicas)  # type: ignore[index,call-overload]


@pytest.mark.parametrize("arrange", [held, halfway])
def test_a_respelling_writes_nothing(arrange: Callable[[], Stage]) -> None:
    stage = arrange()
    before, respelled = stage.line.files, groups(B)
    respelled["spec"]["template"]["roles"][0]["entryTemplate"]["spec"]["volumes"] = []  # type: ignore[index,call-overload]
    assert stage.source(respelled).settle().line.files == before


def test_it_ends_when_the_source_wants_another_revision() -> None:
    stage = held().source(groups(C))
    stage.look()
    assert "HOLD_ENDED" in stage.codes
    assert (stage.state.held, stage.state.offered) == (None, stage.revision(C))


def test_it_ends_in_peace_when_the_source_wants_what_is_held() -> None:
    stage = to(held(), A)
    assert (stage.state.held, stage.image, stage.gate) == (None, A, None)
    assert asked(to(stage, B)) == "1"


def test_resume_asks_for_the_source_again_from_the_first_step() -> None:
    stage = held().order(Order.RESUME)
    assert (stage.state.held, asked(stage), stage.image) == (None, "1", A)


def test_resume_on_the_way_goes_back_to_what_the_source_wants() -> None:
    stage = halfway().order(Order.RESUME)
    assert (stage.image, stage.partition, asked(stage)) == (B, 3, "complete")


def test_in_mid_rollout_it_is_the_way_down() -> None:
    stage = rolling("1", "50pct")
    stage.order(back_to(stage, A))
    assert (stage.image, stage.partition, stage.state.candidate) == (A, 2, stage.revision(B))
    stage.through("complete")
    assert (stage.image, stage.gate, stage.state.candidate) == (A, None, None)


def test_in_mid_rollout_an_older_revision_takes_the_candidates_place() -> None:
    stage = to(stable_after(A, B), C).through("1")
    stage.order(back_to(stage, A))
    assert (stage.image, stage.state.offered, asked(stage)) == (C, stage.revision(A), "1")
    stage.through("1", "50pct", "100pct", "complete")
    assert (stage.image, stage.gate) == (A, None)


def test_it_does_not_wait_for_a_rollout_that_others_wait_for() -> None:
    waits = policy(on_new_revision=OnNewRevision.WAIT)
    stage = to(stable_after(A, B, under=waits), C).through("1")
    assert stage.order(back_to(stage, A)).state.offered == stage.revision(A)


def test_what_is_not_recorded_is_refused_with_what_is() -> None:
    stage = held()
    why = stage.refusal(Order(Word.ROLLBACK, revision="r0123456789"))
    assert stage.revision(A) in why
    assert stage.revision(B) in why


def test_to_what_serves_alone_it_is_refused() -> None:
    stage = held()
    assert "stable" in stage.refusal(back_to(stage, A))


@pytest.mark.parametrize("stage", [rolling(), rolling("1")])
def test_without_one_there_is_nothing_to_resume(stage: Stage) -> None:
    assert stage.refusal(Order.RESUME)


def test_an_abort_ends_it_and_goes_back() -> None:
    stage = halfway().order(Order.ABORT)
    assert (stage.state.held, stage.image, stage.partition) == (None, B, 3)
    assert stage.through("complete").gate is None
    assert stage.image == B


def test_a_decline_stays_where_it_is() -> None:
    stage = halfway().order(Order.DECLINE)
    assert (stage.image, stage.partition, stage.gate) == (A, 3, None)
    assert asked(stage.order(Order.RETRY)) == "50pct"


def test_a_rejected_revision_can_be_gone_back_to() -> None:
    stage = to(stable_after(A, B), C).order(Order.ABORT)
    stage.order(back_to(stage, C))
    assert (asked(stage), stage.state.rejected) == ("1", None)


def test_to_what_the_source_wants_it_just_ends_the_hold() -> None:
    stage = held()
    stage.order(back_to(stage, B))
    assert (stage.state.held, asked(stage)) == (None, "1")


def refused(stage: Stage) -> Stage:
    """Let the source hold a spec that is refused."""
    stage.wanted, stage.presence = None, Presence.REFUSED
    return stage.settle()


def test_it_works_while_the_source_holds_a_spec_that_is_refused() -> None:
    stage = refused(stable_after(A, B))
    stage.order(back_to(stage, A)).through("1", "50pct", "100pct", "complete")
    assert (stage.image, to(stage, B).image, stage.gate) == (A, A, None)
    assert asked(to(stage, C)) == "1"


def test_in_mid_rollout_it_works_so_too() -> None:
    stage = refused(rolling("1", "50pct"))
    stage.order(back_to(stage, A))
    assert (stage.image, stage.partition, asked(stage)) == (A, 2, "complete")
    assert to(stage.through("complete"), B).gate is None


def test_of_what_left_the_source_it_is_refused() -> None:
    stage = stable_after(A, B).source(None).settle()
    assert "gone" in stage.refusal(back_to(stage, A))


def test_one_rollback_replaces_another() -> None:
    stage = stable_after(A, B, C)
    stage.order(back_to(stage, A)).order(back_to(stage, B)).through("1", "50pct", "100pct", "complete")
    assert (stage.image, stage.gate) == (B, None)


def test_the_rollback_of_a_rollback_keeps_every_number_unique() -> None:
    stage = held().order(Order.RESUME).through("1", "50pct", "100pct", "complete")
    numbers = [one.number for one in stage.head().history]  # type: ignore[union-attr]
    assert (numbers, stage.image) == ([3, 4], B)
