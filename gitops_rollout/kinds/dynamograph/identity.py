"""Rules about names: of the graph, of its components, and of what the operator names after both."""

import re
from collections.abc import Iterator

from gitops_rollout.api.problems import Problem
from gitops_rollout.kinds import metadata
from gitops_rollout.kinds.dynamograph.graph import Component, Graph
from gitops_rollout.kinds.dynamograph.words import (
    COMBINED_LENGTH,
    HASH_SUFFIX,
    LEADER_SUFFIX,
    SHORTEST_GRAPH,
    TYPES,
)
from gitops_rollout.kinds.names import LABEL_LENGTH
from gitops_rollout.kinds.written import foreign, problem

_COMPONENT = re.compile(r"[A-Za-z0-9]([-A-Za-z0-9]*[A-Za-z0-9])?", re.ASCII)
_COMPONENTS = 25


def identity(graph: Graph) -> Iterator[Problem]:
    """The object has a name and a namespace that services and pods can be named after."""
    return metadata.identity(graph.value, "a graph", graph.name.replace(".", "-"))


def components(graph: Graph) -> Iterator[Problem]:
    """Components: 1 to 25, each with a name that no other has in any case, at most one picker."""
    found = list(graph.components())
    if not found:
        yield problem(graph.components_path, "REQUIRED", "at least one component is needed")
    if len(found) > _COMPONENTS:
        message = f"{len(found)} components: the CRD takes at most {_COMPONENTS}"
        yield problem(graph.components_path, "RANGE", message)
    first: dict[str, Component] = {}
    for component in found:
        yield from _name(graph, component)
        name = component.name.lower()
        if name and name in first:
            message = (
                f'component "{component.name}" and "{first[name].name}" at {first[name].path} have one name: '
                "names must differ in more than upper and lower case"
            )
            yield problem(_name_path(graph, component), "DUPLICATE_NAME", message)
        first.setdefault(name, component)
    yield from _types(graph, found)


def _name_path(graph: Graph, component: Component) -> str:
    return component.path if graph.alpha else f"{component.path}.name"


def _name(graph: Graph, component: Component) -> Iterator[Problem]:
    path, name = _name_path(graph, component), component.value.get("name")
    if name is None or name == "":
        yield problem(path, "REQUIRED", "a component needs a name")
    if not isinstance(name, str) or not name:
        return
    if not _COMPONENT.fullmatch(name) or len(name) > LABEL_LENGTH:
        strange = foreign(name)
        rule = f'use at most {LABEL_LENGTH} letters, digits and "-", with a letter or digit at both ends'
        yield problem(
            path, "NAME", f'"{name}" is no component name: {strange + "; " if strange else ""}{rule}'
        )


def _types(graph: Graph, found: list[Component]) -> Iterator[Problem]:
    """Types are one of a few in v1beta1, and free in v1alpha1."""
    pickers = [component for component in found if component.type == "epp"]
    for component in pickers[1:]:
        message = f"{pickers[0].name} is the endpoint picker already; a graph takes one"
        yield problem(f"{component.path}.{_type_field(graph)}", "DUPLICATE_TYPE", message)
    for component in () if graph.alpha else found:
        if component.type and component.type not in TYPES:
            message = f'"{component.type}" is not one of {", ".join(TYPES)}'
            yield problem(f"{component.path}.type", "ENUM", message)


def _type_field(graph: Graph) -> str:
    return "componentType" if graph.alpha else "type"


def generated(graph: str, component: Component) -> str:
    """Give the longest name that the operator makes of a component: workers carry their hash."""
    return f"{graph}-{component.name.lower()}{HASH_SUFFIX if component.is_worker else ''}"


def combined(graph: str, component: Component) -> int:
    """Count what Grove counts of a component of several nodes: graph, component, its longest clique."""
    return len(graph) + 2 * len(component.name) + len(LEADER_SUFFIX)


def budget(graph: Graph) -> Iterator[Problem]:
    """What is named after graph and component must fit into a label, and for several nodes into Grove."""
    for component in graph.components():
        name = generated(graph.name, component)
        if len(name) > LABEL_LENGTH:
            message = (
                f'the generated name "{name}" has {len(name)} characters, at most {LABEL_LENGTH} fit into a '
                "label; shorten metadata.name or the component's name"
            )
            yield problem(_name_path(graph, component), "NAME_TOO_LONG", message)
        if component.multinode and _least(graph, component) > COMBINED_LENGTH:
            yield problem(_name_path(graph, component), "NAME_TOO_LONG", _too_long(graph.name, component))


def _least(graph: Graph, component: Component) -> int:
    """Count with the graph's name as short as the operator makes it."""
    return combined(graph.name[:SHORTEST_GRAPH], component)


def shortened(graph: Graph) -> Iterator[Problem]:
    """Warn where only shortening the graph's name lets Grove take it: older operators refuse instead."""
    for component in graph.components():
        if component.multinode and _least(graph, component) <= COMBINED_LENGTH < combined(
            graph.name, component
        ):
            yield problem(_name_path(graph, component), "NAME_SHORTENED", _too_long(graph.name, component))


def _too_long(graph: str, component: Component) -> str:
    name = component.name.lower()
    return (
        f'"{graph}", "{name}" and "{name}{LEADER_SUFFIX}" have {combined(graph, component)} characters '
        f"together, and Grove takes {COMBINED_LENGTH} of a component of several nodes; shorten "
        "metadata.name or the component's name"
    )
