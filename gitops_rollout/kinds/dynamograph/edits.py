"""What differs between two graphs, for people: paths by names, values as they are written."""

from collections.abc import Iterator

from gitops_rollout.api.values import Json, Object, mapping
from gitops_rollout.api.verdict import Change
from gitops_rollout.api.workload import Spec
from gitops_rollout.kinds.dynamograph.fields import GRAPH, PROJECTED, table
from gitops_rollout.kinds.dynamograph.graph import Component, Graph
from gitops_rollout.kinds.dynamograph.project import (
    ignored,
    outside_components,
    projections,
    shapes_no_pod,
    transfer_policy,
)
from gitops_rollout.kinds.dynamograph.words import BEHAVIOUR, COMPONENT_CONTROLS
from gitops_rollout.kinds.leaves import Edits, below, differing, flat, in_order, leaves, same
from gitops_rollout.kinds.written import without
from gitops_rollout.semantics.changes import changes
from gitops_rollout.semantics.types import POD_TEMPLATE

INACTIVE = "inactive"
RESTART_ID = "restart/id"

_ROLLOUT = ("paused", "floor", "releaseGroups")
_FIELDS = ("annotations", "labels", "priorityClassName", "backendFramework", "providerOverride")


def edits(old: Spec, new: Spec) -> Edits:
    """Compare two specs of one workload. Empty lists: equal revisions, equal controls."""
    graphs = Graph(old.text), Graph(new.text)
    revision: list[Change] = []
    if not same(dict(projections(old.text)), dict(projections(new.text))):
        revision += [*_graph(*graphs), *_components(*graphs)]
    revision += leaves(dict(shapes_no_pod(old.text)), dict(shapes_no_pod(new.text)), "")
    both = graphs[0].by_name().keys() & graphs[1].by_name().keys()
    controls = differing(dict(_paths(old.controls, both)), dict(_paths(new.controls, both)))
    return Edits(tuple(revision), tuple(_inactive(*graphs)), tuple(controls))


def _graph(old: Graph, new: Graph) -> Iterator[Change]:
    """Compare what reaches every component; annotations that shape pods stand under `metadata`."""
    yield from changes(_wide(old), _wide(new), GRAPH, table(), "")
    before, after = (
        {key: part for key, part in side.annotations().items() if key in BEHAVIOUR} for side in (old, new)
    )
    yield from leaves(before, after, "metadata/annotations")
    yield from leaves(outside_components(old), outside_components(new), "")


def _wide(graph: Graph) -> Json:
    policy = transfer_policy(graph)
    return {
        **{field: graph.spec.get(field) for field in _FIELDS},
        "env": graph.spec.get(graph.env_field),
        "topologyConstraint": graph.topology(),
        "experimental": {"kvTransferPolicy": dict(policy)} if policy else None,
    }


def _components(old: Graph, new: Graph) -> Iterator[Change]:
    before, after = old.by_name(), new.by_name()
    for name in in_order(before, after):
        if name in before and name in after:
            yield from _component(name, before[name], after[name])
        else:
            yield Change(name, _written(before.get(name)), _written(after.get(name)))


def _written(component: Component | None) -> Json:
    return None if component is None else dict(component.written)


def _component(name: str, old: Component, new: Component) -> Iterator[Change]:
    """Compare in the form of v1beta1; the level podTemplate is left out of paths."""
    yield from changes(old.template, new.template, POD_TEMPLATE, table(), name)
    apart = ("podTemplate", *COMPONENT_CONTROLS)
    before, after = (without(side.value, apart) for side in (old, new))
    yield from changes(before, after, PROJECTED, table(), name)


def _inactive(old: Graph, new: Graph) -> Iterator[Change]:
    before, after = old.by_name(), new.by_name()
    for name in before.keys() & after.keys():
        if old.alpha and new.alpha:
            pair = (dict(ignored(before[name])), dict(ignored(after[name])))
            for change in leaves(*pair, name):
                yield Change(change.path, change.old, change.new, INACTIVE)


def _paths(controls: Object, both: set[str]) -> Iterator[tuple[str, Json]]:
    """Give controls by published path; of components only those that both sides have."""
    for key, value in controls.items():
        if key == "components":
            for name in both & mapping(value).keys():
                for field, part in mapping(mapping(value)[name]).items():
                    yield below(name, field), part
        elif key in _ROLLOUT:
            yield from _rollout(key, value, both)
        else:
            yield from flat(key, value)


def _rollout(key: str, value: Json, both: set[str]) -> Iterator[tuple[str, Json]]:
    if key == "releaseGroups":
        yield "rollout/releaseGroups", value
        return
    field = "partition" if key == "floor" else key
    for name, part in mapping(value).items():
        if name in both:
            yield f"rollout/components[{name}]/{field}", part
