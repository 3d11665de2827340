"""`promote --to STEP` says at once what the merge of a later gate would say (DESIGN 9)."""

import pytest

from gitops_rollout.rollout.draft import Order, Word
from tests.history.past import A, B, C, asked, policy, stable_after, to
from tests.rollout.stage import Stage, chat, rolling, steps

SOAKED = steps(1, "50%", "100%", soak=1800)


def promote(step: str, **more: object) -> Order:
    return Order(Word.PROMOTE, step=step, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("gates", "step", "partition", "next_"),
    [
        ((), "1", 3, "50pct"),
        ((), "50pct", 2, "100pct"),
        ((), "100pct", 0, "complete"),
        (("1",), "50pct", 2, "100pct"),
        (("1",), "100pct", 0, "complete"),
        (("1", "50pct"), "100pct", 0, "complete"),
    ],
)
def test_it_takes_the_gate_of_that_step_at_once(
    gates: tuple[str, ...], step: str, partition: int, next_: str
) -> None:
    stage = rolling(*gates).order(promote(step))
    assert (stage.image, stage.in_force) == (B, (partition, partition, step))
    assert asked(stage) == next_


def test_it_is_what_merging_every_gate_would_have_been() -> None:
    promoted, merged = rolling().order(promote("100pct")), rolling("1", "50pct", "100pct")
    assert promoted.published["spec"] == merged.published["spec"]
    assert promoted.state.published == merged.state.published


@pytest.mark.parametrize("step", ["complete", "half", "1", ""])
def test_a_step_that_is_not_ahead_is_refused_with_those_that_are(step: str) -> None:
    assert "50pct, 100pct" in rolling("1").refusal(promote(step))


@pytest.mark.parametrize(
    "stage", [chat(), rolling("1", "50pct", "100pct"), rolling("1").source(None).settle()]
)
def test_without_a_step_to_take_it_is_refused(stage: Stage) -> None:
    assert "nothing to promote" in stage.refusal(promote("100pct"))


@pytest.mark.parametrize("order", [Order.DECLINE, Order.ABORT])
def test_what_was_rejected_is_not_promoted(order: Order) -> None:
    assert rolling("1").order(order).refusal(promote("100pct"))


def test_a_soak_that_is_on_refuses_it_and_names_the_way() -> None:
    stage = rolling("1", policy=SOAKED)
    assert "2026-05-01T12:30:00Z" in stage.refusal(promote("50pct"))
    assert "reason" in stage.refusal(promote("50pct", skip_soak=True))
    assert stage.later(minutes=30).refusal(promote("50pct")) == ""


def test_a_soak_is_passed_over_with_a_reason_that_is_told() -> None:
    stage = rolling("1", policy=SOAKED)
    plan, _ = stage.decided(promote("50pct", skip_soak=True, reason="incident 12"))
    assert any("incident 12" in note.message for note in plan.notes)
    assert stage.order(promote("50pct", skip_soak=True, reason="incident 12")).partition == 2


def test_after_it_the_next_gate_soaks_anew() -> None:
    stage = rolling("1", policy=SOAKED).later(minutes=30).order(promote("50pct"))
    assert stage.gate is None
    assert asked(stage.later(minutes=30).settle()) == "100pct"


def test_a_candidate_that_is_replaced_hands_over_what_it_holds_and_the_rest() -> None:
    stage = to(rolling("1"), C).order(promote("50pct"))
    assert (stage.image, stage.in_force) == (C, (2, 2, "50pct"))


def test_its_gates_of_before_approve_nothing_more() -> None:
    stage = rolling()
    late = stage.question
    stage.order(promote("50pct"))
    stage.line.commit({path: raw for path, raw in late.items() if path.endswith("rollout.yaml")})
    stage.look()
    assert stage.state.published.step == "50pct"


def test_back_through_the_window_there_is_one_step() -> None:
    stage = to(stable_after(A, B, under=policy(1)), A)
    assert "ahead are all" in stage.refusal(promote("100pct"))
    assert stage.order(promote("all")).partition == 0
