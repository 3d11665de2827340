"""A Dynamo graph whose revisions stand beside each other, on its way through the planner, in words."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from gitops_rollout.api.gateway import Backend, Gateway
from gitops_rollout.api.graph_terms import Capacity, Strategy
from gitops_rollout.api.policy import Policy, Step
from gitops_rollout.api.values import Json, Object, at, mapping, sequence, text
from gitops_rollout.api.workload import WorkloadKey
from gitops_rollout.documents.emit import emit
from gitops_rollout.documents.load import Limits, load
from gitops_rollout.drafts import Written
from gitops_rollout.kinds.dynamograph.kind import DYNAMO_GRAPH
from gitops_rollout.kinds.protocol import Kind
from gitops_rollout.rollout.draft import Order
from gitops_rollout.traffic.explicit import EVERYTHING
from gitops_rollout.traffic.steps import with_traffic
from tests.rollout.routed import RoutedStage, step
from tests.rollout.stage import FILE, HOME
from tests.rollout.traffic_play import read

KEY = WorkloadKey("serving", "DynamoGraphDeployment", "chat")
TERMS = Gateway(
    parents=({"group": "gateway.networking.k8s.io", "kind": "Gateway", "name": "edge"},),
    rules=({"matches": [EVERYTHING]},),
    component="Frontend",
    name="chat",
    backend=Backend.SERVICE,
)
STEPS = (
    step(1, header=True, name="canary"),
    step("50%", weight=50, name="half"),
    step("100%", weight=100, name="all"),
)
SIZES = {"Frontend": 2, "Decode": 4, "Prefill": 4}
TYPES = {"Frontend": "frontend", "Decode": "decode", "Prefill": "prefill", "Epp": "epp", "Planner": "planner"}


def policy(*steps: Step, capacity: Capacity | None = None, **fields: object) -> Policy:
    """Give a policy of graphs beside each other."""
    return Policy(
        with_traffic(steps or STEPS),
        gateway=TERMS,
        strategy=Strategy.NEW_GRAPH,
        renames_graph=True,
        capacity=capacity or Capacity(),
        **fields,  # type: ignore[arg-type]
    )


def graph(
    image: str,
    sizes: Mapping[str, int] | None = None,
    rollout: Json = None,
    changed: Mapping[str, Object] | None = None,
    **more: Json,
) -> Object:
    """Write a graph in which every component runs one image; `changed` are other fields by component."""
    components: list[Json] = [
        {
            "name": name,
            "type": TYPES[name],
            "replicas": count,
            "podTemplate": {"spec": {"containers": [{"name": "main", "image": image}]}},
            **(changed or {}).get(name, {}),
        }
        for name, count in (sizes or SIZES).items()
    ]
    spec: Object = {"components": components, **({"rollout": rollout} if rollout else {}), **more}
    return {
        "apiVersion": "nvidia.com/v1beta1",
        "kind": "DynamoGraphDeployment",
        "metadata": {"name": "chat", "namespace": "serving"},
        "spec": spec,
    }


@dataclass
class GraphStage(RoutedStage):
    """The stage, with the published graphs in view."""

    all_codes: set[str] = field(default_factory=set)
    key: ClassVar[WorkloadKey] = KEY
    kind: ClassVar[Kind] = DYNAMO_GRAPH

    @property
    def graphs(self) -> dict[str, Object]:
        """Give the published graphs by name."""
        paths = [path for path in self.line.files if path.startswith(f"{HOME}/capacity/dgd")]
        found = [mapping(load(self.line.files[path], Limits())[0].value) for path in paths]
        return {text(at(one, "metadata", "name")): one for one in found}

    @property
    def sizes(self) -> dict[str, dict[str, Json]]:
        """Give the replicas of every component by the image of its graph."""
        return {self.image_in(one): sizes(one) for one in self.graphs.values()}

    @staticmethod
    def image_in(value: Object) -> str:
        container = at(mapping(sequence(at(value, "spec", "components"))[0]), "podTemplate", "spec")
        return text(at(mapping(sequence(at(container, "containers"))[0]), "image"))

    def image_of(self, revision: str) -> str:
        head = self.head()
        value = next(one.text for one in head.history if one.id == revision)  # type: ignore[union-attr]
        return self.image_in(value)

    def revision_of(self, image: str) -> str:
        head = self.head()
        return next(one.id for one in head.history if self.image_in(one.text) == image)  # type: ignore[union-attr]

    def look(self, order: Order | None = None) -> Written:
        found = super().look(order)
        self.all_codes |= self.codes
        return found

    def revert(self, name: str) -> "GraphStage":
        """Put `approved` and the workload back to before the merge of a gate, and the fence with them."""
        at_merge = next(
            index
            for index, files in enumerate(self.line.versions)
            if text(at(read(files.get(FILE)), "approved", "step")) == name
        )
        before, merged = self.line.versions[at_merge - 1], self.line.versions[at_merge]
        old, now = read(before.get(FILE)), read(self.line.files.get(FILE))
        value = {**now, "approved": old.get("approved")}
        changed = [path for path in {*before, *merged} if before.get(path) != merged.get(path)]
        changes = {path: before.get(path) for path in changed if path != FILE}
        self.line.commit({**changes, FILE: emit(value, sort=False).encode()})
        return self

    def by_hand(self, image: str, replicas: Mapping[str, int], other: str = "") -> "GraphStage":
        """Edit the graph that runs an image on the output branch, and let passes follow."""
        name = next(one for one, value in self.graphs.items() if self.image_in(value) == image)
        shown = self.graphs[name]
        components: list[Json] = [
            {**mapping(one), "replicas": replicas[text(at(one, "name"))]}
            for one in sequence(at(shown, "spec", "components"))
        ]
        edited = {**shown, "spec": {**mapping(shown["spec"]), "components": components}}
        file = "dgd.yaml" if name == KEY.name else f"dgd-{name}.yaml"
        written = emit(edited).replace(image, other or image)
        self.line.commit({f"{HOME}/capacity/{file}": written.encode()})
        return self.settle()

    @property
    def steps_asked(self) -> list[str]:
        """Name every gate that was ever asked, in order."""
        return [gate.step for gate, _ in self.asked]


def sizes(value: Object) -> dict[str, Json]:
    return {text(at(one, "name")): at(one, "replicas") for one in sequence(at(value, "spec", "components"))}


def attached(terms: Policy | None = None, wanted: Object | None = None) -> GraphStage:
    """A graph that runs engine:1.0.0 behind its own route."""
    stage = GraphStage(wanted or graph("engine:1.0.0"), terms or policy())
    stage.settle()
    stage.through("attach")
    return stage


def going(*gates: str, terms: Policy | None = None, wanted: Object | None = None) -> GraphStage:
    """The same on its way to engine:2.0.0, with these gates merged."""
    stage = attached(terms)
    stage.source(wanted or graph("engine:2.0.0")).settle()
    stage.through(*gates)
    return stage


ALL_GATES = (
    "canary",
    "canary-traffic",
    "half",
    "half-traffic",
    "drained",
    "all",
    "all-traffic",
    "drained",
    "drained",
    "complete",
)
