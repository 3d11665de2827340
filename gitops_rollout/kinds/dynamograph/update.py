"""Checks of an update against what was last accepted: what the API server or the operator refuses to change.

Refusals
    COMPONENT_SET    components added, removed or renamed: a graph keeps those that it was made with
    IMMUTABLE        framework, topology, transfer policy, minAvailable, one node or several, layouts over
                     several pods, power limits and what they count, provider
    SCALING_ADAPTER  replicas that belong to a scaling adapter
"""

from collections.abc import Iterator

from gitops_rollout.api.problems import Problem
from gitops_rollout.api.values import Json, Object, at, mapping, text
from gitops_rollout.api.workload import Spec
from gitops_rollout.kinds.dynamograph.controls import replicas
from gitops_rollout.kinds.dynamograph.defaults import with_defaults
from gitops_rollout.kinds.dynamograph.fields import COMPONENT, GRAPH, table
from gitops_rollout.kinds.dynamograph.graph import Component, Graph
from gitops_rollout.kinds.dynamograph.project import transfer_policy
from gitops_rollout.kinds.dynamograph.words import DEFAULT_GPU, INTER_POD, POWER_LIMIT, WORKLOAD_PROVIDER
from gitops_rollout.kinds.leaves import same
from gitops_rollout.kinds.written import count, problem
from gitops_rollout.semantics.canonical import canonical

_ANEW = "create a new graph under another name to change it"
_FEATURES = (("gpuMemoryService", "mode"), ("failover", "mode"))


def check_update(source: Object, controls: Object, new: Spec) -> tuple[Problem, ...]:
    """Refuse what may not change against the last accepted text and controls."""
    before, after = Graph(source), Graph(new.text)
    found = [*_graph(before, after), *_provider(controls, new.controls), *_component_set(before, after)]
    old = before.by_name()
    for component in after.components():
        if component.name in old:
            found += _component(old[component.name], component)
            found += _counts(component, controls, new.controls)
    return tuple(found)


def _immutable(path: str, why: str = "") -> Problem:
    return problem(path, "IMMUTABLE", f"immutable: {why}{_ANEW}")


def _graph(before: Graph, after: Graph) -> Iterator[Problem]:
    old, new = (text(side.spec.get("backendFramework")) for side in (before, after))
    if old != new:
        yield _immutable("spec.backendFramework", f"{old or '(none)'} -> {new or '(none)'}; ")
    if not _alike("topologyConstraint", before.topology(), after.topology()):
        yield _immutable("spec.topologyConstraint")
    if not _alike("experimental", _policy(before), _policy(after)):
        yield _immutable("spec.experimental.kvTransferPolicy")
    overrides = (side.spec.get("providerOverride") for side in (before, after))
    yield from _override("spec.providerOverride", *overrides)


def _policy(graph: Graph) -> Json:
    return {"kvTransferPolicy": dict(transfer_policy(graph)) or None}


def _alike(field: str, old: Json, new: Json) -> bool:
    forms = (canonical({field: side}, GRAPH, table()).form for side in (old, new))
    return same(*forms)


def _override(path: str, old: Json, new: Json) -> Iterator[Problem]:
    for field in ("apiVersion", "target"):
        if old is not None and new is not None and text(at(old, field)) != text(at(new, field)):
            yield _immutable(f"{path}.{field}")


def _provider(old: Object, new: Object) -> Iterator[Problem]:
    """The operator writes the provider when it makes the graph; nobody else may."""
    before, after = (at(side, "metadata", "annotations", WORKLOAD_PROVIDER) for side in (old, new))
    if before != after:
        path = f"metadata.annotations[{WORKLOAD_PROVIDER}]"
        yield problem(path, "IMMUTABLE", "immutable: only the operator writes it; leave it as it was")


def _component_set(before: Graph, after: Graph) -> Iterator[Problem]:
    old, new = set(before.by_name()), set(after.by_name())
    if old != new:
        message = (
            f"components {', '.join(sorted(old))} -> {', '.join(sorted(new))}: the operator refuses to add "
            "or remove any; create a new graph under another name"
        )
        yield problem(after.components_path, "COMPONENT_SET", message)


def _component(old: Component, new: Component) -> Iterator[Problem]:
    if old.multinode != new.multinode:
        yield _immutable(f"{new.path}.multinode", "one node or several; ")
    forms = (
        canonical({"topologyConstraint": side.value.get("topologyConstraint")}, COMPONENT, table()).form
        for side in (old, new)
    )
    if not same(*forms):
        yield _immutable(f"{new.path}.topologyConstraint")
    for feature, field in _FEATURES:
        over = [at(with_defaults(side.value), "experimental", feature, field) for side in (old, new)]
        if (over[0] == INTER_POD) != (over[1] == INTER_POD):
            yield _immutable(f"{new.feature_path(feature)}.{field}", "the layout over several pods; ")
    if _scales_as_group(old) != _scales_as_group(new):
        yield _immutable(f"{new.feature_path('grove')}.forceScalingGroup")
    before, after = (side.value.get("providerOverride") for side in (old, new))
    yield from _override(f"{new.path}.providerOverride", before, after)
    yield from _power(old, new)


def _scales_as_group(component: Component) -> bool:
    return mapping(component.feature("grove")).get("forceScalingGroup") is True


def _power(old: Component, new: Component) -> Iterator[Problem]:
    """The planner keeps what a power limit counts: the watts, GPUs and nodes of a replica."""
    before, after = (at(side.template, "metadata", "annotations", POWER_LIMIT) for side in (old, new))
    if before != after:
        yield _immutable(f"{new.path}.podTemplate.metadata.annotations[{POWER_LIMIT}]")
    elif before is not None and (_gpus(old), old.nodes) != (_gpus(new), new.nodes):
        yield _immutable(new.path, "GPUs and nodes under a power limit; ")


def _gpus(component: Component) -> tuple[str, str]:
    resources = canonical(component.main.get("resources"), ["struct", "core.ResourceRequirements"], table())
    limit, request = (text(at(resources.form, field, DEFAULT_GPU)) for field in ("limits", "requests"))
    return limit, request


def _counts(component: Component, old: Object, new: Object) -> Iterator[Problem]:
    name = component.name
    before, after = (mapping(at(side, "components", name)) for side in (old, new))
    least = before.get("minAvailable")
    if least is not None and count(least, 1) != count(after.get("minAvailable"), 1):
        yield _immutable(f"{component.path}.minAvailable")
    adapted = "scalingAdapter" in before or "scalingAdapter" in after
    if adapted and replicas(old, name) != replicas(new, name):
        message = (
            f"{replicas(old, name)} -> {replicas(new, name)}: a scaling adapter owns the replicas; "
            "scale the adapter, and leave the number here as it is"
        )
        yield problem(f"{component.path}.replicas", "SCALING_ADAPTER", message)
