"""Public cases about pools: each item under its number."""

from dataclasses import replace

import pytest
import yaml

from gitops_rollout.api.values import Json, Object, at, sequence
from gitops_rollout.gateway.inferencepool import pool_problems
from gitops_rollout.kinds.modelserving.kind import MODEL_SERVING
from gitops_rollout.traffic.pools import NoPool, pool_of
from tests.kinds.manifests import in_case, pod, role, serving
from tests.rollout.routed import TERMS, RoutedStage, going, routed_policy
from tests.traffic.asked import GATEWAY, KEY, born, documents_of, recorded, terms, written

KTHENA = "modelserving.volcano.sh"


def test_53_1_a_port_that_no_container_declares_is_told_with_both_ports() -> None:
    (note,) = undeclared(listening("engine:a", [8000]), 8300)
    assert "8300" in note
    assert "declares 8000" in note


def test_53_2_each_revision_has_its_own_port() -> None:
    before, after = (port_of_router(name) for name in ("before", "after"))
    revisions = [born(serving(role(entry=listen("engine:1", [port])))) for port in (before, after)]
    found = [pool_of(MODEL_SERVING, KEY, one, terms(GATEWAY)).port for one in revisions]
    assert found == [8000, 8300]


@pytest.mark.parametrize("ports", [[], [{"number": 8000}] * 2, [{"number": 0}], [{"number": 65536}]])
def test_53_3_ports_of_a_pool_are_there_unique_and_in_range(ports: list[Json]) -> None:
    (value,) = documents_of("53-inferencepool-target-port", "bad-pool.yaml")
    value["spec"]["targetPorts"] = ports
    assert [one.path.startswith("spec.targetPorts") for one in pool_problems(value)] == [True]


def test_53_4_a_port_of_a_sidecar_counts_and_is_told() -> None:
    sidecar: Json = {"name": "proxy", "image": "proxy:1", "ports": [{"containerPort": 8300}]}
    (note,) = undeclared(listening("engine:a", [8000], sidecar), 8300)
    assert "only a sidecar declares it" in note


def port_of_router(file: str) -> int:
    """Give the port of the router in a file of the case; its kind has no routes yet."""
    router, *_ = sequence(at(in_case("53", file), "spec", "components"))
    (container,) = sequence(at(router, "podTemplate", "spec", "containers"))
    return int(str(at(sequence(at(container, "ports"))[0], "containerPort")))


def listen(image: str, ports: list[int]) -> Object:
    return pod(image, ports=[{"containerPort": port} for port in ports])


def listening(image: str, ports: list[int], *sidecars: Json) -> Object:
    entry = listen(image, ports)
    containers: list[Json] = [*sequence(at(entry, "spec", "containers")), *sidecars]
    return serving(role(entry={"spec": {"containers": containers}}))


def undeclared(value: Object, port: int) -> list[str]:
    """Say what is told of ports when a route is first asked for."""
    stage = RoutedStage(value, routed_policy(terms=replace(TERMS, port=port)))
    told: list[str] = []
    for _ in range(4):
        notes = stage.look().plan.notes
        told += [str(note) for note in notes if note.code == "PORT_UNDECLARED" and str(note) not in told]
    return told


def as_kthena(labels: dict[str, str]) -> dict[str, str]:
    """Say the labels of a pod of the case as Kthena would: the router is the entry pod of its role."""
    entry = {f"{KTHENA}/entry": "true"} if labels["component"] == "router" else {}
    identity = {f"{KTHENA}/name": "chat", f"{KTHENA}/role": "decode"}
    return {**identity, "gitops-rollout.io/revision": labels["nvidia.com/dgd-revision"], **entry}


def test_54_1_54_2_two_pools_cover_all_entry_pods_and_share_none() -> None:
    pods = {
        value["metadata"]["name"]: as_kthena(value["metadata"]["labels"])
        for value in documents_of("54-inferencepool-selector-overlap", "pods.yaml")
    }
    stable = pool_of(MODEL_SERVING, KEY, born(serving()), TERMS)
    selectors = [{**stable.selector, "gitops-rollout.io/revision": one} for one in ("r-a", "r-b")]
    chosen = [{name for name, labels in pods.items() if one.items() <= labels.items()} for one in selectors]
    assert chosen == [{"rt-r-a-0", "rt-r-a-1"}, {"rt-r-b-0", "rt-r-b-1"}]


def test_54_3_a_selector_cannot_be_written_at_all() -> None:
    for file in ("bad-empty.yaml", "bad-no-revision.yaml"):
        (value,) = documents_of("54-inferencepool-selector-overlap", file)
        own = yaml.safe_dump({"gateway": {"selector": value["spec"]["selector"]}})
        _, (problem,) = written(own)
        assert (problem.path, problem.code) == ("spec.gateway.selector", "UNKNOWN_FIELD")


def test_54_3_a_label_that_no_pod_of_this_workload_has_adopts_nothing() -> None:
    gateway = replace(TERMS, adopt=("app", "birch-graph"))
    with pytest.raises(NoPool, match="app=birch-graph"):
        pool_of(MODEL_SERVING, KEY, recorded(serving()), gateway)


def test_54_4_a_pool_gets_no_requests_before_somebody_says_that_its_pods_answer() -> None:
    stage = going()
    assert stage.traffic == ([], [("engine:a", 100)])
    stage.through("canary")
    assert stage.traffic == ([], [("engine:a", 100)])
    assert len([name for name in stage.files if name.startswith("pool-")]) == 2


def test_54_5_a_label_value_that_is_too_long_is_refused() -> None:
    label = f"{{key: {KTHENA}/revision, value: {'a' * 64}}}"
    _, (problem,) = written(f"{GATEWAY}\nadopt: {{revisionLabel: {label}}}")
    assert problem.path == "spec.adopt.revisionLabel.value"
