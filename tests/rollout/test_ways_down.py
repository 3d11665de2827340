"""The way down with requests: they leave first, without a gate; pods follow a word or the clock (R13)."""

import pytest

from gitops_rollout.rollout.draft import Order, Word
from tests.rollout.routed import ALL_GATES, RoutedStage, going, routed_policy, step
from tests.rollout.stage import groups

A, B, C = "engine:a", "engine:b", "engine:c"
HALF = ALL_GATES[:5]
EVERYTHING = ALL_GATES[:8]


def back(stage: RoutedStage) -> RoutedStage:
    stage.source(groups(A)).settle()
    return stage


def test_requests_leave_in_the_pass_that_sees_the_way_back_and_pods_stay() -> None:
    stage = back(going(*HALF))
    assert (stage.traffic, stage.image, stage.partition) == (([], [(A, 100)]), B, 2)


@pytest.mark.parametrize("word", ["merge", "clock"])
def test_pods_go_when_somebody_says_so_or_the_time_is_up(word: str) -> None:
    stage = back(going(*HALF))
    if word == "merge":
        stage.through("drained")
    else:
        stage.later(minutes=11).settle()
    assert (stage.image, stage.partition, stage.gate and stage.gate.step) == (A, 2, "complete")


def test_before_the_deadline_pods_stay_and_after_it_that_is_said_aloud() -> None:
    stage = back(going(*HALF))
    assert stage.later(minutes=9).settle().image == B
    stage.later(minutes=2).look()
    assert (stage.image, stage.codes) == (A, {"DRAIN_DEADLINE"})


def test_an_abort_takes_the_header_rule_away_too() -> None:
    stage = going("canary", "canary-traffic")
    stage.order(Order.ABORT)
    assert stage.traffic == ([], [(A, 100)])


def test_without_requests_pods_go_at_once() -> None:
    stage = back(going("canary"))
    assert (stage.image, stage.gate and stage.gate.step) == (A, "complete")


def test_a_clock_that_goes_back_ends_no_wait() -> None:
    stage = back(going(*HALF))
    assert stage.later(minutes=-60).settle().later(minutes=55).settle().image == A
    assert back(going(*HALF)).later(minutes=-60).settle().later(minutes=5).settle().image == B


def test_stable_that_has_nothing_gets_half_of_the_pods_before_its_requests() -> None:
    stage = back(going(*EVERYTHING))
    assert (stage.image, stage.partition, stage.traffic[1]) == (A, 2, [(B, 100)])
    stage.through("stable-traffic")
    assert (stage.image, stage.partition, stage.traffic[1]) == (A, 2, [(A, 100)])
    stage.through("drained")
    assert (stage.image, stage.partition) == (A, 0)
    assert stage.through("complete").partition is None


def test_nobody_who_answers_is_no_reason_to_stay() -> None:
    stage = back(going(*EVERYTHING)).later(minutes=11).settle()
    assert isinstance(stage, RoutedStage)
    assert stage.traffic[1] == [(A, 100)]
    assert (stage.later(minutes=11).settle().partition, stage.partition) == (0, 0)


def test_the_pool_of_what_was_left_goes_after_the_next_merge() -> None:
    stage = back(going(*HALF)).through("drained", "complete")
    assert isinstance(stage, RoutedStage)
    assert [stage.image_of(one.revision) for one in stage.pools()] == [A, B]
    stage.source(groups(C)).settle().through("canary")
    assert [stage.image_of(one.revision) for one in stage.pools()] == [A, C]


def test_a_promotion_by_command_says_nothing_of_what_is_applied() -> None:
    stage = back(going(*HALF)).through("drained", "complete")
    stage.source(groups(C)).settle().order(Order(Word.PROMOTE, step="half"))
    assert isinstance(stage, RoutedStage)
    assert [stage.image_of(one.revision) for one in stage.pools()] == [A, C, B]


def test_a_third_revision_waits_until_the_second_is_drained() -> None:
    stage = going(*HALF)
    stage.source(groups(C)).settle()
    assert (stage.traffic[1], stage.image, stage.gate and stage.gate.step) == ([(A, 100)], B, "drained")
    stage.through("drained", "half")
    assert (stage.image, stage.partition, stage.traffic[1]) == (C, 2, [(A, 100)])


def test_a_third_revision_waits_for_the_end_where_stable_could_not_answer() -> None:
    stage = going(*EVERYTHING)
    stage.source(groups(C)).settle()
    assert (stage.codes, stage.traffic[1], stage.gate and stage.gate.step) == (
        {"WAITING_FOR_ROLLOUT"},
        [(B, 100)],
        "complete",
    )
    assert stage.through("complete").gate is not None


def test_a_revert_of_a_merge_takes_back_what_it_gave() -> None:
    stage = going(*HALF[:4])
    before = dict(stage.line.files)
    stage.merge().settle()
    stage.line.commit({path: before[path] for path in stage.question if path.endswith("rollout.yaml")})
    assert stage.traffic[1] == [(A, 50), (B, 50)]


def test_scaling_down_takes_requests_before_replicas() -> None:
    stage = going(*HALF)
    stage.source(groups(B, 2)).settle()
    assert (stage.traffic[1], stage.published["spec"]["replicas"]) == ([(A, 100)], 4)  # type: ignore[index, call-overload]
    stage.through("drained")
    assert stage.published["spec"]["replicas"] == 2  # type: ignore[index, call-overload]


def test_scaling_up_lowers_a_share_to_what_its_replicas_carry() -> None:
    stage = going(*HALF)
    stage.source(groups(B, 8)).settle()
    assert (stage.traffic[1], stage.partition) == ([(A, 75), (B, 25)], 8)


def test_scaling_up_when_everything_is_on_the_candidate_lowers_nothing() -> None:
    stage = going(*EVERYTHING)
    stage.source(groups(B, 8)).settle()
    assert stage.traffic[1] == [(B, 100)]


def test_deadlines_are_the_policy_s() -> None:
    quick = routed_policy(step("50%"), step("100%"))
    stage = back(going("50pct", "50pct-traffic", policy=quick))
    assert stage.last is not None
    assert stage.last.plan.look_again is not None
    assert (stage.last.plan.look_again - stage.now).total_seconds() == 600


def test_a_merge_that_no_pass_had_read_gives_no_request_to_what_is_given_up() -> None:
    stage = going(*ALL_GATES[:6]).merge(look=False)
    stage.source(groups(A)).look()
    assert stage.traffic == ([], [(A, 50), (B, 50)])


def test_what_a_merge_has_only_just_given_is_not_counted_on_when_stable_gets_pods_back() -> None:
    stage = going(*HALF).merge(look=False)
    stage.source(groups(A)).look()
    assert (stage.image, stage.partition, stage.traffic) == (A, 3, ([], [(A, 50), (B, 50)]))
