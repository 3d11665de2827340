"""The way up with requests: replicas first, then the header rule, then weight, each asked by itself."""

from dataclasses import replace

import pytest

from gitops_rollout.api.policy import Policy
from gitops_rollout.api.values import Object, at
from gitops_rollout.rollout.draft import Order, Word
from tests.rollout.routed import (
    ALL_GATES,
    CANARY,
    TERMS,
    RoutedStage,
    attached,
    going,
    routed_policy,
    step,
)
from tests.rollout.stage import groups, roles

A, B = "engine:a", "engine:b"


def test_the_whole_way_up_has_these_gates() -> None:
    stage = going(*ALL_GATES)
    assert (stage.image, stage.partition, stage.gate) == (B, None, None)
    assert stage.traffic == ([], [(B, 100)])


@pytest.mark.parametrize(
    ("gates", "canary", "default", "partition"),
    [
        (0, [], [(A, 100)], None),
        (1, [], [(A, 100)], 3),
        (2, [(B, 1)], [(A, 100)], 3),
        (3, [(B, 1)], [(A, 90), (B, 10)], 3),
        (4, [(B, 1)], [(A, 90), (B, 10)], 2),
        (5, [], [(A, 50), (B, 50)], 2),
        (6, [], [(A, 50), (B, 50)], 1),
        (7, [], [(B, 100)], 1),
        (8, [], [(B, 100)], 0),
        (9, [], [(B, 100)], None),
    ],
)
def test_each_gate_moves_one_thing(gates: int, canary: object, default: object, partition: object) -> None:
    stage = going(*ALL_GATES[:gates])
    assert (*stage.traffic, stage.partition) == (canary, default, partition)


def test_the_merge_of_requests_changes_nothing_but_the_approval() -> None:
    stage = going("canary")
    assert {path.rpartition("/")[2] for path in stage.question} == {"rollout.yaml"}


def test_steps_that_write_no_traffic_give_as_many_requests_as_replicas() -> None:
    stage = going("1", "1-traffic", policy=routed_policy(step(1), step("50%"), step("100%")))
    assert stage.traffic == ([], [(A, 75), (B, 25)])


def test_a_step_of_a_header_and_a_weight_asks_for_the_header_first() -> None:
    steps = (step("50%", header=True, weight=30, name="half"), step("100%", name="all"))
    stage = going("half", policy=routed_policy(*steps))
    assert stage.gate is not None
    assert (stage.gate.header, stage.gate.weight) == (True, 0)
    assert stage.through("half-traffic").gate is not None
    assert (stage.gate.header, stage.gate.weight) == (True, 30)


def test_no_more_requests_than_the_replicas_carry() -> None:
    steps = (step(1, weight=60, name="one"), step("100%", name="all"))
    assert going("one", "one-traffic", policy=routed_policy(*steps)).traffic[1] == [(A, 75), (B, 25)]


def test_a_floor_keeps_its_share_for_good() -> None:
    stage = attached(routed_policy(step("100%", name="all")))
    stage.source(groups(B, floor=2)).settle().through("all", "all-traffic")
    assert (stage.partition, stage.traffic[1], stage.gate) == (2, [(A, 50), (B, 50)], None)


def test_a_floor_that_falls_lets_replicas_follow_and_asks_for_their_requests() -> None:
    stage = attached(routed_policy(step("100%", name="all")))
    stage.source(groups(B, floor=2)).settle().through("all", "all-traffic")
    stage.source(groups(B)).settle()
    assert (stage.partition, stage.gate and stage.gate.step) == (1, "all-traffic")


def test_the_soak_of_a_step_begins_with_its_requests() -> None:
    slow = tuple(replace(one, soak=1800) for one in CANARY)
    stage = going("canary", policy=routed_policy(*slow)).later(minutes=29)
    assert stage.settle().through("canary-traffic").gate is None
    assert stage.later(minutes=29).settle().gate is None
    assert stage.later(minutes=2).settle().gate is not None


def test_a_step_that_is_declined_stays_where_it_is() -> None:
    stage = going("canary", "canary-traffic")
    stage.order(Order.DECLINE)
    assert (stage.gate, stage.traffic) == (None, ([(B, 1)], [(A, 100)]))
    stage.order(Order.RETRY)
    assert stage.gate is not None
    assert stage.gate.step == "tenth-traffic"


def test_a_promotion_takes_replicas_at_once_and_asks_for_requests() -> None:
    stage = attached().source(groups(B)).settle()
    stage.order(Order(Word.PROMOTE, step="half"))
    assert isinstance(stage, RoutedStage)
    assert (stage.partition, stage.traffic[1], stage.gate and stage.gate.step) == (
        2,
        [(A, 100)],
        "half-traffic",
    )


