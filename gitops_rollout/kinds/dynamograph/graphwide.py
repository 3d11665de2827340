"""Rules about what stands beside the components: restart, topology, transfer policy, annotations, claims."""

import re
from collections.abc import Iterator

from gitops_rollout.api.problems import Problem
from gitops_rollout.api.values import Json, Object, at, mapping, sequence, text
from gitops_rollout.kinds.dynamograph.graph import Component, Graph
from gitops_rollout.kinds.dynamograph.single import provider
from gitops_rollout.kinds.dynamograph.words import (
    DEFAULT_RESTART,
    DISCOVERY_MODE,
    EXECUTOR_BACKEND,
    FRAMEWORKS,
    GROVE_STRATEGY,
    INTRA_POD,
    POWER_LIMIT,
    WORKLOAD_PROVIDER,
)
from gitops_rollout.kinds.names import bad_label
from gitops_rollout.kinds.written import problem

_PARALLEL = "Parallel"
_DOMAIN = re.compile(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?", re.ASCII)
_POLICY = "spec.experimental.kvTransferPolicy"
_ANNOTATIONS = {
    GROVE_STRATEGY: ("RollingRecreate", "OnDelete"),
    DISCOVERY_MODE: ("pod", "container"),
    WORKLOAD_PROVIDER: ("component", "grove"),
}
_BACKENDS = ("mp", "ray")
_CLAIM = ("size", "storageClass", "volumeAccessMode")


def framework(graph: Graph) -> Iterator[Problem]:
    """The backend framework is one of those that there are."""
    word = graph.spec.get("backendFramework")
    if isinstance(word, str) and word not in FRAMEWORKS:
        yield problem("spec.backendFramework", "ENUM", f'"{word}" is not one of {", ".join(FRAMEWORKS)}')
    yield from provider("spec.providerOverride", graph.spec.get("providerOverride"))


def restart(graph: Graph) -> Iterator[Problem]:
    """A restart has an id, and an order that names every component once."""
    written = graph.spec.get("restart")
    if not isinstance(written, dict):
        return
    if not text(written.get("id")):
        yield problem("spec.restart.id", "REQUIRED", "a restart needs an id of its own")
    strategy = mapping(written.get("strategy"))
    word, order = strategy.get("type"), sequence(strategy.get("order"))
    path = "spec.restart.strategy"
    if isinstance(word, str) and word not in (DEFAULT_RESTART, _PARALLEL):
        yield problem(f"{path}.type", "ENUM", f'"{word}" is not one of {DEFAULT_RESTART}, {_PARALLEL}')
    if not order:
        return
    if word == _PARALLEL:
        yield problem(f"{path}.order", "STRATEGY", "a parallel restart has no order")
        return
    yield from _order(f"{path}.order", [text(name) for name in order], graph.by_name())


def _order(path: str, order: list[str], known: dict[str, Component]) -> Iterator[Problem]:
    for index, name in enumerate(order):
        if name not in known:
            message = f'there is no component "{name}"; components are {", ".join(sorted(known))}'
            yield problem(f"{path}[{index}]", "UNKNOWN_COMPONENT", message)
        elif order.index(name) < index:
            yield problem(f"{path}[{index}]", "DUPLICATE_NAME", f"{name} stands twice")
    if missing := sorted(known.keys() - set(order)):
        yield problem(path, "REQUIRED", f"name every component: {', '.join(missing)} is missing")


def topology(graph: Graph) -> Iterator[Problem]:
    """A constraint of a component needs one of the graph, and one of the two names a domain."""
    bound = [one for one in graph.components() if isinstance(one.value.get("topologyConstraint"), dict)]
    path, constraint = "spec.topologyConstraint", graph.topology()
    if bound and not isinstance(constraint, dict):
        message = f"{bound[0].name} has one, so the graph needs one"
        yield problem(path, "REQUIRED", message)
    for component in bound:
        domain = at(component.value, "topologyConstraint", "packDomain")
        yield from _domain(f"{component.path}.topologyConstraint.packDomain", domain, needed=True)
    if not isinstance(constraint, dict):
        return
    if not text(constraint.get("clusterTopologyName")):
        field = "topologyProfile" if graph.alpha else "clusterTopologyName"
        yield problem(f"{path}.{field}", "REQUIRED", "name the topology")
    yield from _domain(f"{path}.packDomain", constraint.get("packDomain"), needed=not bound)


def _domain(path: str, domain: Json, *, needed: bool) -> Iterator[Problem]:
    if domain is None and needed:
        yield problem(path, "REQUIRED", "name the domain")
    if isinstance(domain, str) and not _DOMAIN.fullmatch(domain):
        yield problem(path, "NAME", f'"{domain}": use lower-case letters, digits and "-"')


def transfer(graph: Graph) -> Iterator[Problem]:
    """A KV transfer policy has one source of domains, and a weight where it only prefers."""
    policy = at(graph.spec, "experimental", "kvTransferPolicy")
    if not isinstance(policy, dict):
        return
    yield from _domain(f"{_POLICY}.domain", policy.get("domain"), needed=True)
    key, name = policy.get("labelKey"), policy.get("clusterTopologyName")
    if (key is None) == (name is None):
        yield problem(_POLICY, "REQUIRED", "write either labelKey or clusterTopologyName")
    if isinstance(key, str) and (why := bad_label(key, "")):
        yield problem(f"{_POLICY}.labelKey", "LABEL", why)
    word, weight = policy.get("enforcement"), policy.get("preferredWeight")
    if isinstance(word, str) and word not in ("required", "preferred"):
        yield problem(f"{_POLICY}.enforcement", "ENUM", f'"{word}" is not one of required, preferred')
    if (word == "preferred") != (weight is not None):
        message = "a weight goes with enforcement: preferred, and only with it"
        yield problem(f"{_POLICY}.preferredWeight", "STRATEGY", message)
    elif weight is not None and not _share(weight):
        yield problem(f"{_POLICY}.preferredWeight", "RANGE", "write a number from 0 to 1")


def _share(weight: Json) -> bool:
    return isinstance(weight, int | float) and not isinstance(weight, bool) and 0 <= weight <= 1


def annotations(graph: Graph) -> Iterator[Problem]:
    """Annotations that the operator reads have a value that it takes."""
    for key, allowed in _ANNOTATIONS.items():
        word = graph.annotations().get(key)
        if isinstance(word, str) and word not in allowed:
            message = f'"{word}" is not one of {", ".join(allowed)}'
            yield problem(f"metadata.annotations[{key}]", "ENUM", message)
    yield from _backend("metadata.annotations", graph.annotations())
    for component in graph.components():
        fields = ("annotations", "extraPodMetadata.annotations")
        for field in fields if graph.alpha else ("podTemplate.metadata.annotations",):
            found = mapping(at(component.written, *field.split(".")))
            yield from _backend(f"{component.path}.{field}", found)
            yield from _watts(f"{component.path}.{field}", found, component)
        failover = component.feature("failover")
        if failover is not None and (text(failover.get("mode")) or INTRA_POD) == INTRA_POD:
            yield from _by_container(graph)


def _backend(path: str, found: Object) -> Iterator[Problem]:
    word = found.get(EXECUTOR_BACKEND)
    if isinstance(word, str) and word.lower() not in _BACKENDS:
        message = f'"{word}" is not one of {", ".join(_BACKENDS)}'
        yield problem(f"{path}[{EXECUTOR_BACKEND}]", "ENUM", message)


def _watts(path: str, found: Object, component: Component) -> Iterator[Problem]:
    watts = found.get(POWER_LIMIT)
    if not isinstance(watts, str):
        return
    if not (watts.isascii() and watts.isdigit() and int(watts) > 0):
        yield problem(f"{path}[{POWER_LIMIT}]", "RANGE", f'"{watts}" is no whole number of watts above 0')
    if component.feature("gpuMemoryService") is not None:
        message = "a power limit cannot be counted for GPUs that are claimed; remove one of the two"
        yield problem(f"{path}[{POWER_LIMIT}]", "STRATEGY", message)


def _by_container(graph: Graph) -> Iterator[Problem]:
    if graph.annotations().get(DISCOVERY_MODE) != "container":
        message = f'failover within a pod needs the annotation {DISCOVERY_MODE}: "container"'
        yield problem(f"metadata.annotations[{DISCOVERY_MODE}]", "REQUIRED", message)


def claims(graph: Graph) -> Iterator[Problem]:
    """Claims have a name, and those to create say what to create."""
    for index, written in enumerate(sequence(graph.spec.get("pvcs")) if graph.alpha else ()):
        claim, path = mapping(written), f"spec.pvcs[{index}]"
        if not text(claim.get("name")):
            yield problem(f"{path}.name", "REQUIRED", "name the claim")
        for field in _CLAIM if claim.get("create") is True else ():
            if claim.get(field) is None:
                yield problem(f"{path}.{field}", "REQUIRED", "a claim that is created needs it")
