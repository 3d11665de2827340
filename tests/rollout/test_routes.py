"""Attach and detach: the route itself moves by gates of its own, and never leaves a gap (R14, R27)."""

from dataclasses import replace

import pytest

from gitops_rollout.api.policy import Policy
from gitops_rollout.api.values import at
from gitops_rollout.rollout.draft import Order
from tests.rollout.routed import CANARY, TERMS, RoutedStage, attached, going, routed_policy
from tests.rollout.stage import groups

A, B = "engine:a", "engine:b"
REPLACES = replace(TERMS, name="chat-rollout", replaces="chat")
UNROUTED = Policy(tuple(replace(one, traffic=None) for one in CANARY))


def protected(stage: RoutedStage) -> bool:
    return at(stage.route, "metadata", "annotations", "kustomize.toolkit.fluxcd.io/prune") == "disabled"


def stage_of(stage: RoutedStage) -> str | None:
    return stage.state.routed.stage if stage.state.routed else None


def test_the_pool_is_there_before_the_route_is_asked_about() -> None:
    stage = RoutedStage(groups(A), routed_policy()).settle()
    assert isinstance(stage, RoutedStage)
    assert (stage.gate and stage.gate.step, stage.is_routed, len(stage.pools())) == ("attach", False, 1)


def test_attach_sends_everything_to_stable_and_is_protected() -> None:
    stage = attached()
    assert (stage.traffic, protected(stage), stage.gate) == (([], [(A, 100)]), True, None)


def test_a_route_of_the_source_stands_beside_until_people_let_it_go() -> None:
    stage = RoutedStage(groups(A), routed_policy(terms=REPLACES))
    stage.settle().through("attach")
    assert (stage_of(stage), stage.gate and stage.gate.step) == ("beside", "attach-traffic")
    assert stage_of(stage.through("attach-traffic")) == "alone"


def test_attach_comes_before_any_step() -> None:
    stage = RoutedStage(groups(A), routed_policy()).settle().source(groups(B)).settle()
    assert stage.gate is not None
    assert stage.gate.step == "attach"
    assert stage.through("attach").gate is not None
    assert stage.gate.step == "canary"


def test_other_terms_are_asked_about_and_change_nothing_until_then() -> None:
    stage = attached()
    before = stage.route
    stage.policy = routed_policy(terms=replace(TERMS, hostnames=("chat.example",)))
    stage.settle()
    assert (stage.route, stage.gate and stage.gate.step) == (before, "attach")
    stage.merge()
    assert at(stage.route, "spec", "hostnames") == ["chat.example"]


def test_another_port_is_another_pool_beside_the_old_one() -> None:
    stage = attached()
    stage.policy = routed_policy(terms=replace(TERMS, port=9000))
    stage.settle()
    assert [pool.port for pool in stage.pools()] == [8000, 9000]
    assert len({pool.name for pool in stage.pools()}) == 2
    stage.through("attach")
    assert [(ref, stage.traffic[1][0]) for ref in (9000,)] == [(9000, (A, 100))]
    assert stage.state.routed is not None
    assert ([p.port for p in stage.state.routed.pools], [p.port for p in stage.state.routed.retiring]) == (
        [9000],
        [8000],
    )


def test_how_the_first_pods_were_told_is_nobody_s_question_later() -> None:
    stage = going(*("canary", "canary-traffic", "tenth-traffic", "half", "half-traffic"))
    stage.through("all", "all-traffic", "drained", "complete")
    stage.policy = routed_policy(terms=replace(TERMS, adopt=None))
    assert stage.settle().gate is None


def test_detach_takes_the_protection_first_and_the_route_after_a_second_word() -> None:
    stage = attached()
    stage.policy = UNROUTED
    stage.settle().through("detach")
    assert (protected(stage), stage.is_routed) == (False, True)
    stage.through("unprotected")
    assert (stage.is_routed, len(stage.pools())) == (False, 1)


def test_pools_without_a_route_go_after_the_next_merge() -> None:
    stage = attached()
    stage.policy = UNROUTED
    stage.settle().through("detach", "unprotected")
    stage.source(groups(B)).settle().through("tenth")
    assert (stage.pools(), stage.files) == ([], set())


def test_a_policy_that_comes_back_while_the_route_leaves_is_asked_about() -> None:
    stage = attached()
    stage.policy = UNROUTED
    stage.settle().through("detach")
    stage.policy = routed_policy()
    stage.settle().through("attach")
    assert (protected(stage), stage.gate) == (True, None)


@pytest.mark.parametrize("policy", [UNROUTED, routed_policy(terms=replace(TERMS, hostnames=("other",)))])
def test_r27_in_mid_rollout_a_route_stays_as_it_was(policy: Policy) -> None:
    stage = going("canary", "canary-traffic")
    before = stage.route
    stage.policy = policy
    stage.settle()
    assert (stage.route, "POLICY_FROZEN" in stage.codes) == (before, True)
    assert stage.gate is not None
    assert stage.gate.step == "tenth-traffic"


def test_r27_a_policy_that_cannot_be_told_keeps_the_route() -> None:
    stage = attached()
    stage.policy = None
    assert (stage.settle().gate, stage.is_routed) == (None, True)


def test_a_gate_about_the_route_is_not_declined() -> None:
    stage = RoutedStage(groups(A), routed_policy()).settle()
    assert "route" in stage.refusal(Order.DECLINE)


def test_what_is_suspended_asks_nothing_about_its_route() -> None:
    assert RoutedStage(groups(A), routed_policy(suspend=True)).settle().gate is None


def test_a_route_that_is_in_somebody_s_way_moves_nothing() -> None:
    stage = RoutedStage(groups(A), routed_policy())
    stage.obstructed = True
    assert (stage.settle().gate, stage.files) == (None, set())


def test_with_the_workload_its_route_loses_its_protection() -> None:
    stage = attached()
    stage.source(None).settle().through("delete")
    assert not protected(stage)
