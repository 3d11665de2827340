"""A Dynamo graph that holds both revisions, with an operator that does what spec.rollout says."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from gitops_rollout.api.graph_terms import Strategy
from gitops_rollout.api.policy import Policy, Proof, Step
from gitops_rollout.api.values import Json, Object, at, mapping, sequence, text
from gitops_rollout.documents.emit import emit
from gitops_rollout.kinds.dynamograph.graph import Graph
from gitops_rollout.rollout.draft import Head
from tests.rollout.graphs import SIZES, graph
from tests.rollout.observed import NEW, OLD, ObservedStage
from tests.rollout.stage import HOME, steps

NEXT = "engine:3.0.0"
MEMBERS = ["Frontend", "Prefill", "Decode"]


def group(*members: str) -> Json:
    return {"name": "serving", "components": [*(members or MEMBERS)]}


def only(image: str, *names: str, rollout: Json = None, sizes: Mapping[str, int] | None = None) -> Object:
    """Write a graph on OLD in which these components run another image."""
    pod: Object = {"podTemplate": {"spec": {"containers": [{"name": "main", "image": image}]}}}
    return graph(OLD, sizes, rollout, changed=dict.fromkeys(names, pod))


def terms(*shares: int | str, **fields: object) -> Policy:
    """Give a policy of a graph in place, by default with steps [1, 50%, 100%]."""
    written: tuple[Step, ...] = steps(*(shares or (1, "50%", "100%"))).steps
    return Policy(written, strategy=Strategy.IN_PLACE, proof=Proof.CLUSTER, **fields)  # type: ignore[arg-type]


def components(value: Object) -> dict[str, Object]:
    """Give the components of a graph by name, in the form of v1beta1."""
    return {name: one.value for name, one in Graph(value).by_name().items()}


def image_of(component: Object) -> str:
    return text(at(mapping(sequence(at(component, "podTemplate", "spec", "containers"))[0]), "image"))


@dataclass
class Operator:
    """Keeps of each component its partition on what ran before; never more than two images."""

    before: dict[str, str] = field(default_factory=dict)
    pods: dict[str, dict[str, int]] = field(default_factory=dict)
    deaths: dict[str, int] = field(default_factory=dict)
    """Pods that were taken away of each component, ever."""
    silent: dict[tuple[str, str], int] = field(default_factory=dict)
    """Pods that run and answer nobody, by component and image."""

    def apply(self, value: Object) -> None:
        """Bring the pods to where the object wants them."""
        entries = map(mapping, sequence(at(value, "spec", "rollout", "components")))
        rollout = {text(one.get("name")): one for one in entries}
        for name, component in components(value).items():
            self._component(name, component, rollout.get(name, {}))

    def _component(self, name: str, component: Object, entry: Object) -> None:
        wanted, image = component.get("replicas", 1), image_of(component)
        kept = entry.get("partition", 0)
        assert isinstance(wanted, int)
        assert isinstance(kept, int)
        assert 0 <= kept <= wanted, "the operator's webhook refuses it"
        had, before = self.pods.get(name, {}), self.before.setdefault(name, image)
        if entry.get("paused") and had and sum(had.values()) == wanted:
            return
        stays = wanted if image == before else kept
        now = {before: stays, image: wanted - stays} if image != before else {before: wanted}
        now = {one: number for one, number in now.items() if number}
        gone = sum(max(0, number - now.get(one, 0)) for one, number in had.items())
        self.deaths[name] = self.deaths.get(name, 0) + gone
        self.pods[name] = now

    def promoted(self) -> None:
        """Forget what ran before, of what has left it altogether."""
        self.before = {name: next(iter(had), self.before[name]) for name, had in self.pods.items()}


@dataclass
class InPlaceStage(ObservedStage):
    """The stage with a cluster below it, that applies what is published before every pass."""

    operator: Operator = field(default_factory=Operator)

    def decided(self, order=None):  # type: ignore[no-untyped-def]  # as its parent
        head = self.head()
        if isinstance(head, Head):
            self.operator.apply(self.published)
            self.counted = {one.id: self._running(components(one.text)) for one in head.history}
            if head.file.state.candidate is None:
                self.operator.promoted()
        return super().decided(order)

    def _running(self, parts: Mapping[str, Object]) -> dict[str, int]:
        """Count the pods that run what a revision has, and answer."""
        pods, silent = self.operator.pods, self.operator.silent
        images = {name: image_of(one) for name, one in parts.items()}
        return {
            name: pods.get(name, {}).get(image, 0) - silent.get((name, image), 0)
            for name, image in images.items()
        }

    @property
    def published(self) -> Object:
        (only_one,) = self.graphs.values()
        return only_one

    @property
    def pods(self) -> dict[str, dict[str, int]]:
        """Give the running pods of every component by image."""
        self.operator.apply(self.published)
        return self.operator.pods

    @property
    def standing(self) -> list[str]:
        """Name the revisions of which a pod of their own is left: one that no other revision has."""
        head = self.head()
        if not isinstance(head, Head):
            return []
        state = head.file.state
        texts = {one.id: components(one.text) for one in head.history}
        pair = [texts[one] for one in (state.stable, state.candidate or state.stable)]
        differ = [name for name in pair[0] if image_of(pair[0][name]) != image_of(pair[1][name])]
        return [
            one
            for one, parts in texts.items()
            if any(self.operator.pods.get(name, {}).get(image_of(parts[name])) for name in differ)
        ]

    @property
    def partitions(self) -> dict[str, Json]:
        """Give the published partition of every component that has one."""
        entries = sequence(at(self.published, "spec", "rollout", "components"))
        return {text(at(one, "name")): at(one, "partition") for one in entries if "partition" in mapping(one)}

    def lower(self, name: str, partition: int) -> None:
        """Write another partition into the published graph by hand."""
        value = self.published
        for one in map(mapping, sequence(at(value, "spec", "rollout", "components"))):
            if one.get("name") == name:
                one["partition"] = partition
        self.line.commit({f"{HOME}/capacity/dgd.yaml": emit(value).encode()})


def resting(policy: Policy | None = None, wanted: Object | None = None) -> InPlaceStage:
    """A graph in place that is published and idle."""
    return InPlaceStage(wanted or graph(OLD), policy or terms()).settle()


def going(*gates: str, policy: Policy | None = None, wanted: Object | None = None) -> InPlaceStage:
    """The same on its way to another image, with these gates merged."""
    stage = resting(policy).source(wanted or graph(NEW)).settle()
    for name in gates:
        stage.through(name).run(times=3)
    return stage


def everywhere(image: str, sizes: Mapping[str, int] | None = None) -> dict[str, dict[str, int]]:
    return {name: {image: count} for name, count in (sizes or SIZES).items()}