def test_what_was_stable_a_while_ago_comes_back_by_one_step() -> None:
    stage = going(*ALL_GATES, policy=routed_policy(rollback_window=3))
    stage.source(groups(A)).settle().through("all", "all-traffic", "drained", "complete")
    assert stage.traffic[1] == [(A, 100)]


@pytest.mark.parametrize(("partition", "told"), [(0, True), (1, False)])
def test_requests_that_an_edit_left_without_replicas_are_told(partition: int, told: bool) -> None:
    stage = going("canary", "canary-traffic", "tenth-traffic")
    stage.edit(partition).settle()
    stage.look()
    assert ("STABLE_UNSERVED" in stage.codes, stage.gate and stage.gate.step) == (told, "all-traffic")
    stage.through("all-traffic").look()
    assert ("STABLE_UNSERVED" in stage.codes, stage.traffic[1]) == (False, [(B, 100)])


def test_an_abort_gives_such_requests_replicas_before_it_takes_them_back() -> None:
    stage = going("canary", "canary-traffic", "tenth-traffic").edit(0).settle()
    stage.order(Order(Word.ABORT))
    assert isinstance(stage, RoutedStage)
    assert (stage.partition, stage.codes, stage.gate and stage.gate.step) == (2, set(), "stable-traffic")
    stage.through("stable-traffic")
    assert stage.traffic == ([], [(A, 100)])


def test_one_replica_cannot_be_split() -> None:
    stage = attached(replicas=1).source(groups(B, 1)).settle()
    assert (stage.gate, stage.codes) == (None, {"TRAFFIC_REFUSED"})
    stage.source(groups(B, 2)).settle()
    assert stage.gate is not None


def test_pods_that_ran_before_and_carry_no_label_are_not_split() -> None:
    unlabelled = routed_policy(terms=replace(TERMS, adopt=None))
    stage = RoutedStage(groups(A), unlabelled)
    stage.settle().source(groups(B)).settle()
    assert (stage.gate, stage.codes) == (None, {"TRAFFIC_REFUSED"})


def test_one_rollout_without_a_route_gives_the_pods_their_label() -> None:
    stage = RoutedStage(groups(A), Policy())
    stage.settle().source(groups(B)).settle().through("all", "complete")
    stage.policy = routed_policy(terms=replace(TERMS, adopt=None))
    assert stage.settle().through("attach").gate is None
    assert stage.is_routed


def test_r10_role_by_role_requests_follow_only_the_role_that_answers() -> None:
    both: dict[str, Object] = {"decode": {"image": A}, "prefill": {"image": A}}
    stage = RoutedStage(roles(both), routed_policy(step("100%", name="all")))
    stage.settle().through("attach")
    stage.source(roles({**both, "prefill": {"image": B}})).settle()
    assert (stage.gate, stage.codes) == (None, {"TRAFFIC_REFUSED"})


def test_replicas_that_come_with_a_merge_of_requests_wait_for_the_next_commit() -> None:
    stage = going("canary")
    stage.merge(look=False).source(groups(B, 6)).look()
    assert (stage.traffic[0], stage.published["spec"]["replicas"]) == ([(B, 1)], 4)  # type: ignore[index, call-overload]
    assert stage.settle().published["spec"]["replicas"] == 6  # type: ignore[index, call-overload]


def test_whoever_merges_at_once_does_not_hold_up_the_replicas_that_requests_make_room_for() -> None:
    stage = going(*ALL_GATES[:4])
    stage.merge(look=False).source(groups(B, 8)).look()
    assert (stage.traffic, stage.gate) == (([], [(A, 75), (B, 25)]), None)
    stage.look()
    assert (at(stage.published, "spec", "replicas"), stage.gate and stage.gate.step) == (8, "all")


def test_nor_the_replicas_that_go_when_requests_have_drained_until_their_deadline() -> None:
    stage = going(*ALL_GATES[:5]).source(groups(B, 3)).settle()
    assert (stage.traffic[1], stage.gate and stage.gate.step) == ([(A, 67), (B, 33)], "drained")
    stage.later(minutes=11).look()
    assert (stage.codes, stage.gate) == ({"DRAIN_DEADLINE", "CONTROLS_HELD"}, None)
    assert at(stage.settle().published, "spec", "replicas") == 3


def test_an_abort_gives_replicas_back_before_it_looks_at_what_else_is_wanted() -> None:
    stage = going(*ALL_GATES[:-2])
    stage.source(groups(B, 6)).look(Order(Word.ABORT))
    assert (stage.partition, stage.traffic) == (2, ([], [(B, 100)]))
