"""What an accepted graph may not change into."""

import pytest

from gitops_rollout.api.values import Json, Object
from gitops_rollout.api.verdict import Verdict
from gitops_rollout.kinds.dynamograph.kind import DYNAMO_GRAPH
from tests.kinds.dynamograph.manifests import (
    accepted,
    alpha,
    annotated,
    component,
    frontend,
    gpu_pod,
    graph,
    service,
    update,
)

HEAD = "spec.components[0]"
NODES: Object = {"nodeCount": 2}
TWO = f"{HEAD}.experimental"


def refused(old: Object, new: Object) -> list[tuple[str, str]]:
    """Give path and code of every refusal of an update, and see that the verdict is REJECT."""
    before = accepted(old)
    problems = DYNAMO_GRAPH.check_update(before.text, before.controls, accepted(new))
    assert (update(old, new).verdict is Verdict.REJECT) is bool(problems)
    return [(problem.path, problem.code) for problem in problems]


def capped(watts: str | None = "350", gpus: int = 1, **fields: Json) -> Object:
    """Give a worker with a power limit."""
    named: Object = {} if watts is None else {"dynamo.nvidia.com/gpu-power-limit": watts}
    template: Object = {**gpu_pod(gpus), "metadata": {"annotations": named}}
    return graph({**component(podTemplate=template), **fields})


def policy(**fields: Json) -> Object:
    return graph(experimental={"kvTransferPolicy": {"domain": "rack", "labelKey": "rack", **fields}})


def over(mode: str) -> Object:
    """Give a worker that fails over, within its pod or to another one."""
    features: Object = {"gpuMemoryService": {"mode": mode}, "failover": {"mode": mode}}
    value = graph(component(podTemplate=gpu_pod(1), experimental=features), backendFramework="vllm")
    return annotated(value, dynamo_kube_discovery_mode="container")


ADAPTED = component(scalingAdapter={}, replicas=2)
TOPOLOGY: Object = {"clusterTopologyName": "t", "packDomain": "rack"}
LIMIT = f"{HEAD}.podTemplate.metadata.annotations[dynamo.nvidia.com/gpu-power-limit]"
PROVIDER = "metadata.annotations[nvidia.com/workload-provider]"

REFUSALS: list[tuple[Object, Object, str, str]] = [
    (graph(), graph(component()), "spec.components", "COMPONENT_SET"),
    (graph(), graph(frontend(), component("Decode")), "spec.components", "COMPONENT_SET"),
    (alpha(), alpha({"decode": service(), "b": service()}), "spec.services", "COMPONENT_SET"),
    (graph(backendFramework="vllm"), graph(backendFramework="sglang"), "spec.backendFramework", "IMMUTABLE"),
    (graph(), graph(backendFramework="vllm"), "spec.backendFramework", "IMMUTABLE"),
    (graph(topologyConstraint=TOPOLOGY), graph(), "spec.topologyConstraint", "IMMUTABLE"),
    (
        graph(component(topologyConstraint={"packDomain": "rack"}), topologyConstraint=TOPOLOGY),
        graph(component(topologyConstraint={"packDomain": "host"}), topologyConstraint=TOPOLOGY),
        f"{HEAD}.topologyConstraint",
        "IMMUTABLE",
    ),
    (policy(), graph(), "spec.experimental.kvTransferPolicy", "IMMUTABLE"),
    (policy(), policy(domain="host"), "spec.experimental.kvTransferPolicy", "IMMUTABLE"),
    (graph(component()), graph(component(multinode=NODES)), f"{HEAD}.multinode", "IMMUTABLE"),
    (over("IntraPod"), over("InterPod"), f"{TWO}.gpuMemoryService.mode", "IMMUTABLE"),
    (
        graph(component()),
        graph(component(experimental={"grove": {"forceScalingGroup": True}})),
        f"{TWO}.grove.forceScalingGroup",
        "IMMUTABLE",
    ),
    (
        graph(component(minAvailable=2, replicas=3)),
        graph(component(replicas=3)),
        f"{HEAD}.minAvailable",
        "IMMUTABLE",
    ),
    (capped(), capped("400"), LIMIT, "IMMUTABLE"),
    (capped(), capped(None), LIMIT, "IMMUTABLE"),
    (capped(), capped(gpus=2), HEAD, "IMMUTABLE"),
    (
        capped(multinode=NODES),
        capped(multinode={"nodeCount": 3}),
        HEAD,
        "IMMUTABLE",
    ),
    (graph(), annotated(graph(), workload_provider="grove"), PROVIDER, "IMMUTABLE"),
    (
        graph(component(providerOverride={"apiVersion": "v1", "value": {"a": 1}})),
        graph(component(providerOverride={"apiVersion": "v2", "value": {"a": 1}})),
        f"{HEAD}.providerOverride.apiVersion",
        "IMMUTABLE",
    ),
    (graph(ADAPTED), graph({**ADAPTED, "replicas": 3}), f"{HEAD}.replicas", "SCALING_ADAPTER"),
    (graph(ADAPTED), graph(component()), f"{HEAD}.replicas", "SCALING_ADAPTER"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "path", "code"), REFUSALS, ids=[f"{r[2]}:{r[3]}" for r in REFUSALS])
def test_what_the_operator_would_not_change_is_refused(
    old: Object, new: Object, path: str, code: str
) -> None:
    found = refused(old, new)
    assert (path, code) in found
    assert {one for _, one in found} == {code}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (policy(), policy(enforcement="required")),
        (graph(topologyConstraint=TOPOLOGY), graph(topologyConstraint={**TOPOLOGY})),
        (graph(component(multinode=NODES)), graph(component(multinode={"nodeCount": 3}))),
        (graph(component()), graph(component(type_="prefill"))),
        (graph(component()), graph(component(minAvailable=1))),
        (graph(component(minAvailable=1)), graph(component())),
        (graph(component(replicas=2)), graph(ADAPTED)),
        (capped(), capped(replicas=2)),
        (alpha(), graph(component(type_="worker"))),
        (
            graph(component(experimental={"grove": {}})),
            graph(component(experimental={"grove": {"forceScalingGroup": False}})),
        ),
    ],
)
def test_what_the_operator_lets_change_is_not_refused(old: Object, new: Object) -> None:
    assert refused(old, new) == []


def test_the_message_names_both_sets_of_components() -> None:
    (problem,) = update(graph(), graph(component())).rejections
    assert "decode, router -> decode" in problem.message


def test_an_update_that_is_refused_moves_nothing() -> None:
    assert update(graph(), graph(component())).components == ()
