"""What is refused, where, and what only warns."""

import pytest

from gitops_rollout.api.values import Json, Object, mapping
from tests.kinds.dynamograph.manifests import (
    accepted,
    alpha,
    annotated,
    checked,
    component,
    frontend,
    gpu_pod,
    graph,
    refused,
    service,
    warned,
)
from tests.kinds.manifests import pod

HEAD = "spec.components[0]"
SERVICE = "spec.services.decode"
MAIN = f"{HEAD}.podTemplate.spec.containers[0]"
EPP: Object = {"config": {"plugins": [], "schedulingProfiles": []}}
ONE_GPU: Object = {"limits": {"gpu": "1"}}
POLICY = "spec.experimental.kvTransferPolicy"
EPP_CONFIG = f"{HEAD}.eppConfig.config"
TOPOLOGY = "spec.topologyConstraint"
GPU = f"{SERVICE}.resources.limits.gpu"
MOUNT = f"{SERVICE}.volumeMounts[0].mountPoint"
GMS = f"{HEAD}.experimental.gpuMemoryService"


def epp(name: str = "picker", **fields: Json) -> Object:
    return component(name, "epp", **{"eppConfig": EPP, **fields})


def feature(**features: Json) -> Object:
    """Give a worker with one GPU and experimental features."""
    return component(podTemplate=gpu_pod(1), experimental={**features})


def policy(**fields: Json) -> Object:
    return graph(experimental={"kvTransferPolicy": {"domain": "rack", **fields}})


def restart(**fields: Json) -> Object:
    return graph(restart={"id": "1", **fields})


def main(image: str = "engine:1.4.0", **fields: Json) -> Object:
    return graph(component(podTemplate=pod(image, **fields)))


def labelled(key: str, value: str) -> Object:
    return component(podTemplate={**pod("engine:1.4.0"), "metadata": {"labels": {key: value}}})


