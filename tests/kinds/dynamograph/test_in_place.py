"""A graph that holds both revisions: what of spec.rollout is written, and what may not be asked of it."""

from dataclasses import replace

import pytest

from gitops_rollout.api.gateway import Backend, Gateway
from gitops_rollout.api.graph_terms import Strategy
from gitops_rollout.api.policy import ALL, Policy, Proof, ReplicasFrom, Step
from gitops_rollout.api.problems import Problem
from gitops_rollout.api.router_terms import RouterMode, RouterTerms
from gitops_rollout.api.steps import Share
from gitops_rollout.api.values import Json, Object, at
from gitops_rollout.api.verdict import Verdict
from gitops_rollout.api.workload import Thresholds, WorkloadKey
from gitops_rollout.kinds.dynamograph.kind import DYNAMO_GRAPH
from gitops_rollout.kinds.protocol import Injection
from gitops_rollout.revision.history import ROLE_LABEL
from gitops_rollout.revision.record import UNTOUCHED, Revision
from gitops_rollout.traffic.pools import overlap, pool_of
from tests.kinds.dynamograph.manifests import accepted, alpha, component, frontend, graph, service
from tests.kinds.manifests import pod

IN_PLACE = DYNAMO_GRAPH.under(Strategy.IN_PLACE)
PLAIN = Policy(strategy=Strategy.IN_PLACE, proof=Proof.CLUSTER)
STEPS = replace(PLAIN, steps=(Step("one", Share(1)), ALL))


def written(value: Object, partition: Thresholds | None = None, labels: Injection = UNTOUCHED) -> Object:
    spec = accepted(value)
    return IN_PLACE.render(spec.text, spec.controls, labels, partition)


def both(rollout: Json = None) -> list[Object]:
    """Give one graph in both versions."""
    block: Object = {"rollout": rollout} if rollout else {}
    beta = graph(frontend(replicas=2), component(replicas=4), **block)
    services: Object = {"router": service("frontend", replicas=2), "decode": service(replicas=4)}
    return [beta, alpha(services, **block)]


ENTRIES: Json = [{"name": "decode", "partition": 3}, {"name": "router", "paused": True}]


@pytest.mark.parametrize("value", both({"components": ENTRIES}))
def test_the_rollout_of_the_source_is_written_in_either_version(value: Object) -> None:
    assert at(written(value), "spec", "rollout") == {"components": ENTRIES}


@pytest.mark.parametrize("value", both({"components": ENTRIES}))
def test_the_partition_in_force_stands_beside_the_pause_of_the_source(value: Object) -> None:
    assert at(written(value, {"decode": 2}), "spec", "rollout", "components") == [
        {"name": "decode", "partition": 2},
        {"name": "router", "paused": True},
    ]


@pytest.mark.parametrize("value", both())
def test_without_anything_to_say_a_graph_is_written_like_every_other(value: Object) -> None:
    spec = accepted(value)
    assert written(value) == DYNAMO_GRAPH.render(spec.text, spec.controls, UNTOUCHED, None)


@pytest.mark.parametrize("value", both())
@pytest.mark.parametrize(("partition", "shown"), [(0, 0), (4, 4), (9, 4)])
def test_a_partition_is_never_above_the_replicas(value: Object, partition: int, shown: int) -> None:
    assert at(written(value, {"decode": partition}), "spec", "rollout", "components") == [
        {"name": "decode", "partition": shown}
    ]


@pytest.mark.parametrize("value", both())
def test_what_is_written_is_read_again(value: Object) -> None:
    controls = accepted(value).controls
    assert IN_PLACE.read_partition(written(value, {"decode": 2}), controls) == {"decode": 2, "router": 0}


def test_a_partition_that_no_api_server_takes_protects_everything() -> None:
    value = graph(component(replicas=4))
    shown: Object = {**value, "spec": {"rollout": {"components": [{"name": "decode", "partition": "half"}]}}}
    assert IN_PLACE.read_partition(shown, accepted(value).controls) == {"decode": 4}


