"""Routers alone on the way back, under scaling, pauses and other policies (DESIGN 5, R3, R8, R13, R24)."""

import pytest

from gitops_rollout.api.amounts import Amount
from gitops_rollout.api.graph_terms import Capacity, Strategy
from gitops_rollout.api.policy import Policy, Proof
from gitops_rollout.api.values import Json, Object, at
from gitops_rollout.rollout.draft import Order
from tests.rollout.graphs import SIZES, GraphStage
from tests.rollout.observed import ObservedStage
from tests.rollout.router_only import (
    ALL_WORKERS,
    FULL,
    NEW,
    NEWER,
    OLD,
    OTHERS,
    UP,
    attached,
    going,
    graph,
    of,
    policy,
    promoted,
    running,
)

DOWN = {"stable-traffic", "drained", "complete"}


def back(stage: GraphStage) -> GraphStage:
    """Merge every gate of a way back."""
    while stage.gate is not None:
        assert stage.gate.step in DOWN
        stage.merge()
    return stage


@pytest.mark.parametrize("gates", range(1, len(UP)))
def test_a_rollback_from_every_gate_touches_no_worker(gates: int) -> None:
    stage = going(*UP[:gates])
    since = len(stage.line.versions)
    back(stage.source(graph(OLD)).settle())
    assert stage.sizes == {OLD: SIZES}
    for files in stage.line.versions[since:]:
        assert all(running(files)[name] == SIZES[name] for name in ALL_WORKERS)


@pytest.mark.parametrize("gates", range(1, len(UP)))
def test_a_rollback_to_routers_alone_ends_as_it_began(gates: int) -> None:
    stage = promoted().source(graph(NEWER)).settle().through(*UP[:gates])
    back(stage.source(graph(NEW)).settle())
    assert stage.sizes == {OLD: FULL, NEW: {"Frontend": 2}}


@pytest.mark.parametrize("gates", range(1, len(UP)))
def test_whoever_turns_round_on_the_way_to_the_first_routers_keeps_the_second(gates: int) -> None:
    stage = promoted().source(graph(OLD)).settle().through(*UP[:gates])
    back(stage.source(graph(NEW)).settle())
    assert stage.sizes == {OLD: FULL, NEW: {"Frontend": 2}}


@pytest.mark.parametrize("gates", [2, 4, 5, 7, 8, 9])
def test_a_whole_revision_that_is_given_up_gives_workers_and_routers_back(gates: int) -> None:
    stage = promoted().source(graph(NEWER, OTHERS)).settle()
    for _ in range(gates):
        stage.merge()
    back(stage.source(graph(NEW)).settle())
    assert stage.sizes == {OLD: FULL, NEW: {"Frontend": 2}}


def test_an_abort_goes_the_same_way() -> None:
    stage = back(going("canary", "canary-traffic").order(Order.ABORT)).settle()
    assert (stage.sizes, stage.gate) == ({OLD: SIZES}, None)


def test_the_third_revision_waits_until_the_routers_have_left() -> None:
    stage = going("canary", "canary-traffic").source(graph(NEWER)).settle()
    assert "DRAINS_FIRST" in stage.all_codes
    stage.through("drained", "complete").settle()
    assert stage.gate is not None
    assert stage.through("canary").sizes == {OLD: SIZES, NEWER: {"Frontend": 1}}


def test_a_reverted_gate_takes_back_requests_and_then_routers() -> None:
    stage = going("canary", "canary-traffic", "half-traffic").revert("canary").settle()
    stage.later(minutes=11).settle()
    assert stage.traffic == ([], [(OLD, 100)])
    assert stage.sizes == {OLD: SIZES, NEW: {"Frontend": 0}}


# Scaling, pauses, surge


def test_workers_follow_the_source_while_routers_change() -> None:
    stage = going("canary", "canary-traffic")
    bigger = {"Frontend": 4, "Decode": 6, "Prefill": 2}
    stage.source(graph(NEW, sizes=bigger)).settle()
    assert stage.sizes == {OLD: bigger, NEW: {"Frontend": 1}}


def test_workers_of_another_graph_follow_the_source() -> None:
    stage = promoted().source(graph(NEW, sizes={"Frontend": 3, "Decode": 6, "Prefill": 2})).settle()
    assert stage.sizes == {OLD: {"Frontend": 0, "Decode": 6, "Prefill": 2}, NEW: {"Frontend": 3}}


def test_workers_follow_the_source_while_second_routers_leave() -> None:
    stage = promoted().source(graph(NEWER)).settle().through(*UP[:7])
    stage.source(graph(NEWER, sizes={"Frontend": 4, "Decode": 6, "Prefill": 4})).settle()
    assert stage.sizes[OLD] == {"Frontend": 0, "Decode": 6, "Prefill": 4}
    assert stage.sizes[NEW] == {"Frontend": 0}


def test_a_step_keeps_its_meaning_for_routers() -> None:
    stage = going(*UP[:4]).source(graph(NEW, sizes={**SIZES, "Frontend": 4})).settle()
    assert stage.sizes == {OLD: {**SIZES, "Frontend": 2}, NEW: {"Frontend": 2}}


