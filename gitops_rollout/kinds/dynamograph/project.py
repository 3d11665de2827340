"""Source text and its canonical form: what a revision of a graph is.

The text keeps version, order, spelling and absence. The canonical form is one projection a component,
ordered by name: the component in the form of v1beta1 without its controls, with defaults, with what
the graph adds to its pods (env, annotations, labels), and what else of the graph shapes it. What shapes
no pod but is no control either (contracts, claims to create, ingresses) stands beside them.
Pod API defaults are not filled in.
"""

from collections.abc import Iterator, Mapping

from gitops_rollout.api.graph_terms import Contract
from gitops_rollout.api.values import Json, Object, at, mapping, sequence, text
from gitops_rollout.kinds.dynamograph.defaults import with_defaults
from gitops_rollout.kinds.dynamograph.fields import GRAPH, PROJECTED, UNKNOWN, table
from gitops_rollout.kinds.dynamograph.graph import Component, Graph
from gitops_rollout.kinds.dynamograph.words import (
    BEHAVIOUR,
    COMPONENT_CONTROLS,
    DEFAULT_ENFORCEMENT,
    IGNORED,
    MAIN,
    SPEC_CONTROLS,
    WORKERS,
)
from gitops_rollout.kinds.written import without
from gitops_rollout.semantics.canonical import canonical

_TOP = ("apiVersion", "kind", "metadata", "spec", "status")
_EVERYWHERE = ("backendFramework", "priorityClassName", "providerOverride")
"""Fields of the graph that reach every component as they are."""

_FOLDED = ("annotations", "labels")


def source_text(value: Object) -> Object:
    """Give the revisioned fields of an object exactly as written; shares structure with `value`."""
    top = without(value, ("metadata", "status"))
    behaviour: Object = {
        key: part for key, part in Graph(value).annotations().items() if key in BEHAVIOUR and part is not None
    }
    spec = without(mapping(value.get("spec")), SPEC_CONTROLS)
    if contracts := at(value, "spec", "rollout", "compatibility"):
        spec["rollout"] = {"compatibility": contracts}
    if isinstance(spec.get("components"), list):
        spec["components"] = [_revisioned(one) for one in sequence(spec["components"])]
    if isinstance(spec.get("services"), dict):
        spec["services"] = {name: _revisioned(one) for name, one in mapping(spec["services"]).items()}
    metadata: Object = {"metadata": {"annotations": behaviour}} if behaviour else {}
    return {**top, **metadata, "spec": spec}


def _revisioned(component: Json) -> Json:
    return without(component, COMPONENT_CONTROLS) if isinstance(component, dict) else component


def revision_form(source: Object) -> Object:
    """Give the canonical form of a text: projections by name, and what shapes no pod."""
    form: Object = {"components": list(projections(source).values())}
    beside = shapes_no_pod(source)
    return {**form, "beside": beside} if beside else form


def projections(source: Object) -> Mapping[str, Json]:
    """Give the projection of each component by name, ordered by name."""
    graph = Graph(source)
    found: dict[str, Json] = {}
    for component in sorted(graph.components(), key=lambda one: one.name):
        typed = canonical(effective(graph, component), PROJECTED, table()).form
        around = surroundings(graph, component)
        found[component.name] = {"component": typed, **({"graph": around} if around else {})}
    return found


def effective(graph: Graph, component: Component) -> Object:
    """Give a component as its pods see it: defaults filled in, and what the graph adds to every pod."""
    value = with_defaults(without(component.value, COMPONENT_CONTROLS))
    template = mapping(value["podTemplate"])
    metadata = dict(mapping(template.get("metadata")))
    for field in _FOLDED:
        # What a pod template says itself comes first.
        if added := mapping(graph.spec.get(field)):
            metadata[field] = {**added, **mapping(metadata.get(field))}
    env = sequence(graph.spec.get(graph.env_field))
    containers = [
        {**mapping(one), "env": sorted_env(env, sequence(mapping(one).get("env")))}
        if env and mapping(one).get("name") == MAIN
        else one
        for one in sequence(at(template, "spec", "containers"))
    ]
    spec: Object = {**mapping(template.get("spec")), "containers": [*containers]}
    return {**value, "podTemplate": {**template, "metadata": metadata, "spec": spec}}


