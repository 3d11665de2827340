"""One graph that holds both revisions (strategy InPlace): the candidate's text with spec.rollout.

A partition is how many desired replicas of a component the operator keeps on the revision before. Deployments
have no ordinals: it is a number of replicas and never says which (research/dynamo.md 8.11).
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace

from gitops_rollout.api.values import Json, Object, at, mapping, sequence, text
from gitops_rollout.api.workload import Thresholds
from gitops_rollout.kinds.dynamograph import apart
from gitops_rollout.kinds.dynamograph import controls as _controls
from gitops_rollout.kinds.dynamograph import render as _whole
from gitops_rollout.kinds.dynamograph.controls import replicas
from gitops_rollout.kinds.dynamograph.graph import Graph
from gitops_rollout.kinds.protocol import Endpoint, Injection
from gitops_rollout.kinds.written import count, without

_ROLLOUT = "rollout"
_GROUPS = "releaseGroups"
_AFFINITY: Object = {"revisionAffinity": "required"}


def floors(controls: Object) -> Thresholds:
    """Give the partition that people wrote for each component, no more than its replicas."""
    desired = apart.counts(controls)
    return {name: min(count(at(controls, "floor", name), 0), number) for name, number in desired.items()}


def render(source: Object, controls: Object, injection: Injection, partition: Thresholds | None) -> Object:
    """Give the object with its spec.rollout; without anything to say there it is as every graph.

    `partition` None: as people wrote it. Else exactly these, as far as there are replicas; what it does not
    name keeps what people wrote. Contracts are for us and are not written.
    """
    value = _whole.render(source, controls, injection, None)
    entries: list[Json] = [*_entries(Graph(source), controls, partition)]
    block: Object = {"components": entries, _GROUPS: [*sequence(controls.get(_GROUPS))]}
    block = {key: part for key, part in block.items() if part}
    return {**value, "spec": {**mapping(value.get("spec")), _ROLLOUT: block}} if block else value


def _entries(graph: Graph, controls: Object, partition: Thresholds | None) -> Iterator[Object]:
    """Give what is said of each component, in the order of their names."""
    kept = _kept(graph, controls, partition)
    paused = _controls.paused(controls)
    for name in sorted(graph.by_name()):
        entry: Object = {
            **({"paused": True} if name in paused else {}),
            **({"partition": kept[name]} if name in kept else {}),
        }
        if entry:
            yield {"name": name, **entry}


def _kept(graph: Graph, controls: Object, partition: Thresholds | None) -> Thresholds:
    """Give the partitions that are written: never above the replicas, which the operator refuses.

    Workers share one hash (Dynamo dgd_worker_rollout_reconciler): where one of them moves, all of those that
    did not change are kept as they are, so that none is drawn along.
    """
    written = {name: number for name, number in floors(controls).items() if number}
    if partition is None:
        return written
    workers = {one.name for one in graph.components() if one.is_worker}
    stay = workers - partition.keys() if workers & partition.keys() else frozenset()
    whole = {name: replicas(controls, name) for name in stay}
    return {
        name: min(number, replicas(controls, name))
        for name, number in {**written, **whole, **partition}.items()
    }


def read_partition(published: Object, controls: Object) -> Thresholds:
    """Read the partitions that a published graph shows; one that is no number protects everything, for no
    API server takes it.
    """
    entries = map(mapping, sequence(at(published, "spec", _ROLLOUT, "components")))
    shown = {text(one.get("name")): one.get("partition") for one in entries}
    return {
        name: 0 if shown.get(name) is None else max(0, count(shown[name], desired))
        for name, desired in apart.counts(controls).items()
    }


def hold_loosening(old: Object, new: Object) -> Object:
    """Give `new` with what loosens protection kept as in `old` (R10): release groups hold revisions apart."""
    held = {**_controls.hold_loosening(old, new), _GROUPS: old.get(_GROUPS)}
    return {key: part for key, part in held.items() if part is not None}


def endpoint(source: Object, graph: str, component: str) -> Endpoint | None:
    """Give the pods of a component, of whichever revision: they are told by the label of their own text."""
    found = apart.endpoint(source, graph, component)
    return replace(found, apart=False) if found is not None else None


def with_groups(controls: Object, groups: Mapping[str, Collection[str]]) -> Object:
    """Give controls that write these release groups."""
    listed: list[Json] = [
        {"name": name, "components": [*sorted(groups[name])], **_AFFINITY} for name in sorted(groups)
    ]
    return {**controls, _GROUPS: listed}


def without_pauses(controls: Object) -> Object:
    """Give controls that pause nothing: a way back is held by nobody (R13)."""
    return without(controls, ("paused",))
