"""Graphs of v1alpha1 beside each other: what goes in as v1alpha1 comes out as v1alpha1."""

from collections.abc import Mapping

import pytest

from gitops_rollout.api.values import Json, Object, at, mapping, text
from tests.kinds.dynamograph.manifests import alpha, service
from tests.rollout.graphs import ALL_GATES, SIZES, GraphStage, graph, policy

OLD, NEW, NEXT = "engine:1.0.0", "engine:2.0.0", "engine:3.0.0"
KINDS: Mapping[str, Object] = {
    "Frontend": {"componentType": "frontend"},
    "Decode": {"componentType": "worker", "subComponentType": "decode"},
    "Prefill": {"componentType": "worker", "subComponentType": "prefill"},
}


def older(image: str) -> Object:
    """Write the graph of `graph` in v1alpha1."""
    return alpha(
        {name: {**service("", image, replicas=count), **KINDS[name]} for name, count in SIZES.items()}
    )


def services(value: Object) -> dict[str, Object]:
    return {name: mapping(one) for name, one in mapping(at(value, "spec", "services")).items()}


class AlphaStage(GraphStage):
    """The stage of a graph of v1alpha1, or of both versions."""

    @staticmethod
    def image_in(value: Object) -> str:
        if not services(value):
            return GraphStage.image_in(value)
        first = next(iter(services(value).values()))
        return text(at(first, "extraPodSpec", "mainContainer", "image"))

    @property
    def replicas(self) -> dict[str, dict[str, Json]]:
        """Give the replicas of every service by the image of its graph."""
        return {
            self.image_in(value): {name: one["replicas"] for name, one in services(value).items()}
            for value in self.graphs.values()
        }


def going(*gates: str) -> AlphaStage:
    """A graph of v1alpha1 on its way from engine:1.0.0 to engine:2.0.0, with these gates merged."""
    stage = AlphaStage(older(OLD), policy()).settle()
    stage.through("attach").source(older(NEW)).settle()
    stage.through(*gates)
    return stage


def test_it_goes_the_same_way_gate_by_gate() -> None:
    stage = going(*ALL_GATES)
    (graph_of_its_own,) = stage.graphs.values()
    assert (stage.replicas, graph_of_its_own["apiVersion"]) == ({NEW: SIZES}, "nvidia.com/v1alpha1")
    assert stage.gate is None


def test_each_service_has_its_own_replicas_and_stable_keeps_its_own() -> None:
    assert going("canary").replicas == {OLD: SIZES, NEW: dict.fromkeys(SIZES, 1)}


def test_requests_are_told_apart_by_the_graphs_name() -> None:
    stage = going(*ALL_GATES[:4])
    assert stage.traffic == ([], [(OLD, 50), (NEW, 50)])


def test_prefill_goes_last_whatever_it_is_called_in_this_version() -> None:
    assert going(*ALL_GATES[:8]).replicas[OLD] == {"Frontend": 0, "Decode": 0, "Prefill": 2}


def test_the_way_back_leaves_stable_alone() -> None:
    stage = going("canary", "canary-traffic").source(older(OLD)).settle()
    stage.through("drained", "drained", "complete")
    assert stage.replicas == {OLD: SIZES}


@pytest.mark.parametrize("gates", [(), ("canary", "canary-traffic"), ALL_GATES])
def test_the_other_version_of_the_same_graph_writes_nothing(gates: tuple[str, ...]) -> None:
    stage = going(*gates)
    before = stage.line.head
    assert stage.source(graph(NEW)).settle().line.head == before


def test_the_next_revision_may_be_of_the_other_version() -> None:
    stage = going(*ALL_GATES).source(graph(NEXT)).settle()
    stage.through("canary")
    versions = {stage.image_in(one): one["apiVersion"] for one in stage.graphs.values()}
    assert versions == {NEW: "nvidia.com/v1alpha1", NEXT: "nvidia.com/v1beta1"}