def test_a_paused_worker_holds_no_router() -> None:
    paused: Object = {"components": [{"name": "Decode", "paused": True}]}
    assert going("canary").source(graph(NEW, rollout=paused)).settle().gate is not None


def test_a_paused_router_holds_the_rollout() -> None:
    paused: Object = {"components": [{"name": "Frontend", "paused": True}]}
    assert going("canary").source(graph(NEW, rollout=paused)).settle().gate is None


def test_surge_is_of_routers_alone() -> None:
    tight = policy(capacity=Capacity(Amount(1), Amount(0)))
    stage = going(terms=tight)
    while stage.gate is not None:
        assert all(running(stage.line.files)[name] == SIZES[name] for name in ALL_WORKERS)
        assert running(stage.line.files)["Frontend"] <= SIZES["Frontend"] + 1
        stage.merge()
    assert stage.sizes == {OLD: FULL, NEW: {"Frontend": 2}}


def test_a_partition_of_a_router_is_never_passed() -> None:
    kept: Object = {"components": [{"name": "Frontend", "partition": 1}]}
    stage = attached().source(graph(NEW, rollout=kept)).settle()
    while stage.gate is not None:
        assert int(str(stage.sizes[OLD]["Frontend"])) >= 1
        stage.merge()
    assert stage.state.stable == stage.revision_of(OLD)


def test_an_order_to_restart_names_only_routers_in_their_graph() -> None:
    everything: list[Json] = ["Prefill", "Decode", "Frontend"]
    order: Object = {"id": "one", "strategy": {"type": "Sequential", "order": everything}}
    stage = promoted().source(graph(NEW, restart=order)).settle()
    assert at(of(stage, NEW), "spec", "restart", "strategy", "order") == ["Frontend"]
    assert at(of(stage, OLD), "spec", "restart", "strategy", "order") == everything


# Another policy


def test_the_strategy_stays_while_routers_use_workers_of_another_graph() -> None:
    stage = promoted()
    stage.policy = Policy()
    stage.settle()
    assert "POLICY_FROZEN" in stage.codes
    assert stage.state.strategy is Strategy.NEW_GRAPH
    assert stage.sizes == {OLD: FULL, NEW: {"Frontend": 2}}


def test_the_strategy_may_change_when_a_whole_revision_is_stable() -> None:
    stage = promoted()
    stage.policy = Policy()
    stage.source(graph(NEWER, OTHERS)).settle()
    while stage.gate is not None and stage.gate.step != "detach":
        stage.merge()
    assert (stage.state.strategy, stage.sizes) == (None, {NEWER: SIZES})


# People on the output branch


def test_more_routers_by_hand_count_as_the_step_that_allows_them() -> None:
    stage = going("canary", "canary-traffic").by_hand(NEW, {"Frontend": 2})
    assert (stage.state.published.step, stage.sizes[NEW]) == ("all", {"Frontend": 2})


def test_routers_that_come_back_count_by_hand_and_workers_do_not() -> None:
    stage = promoted().source(graph(OLD)).settle().through("canary")
    stage.by_hand(OLD, {"Frontend": 2, "Decode": 1, "Prefill": 4})
    assert (stage.state.published.step, stage.sizes[OLD]) == ("canary", {**SIZES, "Frontend": 1})
    stage.by_hand(OLD, SIZES)
    assert (stage.state.published.step, stage.sizes[OLD]) == ("all", SIZES)


def test_another_place_by_hand_is_put_back() -> None:
    stage = going("canary").by_hand(NEW, {"Frontend": 2}, "router:9.0.0")
    assert stage.sizes == {OLD: SIZES, NEW: {"Frontend": 1}}


# Cluster proof


class Observed(ObservedStage):
    """Everything is observed; a revision is gone when its routers are, for workers serve both."""

    @property
    def standing(self) -> list[str]:
        graphs = self.state.graphs if self.line.head is not None else ()
        return [one.revision for one in graphs if one.replicas is None or one.replicas.get("Frontend")]


def observed(*gates: str) -> Observed:
    stage = Observed(graph(OLD), policy(proof=Proof.CLUSTER)).settle().through("attach")
    stage.source(graph(NEW)).settle()
    for name in gates:
        stage.through(name).run()
    return stage


def test_what_is_observed_follows_by_itself_and_people_are_asked_for_steps() -> None:
    stage = observed("canary", "half-traffic", "all")
    assert stage.steps_asked == ["attach", "canary", "half-traffic", "all"]
    assert (stage.sizes, stage.gate) == ({OLD: FULL, NEW: {"Frontend": 2}}, None)


def test_a_way_back_that_is_observed_ends_by_itself() -> None:
    stage = observed("canary").source(graph(OLD)).run()
    assert (stage.sizes, stage.gate) == ({OLD: SIZES}, None)


def test_routers_that_are_given_up_before_a_pass_saw_their_gate_leave_stable_to_be_scaled() -> None:
    stage = going().merge(look=False)
    stage.look(Order.ABORT)
    stage.source(graph(OLD, sizes=SIZES | {"Frontend": 1})).settle()
    assert back(stage).sizes == {OLD: SIZES | {"Frontend": 1}}