REFUSALS: list[tuple[Object, str, str]] = [
    ({**graph(), "metadata": {"generateName": "chat-"}}, "metadata.name", "REQUIRED"),
    ({**graph(), "metadata": {"name": "Chat"}}, "metadata.name", "NAME"),
    ({**graph(), "metadata": {"name": "c", "namespace": "a_b"}}, "metadata.namespace", "NAME"),
    ({**graph(), "metadata": {"name": "c", "labels": {"a": "b c"}}}, "metadata.labels[a]", "LABEL"),
    ({**graph(), "apiVersion": "nvidia.com/v2"}, "apiVersion", "KIND"),
    (alpha({}), "spec.services", "REQUIRED"),
    (graph(*[component(f"c{i}") for i in range(26)]), "spec.components", "RANGE"),
    (graph(component("")), f"{HEAD}.name", "REQUIRED"),
    (graph(component("a_b")), f"{HEAD}.name", "NAME"),
    (graph(component("-a")), f"{HEAD}.name", "NAME"),
    (alpha({"a b": service()}), "spec.services.a b", "NAME"),
    (graph(component(type_="router")), f"{HEAD}.type", "ENUM"),
    (graph(epp(), epp("other")), "spec.components[1].type", "DUPLICATE_TYPE"),
    (graph(component(replicas=-1)), f"{HEAD}.replicas", "RANGE"),
    (graph(component(replicas="2")), f"{HEAD}.replicas", "TYPE"),
    (graph(component(minAvailable=0)), f"{HEAD}.minAvailable", "RANGE"),
    (graph(component(minAvailable=3, replicas=2)), f"{HEAD}.minAvailable", "RANGE"),
    (graph(component(multinode={"nodeCount": 1})), f"{HEAD}.multinode.nodeCount", "RANGE"),
    (alpha({"decode": service(multinode={})}), f"{SERVICE}.multinode.nodeCount", "REQUIRED"),
    (graph(component(eppConfig=EPP)), f"{HEAD}.eppConfig", "STRATEGY"),
    (graph(epp(eppConfig=None)), f"{HEAD}.eppConfig", "REQUIRED"),
    (graph(epp(eppConfig={})), f"{HEAD}.eppConfig", "REQUIRED"),
    (graph(epp(eppConfig={"config": {"plugins": []}})), f"{EPP_CONFIG}.schedulingProfiles", "REQUIRED"),
    (graph(epp(eppConfig={"configMapRef": {"key": "k"}})), f"{HEAD}.eppConfig.configMapRef.name", "REQUIRED"),
    (graph(epp(replicas=2)), f"{HEAD}.replicas", "RANGE"),
    (graph(epp(multinode={"nodeCount": 2})), f"{HEAD}.multinode", "STRATEGY"),
    (graph(component(modelRef={"name": ""})), f"{HEAD}.modelRef.name", "REQUIRED"),
    (graph(component(compilationCache={})), f"{HEAD}.compilationCache.pvcName", "REQUIRED"),
    (graph(component(frontendSidecar="ghost")), f"{HEAD}.frontendSidecar", "REQUIRED"),
    (graph(component(runtimeVersionOverride="1.4")), f"{HEAD}.runtimeVersionOverride", "RANGE"),
    (graph(component(sharedMemorySize="-1Gi")), f"{HEAD}.sharedMemorySize", "RANGE"),
    (graph(component(providerOverride={"value": {}})), f"{HEAD}.providerOverride.apiVersion", "REQUIRED"),
    (graph(component(podTemplate=None)), f"{HEAD}.podTemplate.spec.containers", "REQUIRED"),
    (main(""), f"{MAIN}.image", "REQUIRED"),
    (main("engine: 1"), f"{MAIN}.image", "IMAGE"),
    (main(args=[True]), f"{MAIN}.args[0]", "TYPE"),
    (main(ports=[{"containerPort": 0}]), f"{MAIN}.ports[0].containerPort", "PORT"),
    (main(readinessProbe={"httpGet": {"port": "80"}}), f"{MAIN}.readinessProbe.httpGet.port", "PORT"),
    (graph(labelled("app", "a b")), f"{HEAD}.podTemplate.metadata.labels[app]", "LABEL"),
    (
        graph(labelled("gitops-rollout.io/r", "x")),
        f"{HEAD}.podTemplate.metadata.labels[gitops-rollout.io/r]",
        "RESERVED_KEY",
    ),
    (graph(labels={"gitops-rollout.io/r": "x"}), "spec.labels[gitops-rollout.io/r]", "RESERVED_KEY"),
    (graph(backendFramework="torch"), "spec.backendFramework", "ENUM"),
    (graph(restart={}), "spec.restart.id", "REQUIRED"),
    (restart(strategy={"type": "Any"}), "spec.restart.strategy.type", "ENUM"),
    (restart(strategy={"order": ["router"]}), "spec.restart.strategy.order", "REQUIRED"),
    (
        restart(strategy={"order": ["router", "decode", "ghost"]}),
        "spec.restart.strategy.order[2]",
        "UNKNOWN_COMPONENT",
    ),
    (
        restart(strategy={"type": "Parallel", "order": ["router", "decode"]}),
        "spec.restart.strategy.order",
        "STRATEGY",
    ),
    (graph(component(topologyConstraint={"packDomain": "rack"})), "spec.topologyConstraint", "REQUIRED"),
    (graph(topologyConstraint={"clusterTopologyName": "t"}), f"{TOPOLOGY}.packDomain", "REQUIRED"),
    (
        alpha(topologyConstraint={"packDomain": "rack"}),
        "spec.topologyConstraint.topologyProfile",
        "REQUIRED",
    ),
    (policy(), POLICY, "REQUIRED"),
    (policy(labelKey="rack", clusterTopologyName="t"), POLICY, "REQUIRED"),
    (policy(labelKey="rack", enforcement="preferred"), f"{POLICY}.preferredWeight", "STRATEGY"),
    (
        policy(labelKey="rack", enforcement="preferred", preferredWeight=2),
        f"{POLICY}.preferredWeight",
        "RANGE",
    ),
    (graph(feature(gpuMemoryService={"mode": "intraPod"})), f"{GMS}.mode", "ENUM"),
    (graph(feature(gpuMemoryService={"mode": "InterPod"})), f"{GMS}.mode", "STRATEGY"),
    (graph(component(experimental={"gpuMemoryService": {}})), GMS, "REQUIRED"),
    (graph(frontend(podTemplate=gpu_pod(1), experimental={"gpuMemoryService": {}})), GMS, "STRATEGY"),
    (
        graph(feature(gpuMemoryService={"extraClientContainers": ["ghost"]})),
        f"{GMS}.extraClientContainers[0]",
        "REQUIRED",
    ),
    (graph(feature(checkpoint={})), f"{HEAD}.experimental.checkpoint.enabled", "REQUIRED"),
    (
        graph(feature(checkpoint={"enabled": True, "checkpointRef": "c", "job": {}})),
        f"{HEAD}.experimental.checkpoint.job",
        "STRATEGY",
    ),
    (
        annotated(graph(), grove_update_strategy="Now"),
        "metadata.annotations[nvidia.com/grove-update-strategy]",
        "ENUM",
    ),
    (alpha({"decode": service(sharedMemory={})}), f"{SERVICE}.sharedMemory.size", "REQUIRED"),
    (alpha({"decode": service(volumeMounts=[{"name": "m"}])}), MOUNT, "REQUIRED"),
    (alpha({"decode": service(ingress={"enabled": True})}), f"{SERVICE}.ingress.host", "REQUIRED"),
    (alpha({"decode": service(resources={"limits": {"gpu": 1}})}), GPU, "TYPE"),
    (alpha({"decode": service(resources={"limits": {"gpu": "x"}})}), GPU, "TYPE"),
    (alpha({"decode": service(image="")}), f"{SERVICE}.extraPodSpec.mainContainer.image", "REQUIRED"),
    (alpha({"decode": {}}), f"{SERVICE}.extraPodSpec.mainContainer", "REQUIRED"),
    (alpha({"decode": service(frontendSidecar={})}), f"{SERVICE}.frontendSidecar.image", "REQUIRED"),
    (
        alpha({"decode": service(readinessProbe={"httpGet": {"port": 0}})}),
        f"{SERVICE}.readinessProbe.httpGet.port",
        "PORT",
    ),
    (
        alpha({"decode": service(gpuMemoryService={"enabled": True, "mode": "IntraPod"}, resources=ONE_GPU)}),
        f"{SERVICE}.gpuMemoryService.mode",
        "ENUM",
    ),
    (alpha(pvcs=[{}]), "spec.pvcs[0].name", "REQUIRED"),
    (
        alpha(pvcs=[{"name": "m", "create": True, "size": "1Gi", "storageClass": "fast"}]),
        "spec.pvcs[0].volumeAccessMode",
        "REQUIRED",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("value", "path", "code"), REFUSALS, ids=[f"{r[1]}:{r[2]}" for r in REFUSALS])
def test_what_the_operator_would_refuse_is_refused_with_its_path(value: Object, path: str, code: str) -> None:
    assert refused(value) == [(path, code)]


@pytest.mark.parametrize(
    "value",
    [
        graph(component("local-router", None)),
        graph(epp(eppConfig=None, podTemplate=pod("picker:1.5.0"))),
        graph(component(multinode={}, replicas=0, minAvailable=3)),
        graph(feature(gpuMemoryService={"extraClientContainers": ["main"]})),
        graph(component(sharedMemorySize="0")),
        restart(strategy={"order": ["decode", "router"]}),
        policy(labelKey="rack", enforcement="preferred", preferredWeight=0.5),
        alpha({"decode": service("main")}),
        alpha({"decode": service(volumeMounts=[{"name": "m", "useAsCompilationCache": True}])}),
        alpha({"decode": service(sharedMemory={"disabled": True})}),
        {**graph(), "metadata": {"name": "qwen-0.6b"}},
    ],
)
def test_what_the_operator_takes_is_accepted(value: Object) -> None:
    assert accepted(value)


WARNINGS: list[tuple[Object, list[tuple[str, str]]]] = [
    (graph(turbo=True), [("spec.turbo", "UNKNOWN_FIELD")]),
    (graph(component(colour="red")), [(f"{HEAD}.colour", "UNKNOWN_FIELD")]),
    (graph(component(envs=[])), [(f"{HEAD}.envs", "UNKNOWN_FIELD")]),
    (main(gpu=1), [(f"{MAIN}.gpu", "UNKNOWN_FIELD")]),
    (alpha({"decode": service(podTemplate={})}), [(f"{SERVICE}.podTemplate", "UNKNOWN_FIELD")]),
    (main(env=[{"name": "A"}, {"name": "A"}]), [(f"{MAIN}.env[1]", "DUPLICATE_ENV")]),
    (graph(env=[{"name": "A"}, {"name": "A"}]), [("spec.env[1]", "DUPLICATE_ENV")]),
    (
        alpha({"decode": service(envs=[{"name": "A"}, {"name": "A"}])}),
        [(f"{SERVICE}.envs[1]", "DUPLICATE_ENV")],
    ),
    (main("engine:latest"), [(f"{HEAD}.runtimeVersionOverride", "RUNTIME_VERSION")]),
    (graph(epp(podTemplate=pod("e:1.5.0"))), [(f"{HEAD}.eppConfig", "RUNTIME_VERSION")]),
    (restart(), [("spec.restart", "RESTART_ON_CREATE")]),
    (graph(priorityClassName="high"), [("spec.priorityClassName", "GROVE_ONLY")]),
    (alpha({"decode": service(dynamoNamespace="x")}), [(f"{SERVICE}.dynamoNamespace", "NO_EFFECT")]),
    ({**graph(), "metadata": {"name": "c", "finalizers": ["x"]}}, [("metadata.finalizers", "NOT_PUBLISHED")]),
    (graph(), []),
    (alpha(), []),
]  # fmt: skip


@pytest.mark.parametrize(("value", "warnings"), WARNINGS)
def test_what_goes_on_is_still_told(value: Object, warnings: list[tuple[str, str]]) -> None:
    assert warned(value) == warnings


def test_all_problems_are_told_in_one_pass() -> None:
    value = graph(component("a_b", replicas="4"), component("A", "x"), component("a"), backendFramework="y")
    assert {code for _, code in refused(value)} == {"NAME", "TYPE", "ENUM", "DUPLICATE_NAME"}


@pytest.mark.parametrize(
    "value",
    [
        {},
        {"spec": []},
        {"spec": {"components": "x"}},
        {"metadata": 7, "spec": None},
        alpha({"decode": None}),
        {**alpha(), "spec": {"services": [1]}},
        graph("x"),  # type: ignore[arg-type]
    ],
)
def test_a_document_of_any_shape_gets_an_answer(value: Object) -> None:
    assert checked(value).problems


def test_a_document_without_namespace_is_in_the_default_one() -> None:
    spec = accepted({**graph(), "metadata": {"name": "chat"}})
    assert (spec.key.namespace, spec.key.kind, spec.key.name) == (
        "default",
        "DynamoGraphDeployment",
        "chat",
    )


def test_the_version_is_part_of_what_is_published_and_not_of_the_controls() -> None:
    assert accepted(alpha()).controls == accepted(graph(component(type_="worker"))).controls
    assert mapping(accepted(alpha()).text)["apiVersion"] == "nvidia.com/v1alpha1"
