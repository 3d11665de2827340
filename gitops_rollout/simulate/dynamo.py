"""Dynamo's operator: every live DynamoGraphDeployment is a graph of components, each a Deployment.

One hash stands for all workers of a graph, so that a change of one rolls all of them; what is no worker rolls
by itself. Workers register in a namespace of their generation, and routers find them by the prefix that is
their graph's (research/dynamo.md 2.2, 2.4). A pod answers when it is Ready, and a router when it finds a
worker of each kind besides (8.19). A frontend may be told by its environment to look elsewhere.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from gitops_rollout.api.values import Json, Object, at, mapping, sequence, text
from gitops_rollout.kinds.dynamograph.apart import dynamo_namespace
from gitops_rollout.kinds.dynamograph.fields import KIND
from gitops_rollout.kinds.dynamograph.graph import Component, Graph
from gitops_rollout.kinds.dynamograph.routers import BOUND_BY
from gitops_rollout.kinds.dynamograph.words import BEHAVIOUR, COMPONENT_CONTROLS, SPEC_CONTROLS
from gitops_rollout.kinds.modelserving.amounts import resolve_down, resolve_up
from gitops_rollout.kinds.written import without
from gitops_rollout.semantics.canonical import canonical_bytes
from gitops_rollout.simulate.controllers import Death, Pod, Reach, Why
from gitops_rollout.simulate.deployments import Replica, Template, aged, parted, step
from gitops_rollout.simulate.manifests import Manifest

_LABELS = "nvidia.com"
_STRATEGY = f"{_LABELS}/deployment-rolling-update-max"
_QUARTER = "25%"
Key = tuple[str, str]
"""Graph and component: the Deployment of one component."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a graph asks of one component, read once. `namespace` is where its workers register, `looks` is
    what the namespaces begin with where it looks for workers.
    """

    key: Key
    type: str
    worker: bool
    template: Template
    prefix: str
    looks: str
    labels: Mapping[str, Json]
    adapted: bool
    partition: int | None = None
    """How many of its replicas stay on what ran before; None: nothing is said of that."""
    paused: bool = False

    @property
    def routes(self) -> bool:
        """Say whether it sends requests on to workers: everything but these and a planner."""
        return not self.worker and self.type != "planner"

    def namespace(self, made_from: str) -> str:
        """Give where pods of a generation register."""
        return f"{self.prefix}-{made_from.rpartition('@')[2]}"


@dataclass
class Dynamo:
    """The operator with its pods. `start`: ticks until a pod can answer."""

    start: int = 2
    kind: str = KIND
    scaled: int | None = None
    """The replicas that an autoscaler wants, of components with a scaling adapter."""
    running: dict[Key, tuple[Replica, ...]] = field(default_factory=dict)
    deaths: list[Death] = field(default_factory=list)
    prunes: bool = False
    """The CRD does not know spec.rollout, and the API server drops it."""
    before: dict[Key, str] = field(default_factory=dict)
    """What ran of each component before that what is rolled out now."""
    _asked: dict[Key, Wanted] = field(default_factory=dict)
    _dead: dict[Key, frozenset[str]] = field(default_factory=dict)
    _born: int = 0
    _known: dict[Manifest, tuple[Wanted, ...]] = field(default_factory=dict)
    _labels: dict[tuple[Key, str], Mapping[str, Json]] = field(default_factory=dict)
    _seen: tuple[tuple[Pod, ...], tuple[Reach, ...]] | None = None

    def tick(self, objects: Sequence[Manifest]) -> bool:
        before = dict(self.running)
        wanted = {one.key: one for manifest in objects for one in self._read(manifest)}
        self._asked = wanted
        for key in [one for one in self.running if one not in wanted]:
            self._let_go(key, [(one, Why.SCALED) for one in self.running[key]])
            self.running.pop(key)
            self._dead.pop(key, None)
            self.before.pop(key, None)
        for key, one in wanted.items():
            self._reconcile(key, one)
        self._seen = None
        return before != self.running

    @property
    def pods(self) -> tuple[Pod, ...]:
        return self._looked()[0]

    @property
    def reach(self) -> tuple[Reach, ...]:
        return self._looked()[1]

    @property
    def hurt(self) -> frozenset[str]:
        return frozenset().union(*self._dead.values())

    def die(self, uid: int) -> None:
        for key, replicas in list(self.running.items()):
            dead = [one for one in replicas if one.uid == uid]
            if dead:
                self._let_go(key, [(one, Why.DIED) for one in dead])
                self._dead[key] = self._dead.get(key, frozenset()) | {dead[0].made_from}
        self._seen = None

    def scale(self, replicas: int) -> None:
        self.scaled = replicas
        self._known.clear()

    def made_from(self, published: Object) -> Mapping[str, str]:
        return {name: made for name, (_, made) in _generations(Graph(published)).items()}

    def labels(self, pod: Pod) -> Mapping[str, Json]:
        return self._labels[(pod.graph, pod.component), pod.made_from]

    def wanted(self, manifest: Manifest) -> Mapping[str, int]:
        return {one.key[1]: one.template.replicas for one in self._read(manifest)}

    def kept(self, manifest: Manifest) -> Mapping[str, int]:
        return {one.key[1]: one.partition or 0 for one in self._read(manifest)}

    def _read(self, manifest: Manifest) -> tuple[Wanted, ...]:
        if manifest not in self._known:
            self._known[manifest] = tuple(_understood(Graph(manifest.value), self.scaled))
            for one in self._known[manifest]:
                self._labels.setdefault((one.key, one.template.made_from), one.labels)
        return self._known[manifest]

    def _reconcile(self, key: Key, wanted: Wanted) -> None:
        template, now = wanted.template, aged(self.running.get(key, ()))
        self.running[key] = now
        before = self.before.setdefault(key, template.made_from)
        kept = None if self.prunes else wanted.partition
        if wanted.paused and not self.prunes and len(now) == template.replicas:
            kept = sum(one.made_from == before for one in now)
        parts = kept is not None and before != template.made_from
        due = parted(template, before, kept or 0, now) if parts else step(template, now)
        self._let_go(key, due.gone)
        for made, many in ((before, due.kept_born), (template.made_from, due.born)):
            self.running[key] += tuple(Replica(self._born + more, made, self.start) for more in range(many))
            self._born += many
        if kept is None and {one.made_from for one in self.running[key]} <= {template.made_from}:
            self.before[key] = template.made_from
        whole = [one for one in self.running[key] if one.left == 0 and one.made_from == template.made_from]
        if len(whole) >= template.replicas:
            self._dead.pop(key, None)

    def _let_go(self, key: Key, gone: Sequence[tuple[Replica, Why]]) -> None:
        went = {one.uid for one, _ in gone}
        self.deaths += [Death(_pod(key, one, ready=one.left == 0), why) for one, why in gone]
        self.running[key] = tuple(one for one in self.running[key] if one.uid not in went)

    def _looked(self) -> tuple[tuple[Pod, ...], tuple[Reach, ...]]:
        """Look who answers now, and whom routers find."""
        if self._seen is None:
            sets, pods, reach = self._sets(), [], []
            for key in sorted(self.running):
                for replica in self.running[key]:
                    wanted = self._asked[key]
                    pod = _pod(key, replica, ready=replica.left == 0)
                    if wanted.routes:
                        found = tuple(one for space, one in sets.items() if space.startswith(wanted.looks))
                        whole = any(self._serves(wanted, one) for one in found)
                        pod = _pod(key, replica, ready=pod.ready and whole)
                        reach.append(Reach(pod, found))
                    pods.append(pod)
            self._seen = tuple(pods), tuple(reach)
        return self._seen

    def _sets(self) -> dict[str, tuple[Pod, ...]]:
        """Give the workers that answer by the namespace that they are registered in."""
        found: dict[str, tuple[Pod, ...]] = {}
        for key, replicas in sorted(self.running.items()):
            for replica in replicas if self._asked[key].worker else ():
                if replica.left == 0:
                    space = self._asked[key].namespace(replica.made_from)
                    found[space] = (*found.get(space, ()), _pod(key, replica, ready=True))
        return found

    def _serves(self, router: Wanted, workers: tuple[Pod, ...]) -> bool:
        """Say whether a set holds a worker of each component that the graph has where the router looks."""
        kinds = {key[1] for key, one in self._asked.items() if one.prefix == router.looks and one.worker}
        return bool(kinds) and kinds <= {pod.component for pod in workers}


def _pod(key: Key, replica: Replica, *, ready: bool) -> Pod:
    return Pod(replica.uid, key[0], key[1], replica.made_from, ready)


def _understood(graph: Graph, scaled: int | None) -> Iterator[Wanted]:
    namespace = text(at(graph.value, "metadata", "namespace"))
    prefix = dynamo_namespace(namespace, graph.name)
    for name, (component, made) in _generations(graph).items():
        adapted = component.value.get("scalingAdapter") is not None
        replicas = scaled if adapted and scaled is not None else component.replicas
        told = {
            "dynamo-graph-deployment-name": graph.name,
            "dynamo-component": name,
            "dynamo-component-type": component.type,
            "dynamo-namespace": prefix,
        }
        written = mapping(at(component.template, "metadata", "labels"))
        labels = {**written, **{f"{_LABELS}/{label}": value for label, value in told.items()}}
        template = Template(replicas, made, *_pace(graph, component, replicas), graph.recreates(component))
        key = (graph.name, name)
        looks, kept, paused = _told(component) or prefix, *_kept(graph, name)
        type_, worker = component.type, component.is_worker
        yield Wanted(key, type_, worker, template, prefix, looks, labels, adapted, kept, paused)


def _kept(graph: Graph, component: str) -> tuple[int | None, bool]:
    """Give what spec.rollout says of a component: its partition, None for none, and whether it is paused."""
    entries = map(mapping, sequence(at(graph.spec, "rollout", "components")))
    entry = next((one for one in entries if one.get("name") == component), {})
    partition = entry.get("partition")
    return partition if isinstance(partition, int) else None, entry.get("paused") is True


def _told(component: Component) -> str:
    """Give the prefix that a container is told itself; the last one counts, as everywhere in Kubernetes."""
    told = [at(one, "value") for one in sequence(component.main.get("env")) if at(one, "name") == BOUND_BY]
    return text(told[-1]) if told else ""


def _pace(graph: Graph, component: Component, replicas: int) -> tuple[int, int]:
    """Give how many pods more, and how many fewer, an update may have; one more where it may have neither."""
    surge, unavailable = (
        _annotation(graph, component, f"{_STRATEGY}-{what}") or _QUARTER for what in ("surge", "unavailable")
    )
    more, fewer = resolve_up(surge, replicas), resolve_down(unavailable, replicas)
    return (more, fewer) if more or fewer else (1, 0)


def _annotation(graph: Graph, component: Component, name: str) -> Json:
    places = (
        at(component.template, "metadata", "annotations"),
        component.written.get("annotations") if graph.alpha else None,
        graph.spec.get("annotations"),
    )
    found = (mapping(place).get(name) for place in places)
    return next((one for one in found if one is not None), None)


def _generations(graph: Graph) -> dict[str, tuple[Component, str]]:
    """Give the components with what their pods are made from: one generation for all workers."""
    left_out = (*SPEC_CONTROLS, "components", "services")
    behaviour: Object = {name: part for name, part in graph.annotations().items() if name in BEHAVIOUR}
    around: Json = [without(graph.spec, left_out), behaviour]
    found = graph.by_name()
    forms = {name: without(one.value, COMPONENT_CONTROLS) for name, one in found.items()}
    workers: Json = {name: forms[name] for name, one in found.items() if one.is_worker}
    return {
        name: (one, f"{name}@{_hash([around, workers if one.is_worker else forms[name]])}")
        for name, one in found.items()
    }


def _hash(form: Json) -> str:
    return hashlib.sha256(canonical_bytes(form)).hexdigest()[:8]
