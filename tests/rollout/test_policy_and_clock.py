"""Soaks, clocks that jump, and policies and controls that change in mid-rollout (R10, R15, R16, R27)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitops_rollout.api.policy import Policy, Step
from gitops_rollout.api.steps import Share
from gitops_rollout.api.values import Json, at
from gitops_rollout.rollout.draft import Presence
from tests.drawn import drawn
from tests.rollout.stage import Stage, groups, rolling, steps

B = "engine:b"
SOAKED = steps(1, "50%", "100%", soak=1800)


def test_a_gate_is_asked_when_the_step_before_it_has_soaked() -> None:
    stage = rolling("1", policy=SOAKED)
    assert stage.gate is None
    assert stage.later(minutes=29, seconds=59).settle().gate is None
    assert stage.later(seconds=1).settle().gate is not None


def test_a_wait_says_when_it_ends() -> None:
    stage = rolling("1", policy=SOAKED)
    assert stage.last is not None
    assert stage.last.plan.gate_from is not None
    assert (stage.last.plan.gate_from - stage.now).total_seconds() == 1800


def test_the_last_step_soaks_before_complete() -> None:
    stage = rolling("1", policy=SOAKED).later(hours=1).settle().through("50pct")
    stage.later(hours=1).settle().through("100pct")
    assert stage.gate is None
    assert stage.later(minutes=30).settle().through("complete").state.stable == stage.revision(B)


@pytest.mark.parametrize("jump", [{"days": 1}, {"minutes": 1}])
def test_r16_a_clock_that_jumps_back_starts_the_wait_again(jump: dict[str, float]) -> None:
    stage = rolling("1", policy=SOAKED).later(**{unit: -span for unit, span in jump.items()}).settle()
    assert stage.later(minutes=29, seconds=59).settle().gate is None
    assert stage.later(seconds=1).settle().gate is not None


def test_r13_the_way_back_waits_for_no_soak() -> None:
    stage = rolling("1", policy=SOAKED).source(groups("engine:a")).settle()
    assert stage.gate is not None
    assert stage.gate.step == "complete"


def test_a_soak_that_grows_holds_the_gate_that_is_not_merged_yet() -> None:
    stage = rolling("1")
    stage.policy = SOAKED
    assert stage.settle().gate is None


@pytest.mark.parametrize("policy", [Policy(), steps("100%"), steps("50%", "100%")])
def test_r27_a_policy_that_vanishes_or_shortens_in_mid_rollout_is_frozen(policy: Policy) -> None:
    stage = rolling("1")
    stage.policy = policy
    stage.look()
    assert "POLICY_FROZEN" in stage.codes
    stage.settle().through("50pct", "100pct", "complete").settle()
    assert Policy.from_json(stage.state.accepted.policy) == policy


def test_a_policy_that_cannot_be_told_leaves_the_last_one_in_force() -> None:
    stage = rolling("1")
    stage.policy = None
    assert stage.settle().gate is not None
    assert stage.through("50pct").in_force == (2, 2, "50pct")


def test_a_spec_that_is_refused_leaves_its_rollout_going() -> None:
    stage = rolling("1")
    stage.wanted, stage.presence = None, Presence.REFUSED
    assert stage.settle().through("50pct", "100pct", "complete").image == B


def test_an_update_that_may_not_be_is_refused_and_the_rollout_goes_on() -> None:
    wanted = groups("engine:c")
    spec = wanted["spec"]
    assert isinstance(spec, dict)
    stage = rolling("1").source({**wanted, "spec": {**spec, "schedulerName": "other"}}).settle()
    assert stage.last is not None
    assert [problem.code for problem in stage.last.plan.problems] == ["IMMUTABLE"]
    assert stage.through("50pct").in_force == (2, 2, "50pct")


def test_r15_a_step_that_is_edited_is_another_question() -> None:
    stage = rolling("1")
    before = stage.gate
    stage.policy = Policy((Step("1", Share(1)), Step("50pct", Share(75, percent=True)), SOAKED.steps[2]))
    assert before is not None
    assert stage.settle().gate is not None
    assert stage.gate is not None
    assert (before.effect == stage.gate.effect, stage.partition) == (False, 3)


def test_r15_a_gate_merged_while_its_step_was_edited_is_judged_by_what_was_asked() -> None:
    stage = rolling("1").merge(look=False)
    stage.policy = Policy((Step("1", Share(1)), Step("50pct", Share(75, percent=True)), SOAKED.steps[2]))
    assert stage.settle().in_force == (2, 2, "50pct")


def test_a_step_put_in_between_is_asked() -> None:
    stage = rolling("1")
    stage.policy = steps(1, "25%", "50%", "75%", "100%")
    stage.settle().through("50pct", "75pct", "100pct")
    assert stage.in_force == (0, 0, "100pct")


@drawn(15)
@given(
    policies=st.lists(
        st.lists(st.sampled_from([10, 25, 40, 50, 75]), unique=True, max_size=4).map(sorted), max_size=5
    )
)
def test_r27_no_edit_of_a_policy_moves_anything(policies: list[list[int]]) -> None:
    stage = rolling("1", "50pct")
    for shares in policies:
        stage.policy = steps(*[f"{share}%" for share in shares], "100%")
        assert stage.settle().in_force[:2] == (2, 2)


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        (("rolloutStrategy", "rollingUpdateConfiguration", "maxUnavailable"), 1, 3),
        (("recoveryPolicy",), "RoleRecreate", "None"),
    ],
)
def test_r10_what_loosens_protection_waits_for_the_end_of_the_rollout(
    path: tuple[str, ...], before: Json, after: Json
) -> None:
    def wanted(value: Json) -> Stage:
        loose = groups(B, 4, 0, **({path[-1]: value} if len(path) > 1 else {}))
        spec = loose["spec"]
        assert isinstance(spec, dict)
        return stage.source({**loose, "spec": {**spec, **({path[0]: value} if len(path) == 1 else {})}})

    stage = rolling("1")
    wanted(after).look()
    assert "CONTROLS_HELD" in stage.codes
    assert at(stage.settle().published, "spec", *path) in (before, None)
    stage.through("50pct", "100pct", "complete")
    assert at(stage.published, "spec", *path) == after