def sorted_env(common: list[Json], own: list[Json]) -> list[Json]:
    """Merge as the operator does where a graph has variables: the component wins, ordered by name."""
    named = {text(mapping(entry).get("name")): entry for entry in (*common, *own)}
    return [named[name] for name in sorted(named)]


def surroundings(graph: Graph, component: Component) -> Object:
    """Give what else of the graph shapes a component, and fields that nobody knows."""
    spec: Object = {field: graph.spec.get(field) for field in _EVERYWHERE}
    spec["topologyConstraint"] = graph.topology()
    if component.type in WORKERS and (policy := transfer_policy(graph)):
        spec["experimental"] = {"kvTransferPolicy": dict(policy)}
    behaviour: Object = {key: part for key, part in graph.annotations().items() if key in BEHAVIOUR}
    form = {
        "spec": canonical(spec, GRAPH, table()).form,
        "annotations": behaviour,
        "unknown": outside_components(graph),
    }
    return {key: part for key, part in form.items() if part}


def transfer_policy(graph: Graph) -> Object:
    """Give the KV transfer policy with its default, empty when there is none."""
    policy = at(graph.spec, "experimental", "kvTransferPolicy")
    if not isinstance(policy, dict):
        return {}
    return {**policy, "enforcement": text(policy.get("enforcement")) or DEFAULT_ENFORCEMENT}


def outside_components(graph: Graph) -> Object:
    """Collect what stands outside the components and that nobody knows."""
    known = (*table()["dynamo.AlphaSpec" if graph.alpha else "dynamo.BetaSpec"],)
    experimental = without(mapping(graph.spec.get("experimental")), ("kvTransferPolicy",))
    parts: Object = {
        "object": dict(without(graph.value, _TOP)),
        "spec": dict(without(graph.spec, known)),
        "experimental": dict(experimental),
    }
    forms = {key: canonical(part, UNKNOWN, table()).form for key, part in parts.items() if part}
    return {key: form for key, form in forms.items() if form}


def shapes_no_pod(source: Object) -> Object:
    """Give contracts, claims that the operator is to create, and ingresses by component."""
    graph = Graph(source)
    ingresses = {one.name: one.written.get("ingress") for one in graph.components() if graph.alpha}
    parts: Object = {
        "contracts": list(contracts(graph)),
        "pvcs": [claim for claim in _claims(graph) if mapping(claim).get("create") is True],
        "ingresses": {name: part for name, part in sorted(ingresses.items()) if part is not None},
    }
    types = {"pvcs": ["[]", ["struct", "dynamo.PVC"]], "ingresses": ["map", ["struct", "dynamo.Ingress"]]}
    return {
        key: canonical(part, types[key], table()).form if key in types else part
        for key, part in parts.items()
        if part
    }


def _claims(graph: Graph) -> list[Json]:
    return sequence(graph.spec.get("pvcs")) if graph.alpha else []


def contracts(graph: Graph) -> Iterator[Json]:
    """Give the declared contracts, each edge in one order, ordered."""
    declared = sequence(at(graph.spec, "rollout", "compatibility"))
    pairs = {
        (tuple(sorted(map(text, sequence(at(one, "edge"))))), text(at(one, "contract"))) for one in declared
    }
    for edge, contract in sorted(pairs):
        yield {"edge": list(edge), "contract": contract}


def declared(graph: Graph) -> Iterator[Contract]:
    """Give the contracts that a graph declares itself; what a check refuses is none."""
    for one in contracts(graph):
        match sequence(at(one, "edge")), text(at(one, "contract")):
            case [str(first), str(second)], contract if first and second and contract:
                yield Contract.between(first, second, contract)


def ignored(component: Component) -> Object:
    """Give the fields of a service that the operator does not read."""
    return {field: component.written[field] for field in IGNORED if field in component.written}