def test_other_strategies_write_nothing_of_it() -> None:
    spec = accepted(both({"components": ENTRIES})[0])
    for strategy in (None, Strategy.WHOLE, Strategy.NEW_GRAPH):
        rendered = DYNAMO_GRAPH.under(strategy).render(spec.text, spec.controls, UNTOUCHED, {"decode": 2})
        assert "rollout" not in rendered["spec"]  # type: ignore[operator]


def test_a_worker_that_changes_draws_no_other_along() -> None:
    old = accepted(graph(frontend(), component("prefill", "prefill"), component()))
    new = accepted(graph(frontend(), component("prefill", "prefill"), component(podTemplate=pod("engine:9"))))
    found = {one.name: one.verdict for one in IN_PLACE.impact(old, new).components}
    assert found == {"decode": Verdict.RESTART, "prefill": Verdict.NO_CHANGE, "router": Verdict.NO_CHANGE}


def found(policy: Policy, value: Object) -> list[Problem]:
    return [*DYNAMO_GRAPH.strategy_faults(accepted(value), policy)]


ROUTE = Gateway(parents=(), rules=(), component="router", name="chat")


@pytest.mark.parametrize(
    ("gateway", "path"), [(ROUTE, "gateway"), (replace(ROUTE, replaces="chat"), "route")]
)
def test_requests_in_place_need_routers_that_are_told(gateway: Gateway, path: str) -> None:
    (problem,) = found(replace(PLAIN, gateway=gateway), graph())
    assert (problem.path, problem.code) == (path, "POLICY_INVALID")
    assert "write routerPolicy: {mode: ManagementAPI" in problem.message


def test_a_route_is_shared_out_where_routers_are_told() -> None:
    told = RouterTerms(RouterMode.MANAGEMENT_API, 9090, token="chat")
    assert found(replace(STEPS, gateway=ROUTE, router_policy=told), graph()) == []


def test_what_is_kept_back_in_place_has_an_effect() -> None:
    kept = Problem(code="NO_EFFECT", path="spec.rollout.components[0].paused", message="")
    other = Problem(code="NO_EFFECT", path="spec.replicas", message="")
    assert [IN_PLACE.heeds(one) for one in (kept, other)] == [False, True]
    assert DYNAMO_GRAPH.under(Strategy.WHOLE).heeds(kept)


def test_pools_of_both_revisions_tell_their_pods_by_the_label_of_the_component() -> None:
    text = accepted(both()[0]).text
    terms = replace(ROUTE, backend=Backend.SERVICE)
    pools = [
        pool_of(IN_PLACE, CHAT, Revision(one, one, 1, text, labelled(one), "c0ffee"), terms)
        for one in ("r1", "r2")
    ]
    assert [pool.selector[ROLE_LABEL] for pool in pools] == ["r1", "r2"]
    assert not overlap(pools[0], pools[1], IN_PLACE.endpoint(text, "chat", "router"))


CHAT = WorkloadKey("serving", "DynamoGraphDeployment", "chat")


def labelled(value: str) -> Injection:
    return Injection({"router": {ROLE_LABEL: value}})


SCALED = [
    graph(frontend(), component(scalingAdapter={})),
    graph(frontend(), component("planner", "planner"), component()),
    alpha({"router": service("frontend"), "decode": service(scalingAdapter={"enabled": True})}),
]


@pytest.mark.parametrize("value", SCALED)
def test_r8_what_the_cluster_scales_is_not_split_by_a_count(value: Object) -> None:
    (problem,) = found(STEPS, value)
    assert (problem.path, problem.code) == ("steps", "POLICY_INVALID")
    assert found(PLAIN, value) == []


def test_r8_nor_are_replicas_that_the_source_does_not_say() -> None:
    (problem,) = found(replace(PLAIN, replicas_from=ReplicasFrom.CLUSTER), graph())
    assert (problem.path, problem.code) == ("replicasFrom", "NOT_YET")
