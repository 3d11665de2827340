"""Revisions side by side (strategy NewGraph): each is a graph of its own, in a Dynamo namespace of its own.

Routers find workers by the namespace that they stand in, so that the routers of a revision reach its own
workers and no others: affinity by construction (the proposal's invariant 3).
"""

import hashlib
from collections.abc import Collection

from gitops_rollout.api.values import Json, Object, at, mapping, sequence
from gitops_rollout.api.workload import Thresholds, WorkloadKey
from gitops_rollout.kinds.dynamograph.controls import replicas
from gitops_rollout.kinds.dynamograph.graph import Component, Graph
from gitops_rollout.kinds.protocol import Endpoint
from gitops_rollout.semantics.canonical import canonical_bytes

_SALTS = 16
_LABELS = "nvidia.com/"
_GRAPH, _COMPONENT = f"{_LABELS}dynamo-graph-deployment-name", f"{_LABELS}dynamo-component"
_FRONTEND_PORT = 8000
"""Where the operator lets a frontend listen, whatever its container declares (Dynamo consts)."""


def dynamo_namespace(namespace: str, graph: str) -> str:
    """Give the Dynamo namespace that the operator derives for a graph."""
    return f"{namespace}-{graph.replace('.', '-')}"


def shadowed(namespace: str, others: Collection[str]) -> str:
    """Name one of `others` that shares a prefix with `namespace`: routers of one would use workers of both.

    Frontends and endpoint pickers find workers by `starts_with` (Dynamo namespace.rs); empty: there is none.
    """
    return next((one for one in sorted(others) if one.startswith(namespace) or namespace.startswith(one)), "")


def graph_name(key: WorkloadKey, digest: str, others: Collection[str]) -> str:
    """Name the graph of a revision, so that no Dynamo namespace of `others` is a prefix of its own, nor the
    other way round (R17); empty when no name is free of that.
    """
    for collisions in range(_SALTS):
        salted: Json = [key.kind, key.namespace, key.name, digest, collisions]
        name = f"r{hashlib.sha256(canonical_bytes(salted)).hexdigest()[:10]}-{key.name}"
        if not shadowed(dynamo_namespace(key.namespace, name), others):
            return name
    return ""


def counts(controls: Object) -> Thresholds:
    """Give the desired replicas of every component."""
    return {name: replicas(controls, name) for name in mapping(controls.get("components"))}


def floors(controls: Object) -> Thresholds:
    """Give what of each component stays on stable, as its partition says: at least one may always be tried,
    for a candidate stands beside stable and takes nothing from it.
    """
    desired = counts(controls)
    kept = {name: at(controls, "floor", name) for name in desired}
    return {
        name: min(number, max(0, desired[name] - 1)) if isinstance(number, int) else 0
        for name, number in kept.items()
    }


def with_replicas(controls: Object, wanted: Thresholds) -> Object:
    """Give controls that write exactly these replicas for these components."""
    components: Object = {
        name: {**mapping(one), **({"replicas": wanted[name]} if name in wanted else {})}
        for name, one in mapping(controls.get("components")).items()
    }
    return {**controls, "components": components}


def foreign(text: Object, controls: Object) -> frozenset[str]:
    """Name the components whose replicas somebody in the cluster owns: a scaling adapter, or a planner in
    the same graph, which scales all workers of it (R8).
    """
    found = list(Graph(text).components())
    planned = any(one.type == "planner" for one in found)
    return frozenset(
        one.name
        for one in found
        if at(controls, "components", one.name, "scalingAdapter") is not None or (planned and one.is_worker)
    )


def last_down(text: Object) -> frozenset[str]:
    """Name what is scaled down last: prefill hands its cache over to decode until the end (Dynamo #11173)."""
    return frozenset(one.name for one in Graph(text).components() if one.type == "prefill")


def answering(text: Object) -> str:
    """Name the component that answers requests: the only frontend, or endpoint picker, or component."""
    found = list(Graph(text).components())
    doors = [one.name for one in found if one.type in ("frontend", "epp")] or [one.name for one in found]
    return doors[0] if len(doors) == 1 else ""


def endpoint(text: Object, graph: str, component: str) -> Endpoint | None:
    """Give the pods of a component, which its graph and its name tell from those of every other graph.

    A graph with an endpoint picker has a pool that the operator makes, of all its workers.
    """
    found = Graph(text).by_name().get(component)
    if found is None:
        return None
    labels = {_GRAPH: graph, _COMPONENT: component}
    written = mapping(at(found.template, "metadata", "labels"))
    return Endpoint(
        labels,
        {key: value for key, value in written.items() if isinstance(value, str)},
        _ports(found),
        _LABELS,
        frozenset(),
        apart=True,
        pool=f"{graph}-pool" if found.type == "epp" else "",
    )


def _ports(component: Component) -> dict[int, bool]:
    found: dict[int, bool] = {_FRONTEND_PORT: True} if component.type in ("frontend", "epp") else {}
    for container in map(mapping, sequence(at(component.template, "spec", "containers"))):
        for port in sequence(container.get("ports")):
            number = mapping(port).get("containerPort")
            if isinstance(number, int) and not isinstance(number, bool):
                found[number] = found.get(number, False) or container.get("name") == "main"
    return found
