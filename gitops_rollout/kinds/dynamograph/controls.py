"""Controls: everything of a graph that is published, or read for us, without making a revision.

One normal form for both API versions, so that equal controls are equal values. Keys: `metadata`,
`restart`, `components` (every component by name: `replicas` iff the source writes it, `minAvailable`,
`scalingAdapter` as the mark {} that v1beta1 has), and of the proposal's `spec.rollout`, which is written
out in place alone: `floor` (partitions by component, 0 left out), `paused` (by component),
`releaseGroups` (ordered by name).
"""

from collections.abc import Collection

from gitops_rollout.api.values import Json, Object, at, mapping, sequence, text
from gitops_rollout.api.workload import WHOLE, Thresholds
from gitops_rollout.kinds.dynamograph.graph import Component, Graph
from gitops_rollout.kinds.dynamograph.words import (
    BEHAVIOUR,
    DEFAULT_REPLICAS,
    DEFAULT_RESTART,
    GROVE_STRATEGY,
    OPERATORS_OWN,
)
from gitops_rollout.kinds.metadata import published
from gitops_rollout.kinds.written import count, present, written_count

ON_DELETE = "OnDelete"

_BY_COMPONENT = ("components", "floor", "paused")


def controls_of(value: Object) -> Object:
    """Give the controls of a checked object in their normal form."""
    graph = Graph(value)
    rollout = mapping(graph.spec.get("rollout"))
    entries = {text(at(one, "name")): mapping(one) for one in sequence(rollout.get("components"))}
    form: Object = {
        "metadata": _metadata(mapping(value.get("metadata"))),
        "restart": _restart(graph.spec.get("restart")),
        "components": {one.name: _component(one) for one in graph.components()},
        "floor": {name: floor for name, one in entries.items() if (floor := count(one.get("partition"), 0))},
        "paused": {name: True for name, one in entries.items() if one.get("paused") is True},
        "releaseGroups": [*_groups(rollout)],
    }
    return {key: part for key, part in form.items() if part not in (None, {}, [])}


def without_replicas(controls: Object) -> Object:
    """Leave the replicas of every component to the cluster."""
    components: Object = {
        name: {key: part for key, part in mapping(one).items() if key != "replicas"}
        for name, one in mapping(controls.get("components")).items()
    }
    return {**controls, "components": components}


def _metadata(metadata: Object) -> Object:
    """Leave out what is part of the revision, and what the operator notes for itself."""
    kept = published(metadata)
    annotations: Object = {
        key: part
        for key, part in mapping(kept.pop("annotations", None)).items()
        if key not in BEHAVIOUR and not key.startswith(OPERATORS_OWN)
    }
    return {**kept, "annotations": annotations} if annotations else kept


def _restart(written: Json) -> Json:
    if not isinstance(written, dict):
        return None
    strategy = mapping(written.get("strategy"))
    kind = strategy.get("type")
    kept = {**strategy, "type": None if kind == DEFAULT_RESTART else kind}
    kept = {key: part for key, part in kept.items() if part not in (None, [])}
    return present({**written, "strategy": kept or None})


def _component(component: Component) -> Object:
    adapter = component.value.get("scalingAdapter")
    return present(
        {
            "replicas": written_count(component.value.get("replicas"), DEFAULT_REPLICAS),
            "minAvailable": written_count(component.value.get("minAvailable"), DEFAULT_REPLICAS),
            "scalingAdapter": None if adapter is None else {},
        }
    )


def _groups(rollout: Object) -> list[Object]:
    groups: list[Object] = [
        present({**mapping(group), "components": [*sorted(map(text, sequence(at(group, "components"))))]})
        for group in sequence(rollout.get("releaseGroups"))
    ]
    return sorted(groups, key=lambda group: text(group.get("name")))


def replicas(controls: Object, component: str) -> int:
    """Give the desired replicas of a component."""
    return count(at(controls, "components", component, "replicas"), DEFAULT_REPLICAS)


def release_groups(controls: Object) -> dict[str, frozenset[str]]:
    """Give the components by the release group that the source puts them into."""
    listed = map(mapping, sequence(controls.get("releaseGroups")))
    return {text(one.get("name")): frozenset(map(text, sequence(one.get("components")))) for one in listed}


def paused(controls: Object) -> frozenset[str]:
    """Name the components that people hold where they are."""
    return frozenset(mapping(controls.get("paused")))


def moves_by_component(_controls: Object) -> bool:
    """A graph moves as a whole."""
    return False


def counts(_controls: Object) -> Thresholds:
    """There is one thing that moves, and one of it."""
    return {WHOLE: 1}


def floors(_controls: Object) -> Thresholds:
    """Nothing of what moves as a whole can be kept back."""
    return {WHOLE: 0}


def read_partition(_published: Object, _controls: Object) -> Thresholds:
    """A published graph shows no partition, so nothing is kept back."""
    return {WHOLE: 0}


def hold_loosening(old: Object, new: Object) -> Object:
    """Give `new` with what loosens protection kept as in `old` (R10).

    Grove's update strategy alone: `OnDelete` replaces no pod by itself. Surge and unavailability are
    annotations of pod templates, and so of the revision; the rest of a graph's controls protects nothing.
    """
    held = at(old, "metadata", "annotations", GROVE_STRATEGY)
    if held != ON_DELETE or at(new, "metadata", "annotations", GROVE_STRATEGY) == ON_DELETE:
        return new
    metadata = mapping(new.get("metadata"))
    annotations: Object = {**mapping(metadata.get("annotations")), GROVE_STRATEGY: held}
    return {**new, "metadata": {**metadata, "annotations": annotations}}


def retain(old: Object, new: Object, components: Collection[str]) -> Object:
    """Give `new`, with the controls of those of `components` that only `old` still has."""
    after = mapping(new.get("components"))
    gone = [name for name in mapping(old.get("components")) if name in components and name not in after]
    if not gone:
        return new
    kept = dict(new)
    for field in _BY_COMPONENT:
        before = mapping(old.get(field))
        if found := {name: before[name] for name in gone if name in before}:
            kept[field] = {**mapping(new.get(field)), **found}
    return kept
