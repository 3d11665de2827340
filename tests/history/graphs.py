"""A DynamoGraphDeployment on its way through the planner, in words."""

from dataclasses import dataclass
from typing import ClassVar

from gitops_rollout.api.policy import Policy
from gitops_rollout.api.values import Json, Object, at, mapping, sequence
from gitops_rollout.api.workload import WorkloadKey
from gitops_rollout.documents.load import Limits, load
from gitops_rollout.kinds.dynamograph.kind import DYNAMO_GRAPH
from gitops_rollout.kinds.protocol import Kind
from gitops_rollout.rollout.draft import Head
from tests.kinds.dynamograph.manifests import alpha, component, graph, service
from tests.kinds.manifests import pod
from tests.rollout.stage import HOME, Stage

KEY = WorkloadKey("serving", "DynamoGraphDeployment", "chat")
OBJECT = f"{HOME}/capacity/dgd.yaml"


def beta_of(router: str = "router:a", engine: str = "engine:a", replicas: int = 2) -> Object:
    """Write a graph of a router and a decoder."""
    return graph(
        component("Frontend", "frontend", podTemplate=pod(router)),
        component("Decode", "decode", podTemplate=pod(engine), replicas=replicas),
    )


def alpha_of(router: str = "router:a", engine: str = "engine:a", replicas: int = 2) -> Object:
    """Write the same graph in v1alpha1."""
    decode = service("worker", engine, subComponentType="decode", replicas=replicas)
    return alpha({"Frontend": service("frontend", router), "Decode": decode})


@dataclass
class GraphStage(Stage):
    """The stage of a graph instead of a ModelServing."""

    policy: Policy | None = None

    key: ClassVar[WorkloadKey] = KEY
    kind: ClassVar[Kind] = DYNAMO_GRAPH

    @property
    def published(self) -> Object:
        return self._read(OBJECT)

    def _read(self, path: str) -> Object:
        (only,) = load(self.line.files[path], Limits())
        return mapping(only.value)

    @property
    def images(self) -> dict[str, Json]:
        """Give the image of every component."""
        if at(self.published, "apiVersion") == "nvidia.com/v1alpha1":
            services = mapping(at(self.published, "spec", "services"))
            return {name: at(one, "extraPodSpec", "mainContainer", "image") for name, one in services.items()}
        found = {}
        for one in sequence(at(self.published, "spec", "components")):
            (container,) = sequence(at(one, "podTemplate", "spec", "containers"))
            found[str(at(one, "name"))] = at(container, "image")
        return found

    @property
    def labelled(self) -> set[str]:
        """Name the components whose pods carry a label of ours."""
        components = sequence(at(self.published, "spec", "components"))
        return {
            str(at(one, "name"))
            for one in components
            if any("gitops-rollout" in key for key in mapping(at(one, "podTemplate", "metadata", "labels")))
        }

    def recorded(self, engine: str) -> str:
        """Name the recorded revision of a decoder's image, in either API version."""
        head = self.head()
        assert isinstance(head, Head)
        return next(one.id for one in head.history if engine in str(one.text))


def published(wanted: Object | None = None) -> GraphStage:
    stage = GraphStage(wanted or beta_of())
    stage.settle()
    return stage


def going(engine: str = "engine:b", router: str = "router:a") -> GraphStage:
    """A graph whose next revision is asked about."""
    stage = published()
    stage.source(beta_of(router, engine)).settle()
    return stage
