"""Routers that use the workers of another graph (proposal, "For a router-only update ...").

A frontend looks for workers in all Dynamo namespaces that begin with `DYN_NAMESPACE_PREFIX`. The operator
sets it to the namespace of the frontend's own graph, and what a template says itself comes first: so a
frontend is bound by that variable. `DYN_NAMESPACE` alone would do nothing, for the prefix wins where both
are set, an empty prefix means every namespace, and the exact one ends with a hash that only the operator
knows. As no two namespaces share a prefix (R17), this one is exact.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

from gitops_rollout.api.graph_terms import Contract
from gitops_rollout.api.values import Json, Object, at, mapping, sequence, text
from gitops_rollout.kinds.dynamograph import project
from gitops_rollout.kinds.dynamograph.apart import foreign
from gitops_rollout.kinds.dynamograph.graph import Component, Graph
from gitops_rollout.kinds.dynamograph.impact import changed_components
from gitops_rollout.kinds.dynamograph.words import MAIN
from gitops_rollout.kinds.protocol import ROUTER, WORKER, Kept, RoutersAlone
from gitops_rollout.kinds.written import without
from gitops_rollout.semantics.canonical import canonical_bytes

BOUND_BY = "DYN_NAMESPACE_PREFIX"
_PLACES = (BOUND_BY, "DYN_NAMESPACE")
_FLAG = "--namespace"
_PLANNERS = ("planner",)


def routers_alone(old: Kept, new: Kept, controls: Object, answers: str) -> RoutersAlone:
    """Say whether only routers changed that can use the workers of `old`, whose graph stays for both.

    `answers` names the component that requests are sent to. Without a contract nothing is said.
    """
    before, after = Graph(old.text), Graph(new.text)
    changed = changed_components(old.text, new.text)
    routers = [one for one in after.components() if one.name in changed]
    workers = [one for one in after.components() if one.is_worker]
    alike = before.by_name().keys() == after.by_name().keys() and _beside(old.text) == _beside(new.text)
    if not routers or not workers or not alike or not all(map(_routes, routers)):
        return RoutersAlone()
    kept = [_kept(one, routers, workers) for one in (old, new)]
    if not any(any(words) for one in kept for words in one.values()):
        return RoutersAlone()
    why = _unequal(*kept) or next(_unbindable(after, routers, controls), "")
    if not why and answers not in changed:
        why = f"{answers}, which requests are sent to, is as it was"
    return RoutersAlone(why_not=why) if why else RoutersAlone(frozenset(changed))


def router_contracts(source: Object, declared: Iterable[Contract]) -> tuple[Contract, ...]:
    """Give the contracts between routers and workers of a text: its own, and those of `declared`, ordered."""
    graph = Graph(source)
    found = list(graph.components())
    pairs = [(one, other) for one in found if _routes(one) for other in found if other.is_worker]
    known = {*declared, *project.declared(graph)}
    between = (one for one in known if any(_covers(one, *pair) for pair in pairs))
    return tuple(sorted(between, key=lambda one: (one.edge, one.contract)))


def bound(value: Object, components: Collection[str], namespace: str) -> Object:
    """Give a rendered graph with these components alone, which look for workers in a Dynamo namespace."""
    spec = dict(mapping(value.get("spec")))
    place: Object = {"name": BOUND_BY, "value": namespace}
    if isinstance(spec.get("components"), list):
        listed = (mapping(one) for one in sequence(spec["components"]))
        spec["components"] = [_bound(one, place) for one in listed if one.get("name") in components]
    if isinstance(spec.get("services"), dict):
        spec["services"] = {
            name: {**mapping(one), "envs": [*sequence(at(one, "envs")), place]}
            for name, one in mapping(spec["services"]).items()
            if name in components
        }
    if order := sequence(at(spec, "restart", "strategy", "order")):
        # An order names every component of its graph, and no other (Dynamo's webhook).
        restart = mapping(spec["restart"])
        strategy = {**mapping(restart["strategy"]), "order": [one for one in order if one in components]}
        spec["restart"] = {**restart, "strategy": strategy}
    return {**value, "spec": spec}


def _bound(component: Object, place: Object) -> Object:
    template = mapping(component.get("podTemplate"))
    spec = mapping(template.get("spec"))
    containers: list[Json] = [
        {**mapping(one), "env": [*sequence(at(one, "env")), place]} if at(one, "name") == MAIN else one
        for one in sequence(spec.get("containers"))
    ]
    return {**component, "podTemplate": {**template, "spec": {**spec, "containers": containers}}}


def _routes(component: Component) -> bool:
    """Say whether a component routes: standalone routers have no type (Dynamo's own examples)."""
    return not component.is_worker and component.type not in _PLANNERS


def _beside(source: Object) -> bytes:
    """Give what shapes no pod of a text, but its contracts."""
    return canonical_bytes(dict(without(project.shapes_no_pod(source), ("contracts",))))


_Words = Mapping[tuple[str, str], frozenset[str]]


def _kept(one: Kept, routers: Collection[Component], workers: Collection[Component]) -> _Words:
    """Give what each router and each worker keep to, in the words of their contracts."""
    return {
        (router.name, worker.name): frozenset(
            each.contract for each in one.contracts if _covers(each, router, worker)
        )
        for router in routers
        for worker in workers
    }


def _covers(contract: Contract, router: Component, worker: Component) -> bool:
    return contract.joins({router.name, router.type, ROUTER}, {worker.name, worker.type, WORKER})


def _unequal(before: _Words, after: _Words) -> str:
    for pair, words in after.items():
        if words and words == before[pair]:
            continue
        old, new = (" and ".join(sorted(one)) or "nothing" for one in (before[pair], words))
        return f"{' and '.join(pair)} keep to {old} in stable and to {new} in it"
    return ""


def _unbindable(graph: Graph, routers: Collection[Component], controls: Object) -> Iterator[str]:
    """Say of each router why it cannot be pointed at the workers of another graph."""
    adapted = foreign(graph.value, controls)
    if at(graph.spec, "experimental", "componentGroups"):
        yield "its component groups name components that a graph of routers has not"
    for planner in (one.name for one in graph.components() if one.type in _PLANNERS):
        yield f"{planner} scales its workers by what the routers of its own graph measure"
    for router in routers:
        for holds, why in _REASONS:
            if holds(graph, router):
                yield f"{router.name} {why}"
        if router.name in adapted:
            yield f"{router.name} has a scaling adapter, which would keep the one of stable"


def _places_itself(graph: Graph, router: Component) -> bool:
    env = (*sequence(graph.spec.get(graph.env_field)), *sequence(router.main.get("env")))
    words = (*sequence(router.main.get("command")), *sequence(router.main.get("args")))
    return any(at(one, "name") in _PLACES for one in env) or any(_FLAG in text(word) for word in words)


_REASONS: tuple[tuple[Callable[[Graph, Component], bool], str], ...] = (
    (
        lambda _, one: one.type == "epp",
        "picks endpoints of a pool that the operator makes of the workers in its own graph",
    ),
    (
        lambda _, one: one.type not in ("frontend", "epp"),
        "is no frontend: its arguments, and no variable, say where its workers are",
    ),
    (_places_itself, f"says itself where its workers are ({_FLAG}, {' or '.join(_PLACES)})"),
)
