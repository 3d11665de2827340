"""Rules about `spec.rollout`, the proposal's own block: always read and checked, and written out in place."""

from collections.abc import Iterator

from gitops_rollout.api.problems import Problem
from gitops_rollout.api.values import Json, Object, at, mapping, sequence, text
from gitops_rollout.kinds.dynamograph.graph import Component, Graph
from gitops_rollout.kinds.dynamograph.words import TYPES
from gitops_rollout.kinds.written import count, problem

_PATH = "spec.rollout"
_EDGE_WORDS = ("router", *TYPES)
_PAIR = ("prefill", "decode")


def _entries(graph: Graph, field: str) -> Iterator[tuple[str, Object]]:
    for index, entry in enumerate(sequence(at(graph.spec, "rollout", field))):
        yield f"{_PATH}.{field}[{index}]", mapping(entry)


def components(graph: Graph) -> Iterator[Problem]:
    """Entries name components that exist, once each, with a partition that can be kept."""
    known, seen = graph.by_name(), dict[str, str]()
    for path, entry in _entries(graph, "components"):
        name = entry.get("name")
        if name is None or name == "":
            yield problem(f"{path}.name", "REQUIRED", "name the component that this is about")
        if not isinstance(name, str) or not name:
            continue
        if name in seen:
            yield problem(f"{path}.name", "DUPLICATE_NAME", f'component "{name}" is already at {seen[name]}')
        seen.setdefault(name, path)
        if name in known:
            yield from _partition(f"{path}.partition", entry.get("partition"), graph, known[name])
        else:
            yield problem(f"{path}.name", "UNKNOWN_COMPONENT", _none(name, known))


def _none(name: str, known: dict[str, Component]) -> str:
    return f'there is no component "{name}"; components are {", ".join(sorted(known))}'


def _partition(path: str, partition: Json, graph: Graph, component: Component) -> Iterator[Problem]:
    if isinstance(partition, str):
        message = f'"{partition}": a partition of a component is a whole number of replicas'
        yield problem(path, "TYPE", message)
    if isinstance(partition, bool) or not isinstance(partition, int | float):
        return
    kept = count(partition, 0)
    if not 0 <= kept <= component.replicas:
        message = f"{kept} is not between 0 and the {component.replicas} replicas of {component.name}"
        yield problem(path, "RANGE", message)
    if graph.recreates(component):
        message = "Recreate takes all pods away first, so no replica can be kept; remove one of the two"
        yield problem(path, "STRATEGY", message)
    if component.multinode:
        yield problem(path, "STRATEGY", "a component of several nodes moves as a whole; remove the partition")


def groups(graph: Graph) -> Iterator[Problem]:
    """Release groups have names of their own and share no component."""
    known, names, members = graph.by_name(), dict[str, str](), dict[str, str]()
    for path, group in _entries(graph, "releaseGroups"):
        name = text(group.get("name"))
        if not name:
            yield problem(f"{path}.name", "REQUIRED", "a release group needs a name")
        elif name in names:
            message = f'release group "{name}" is already at {names[name]}'
            yield problem(f"{path}.name", "DUPLICATE_NAME", message)
        names.setdefault(name, path)
        if not sequence(group.get("components")):
            yield problem(f"{path}.components", "REQUIRED", "name the components that move together")
        if (affinity := text(group.get("revisionAffinity"))) not in ("", "required"):
            yield problem(f"{path}.revisionAffinity", "ENUM", f'"{affinity}" is not one of required')
        for index, member in enumerate(sequence(group.get("components"))):
            place = f"{path}.components[{index}]"
            yield from _member(place, text(member), known, members)


def _member(path: str, name: str, known: dict[str, Component], members: dict[str, str]) -> Iterator[Problem]:
    if name not in known:
        yield problem(path, "UNKNOWN_COMPONENT", _none(name, known))
    elif name in members:
        message = f"{name} is already at {members[name]}; release groups may not overlap"
        yield problem(path, "OVERLAP", message)
    members.setdefault(name, path)


def parted(graph: Graph) -> Iterator[Problem]:
    """A group with prefill has decode and the other way round, unless a contract lets them part."""
    types = {component.name: component.type for component in graph.components()}
    if not set(_PAIR) <= set(types.values()) or _may_part(graph, types):
        return
    for path, group in _entries(graph, "releaseGroups"):
        inside = {types.get(text(member)) for member in sequence(group.get("components"))}
        missing = [kind for kind in _PAIR if kind not in inside]
        if len(missing) == 1:
            message = (
                f"the group leaves {missing[0]} behind: prefill and decode of two revisions cannot be mixed; "
                "add it, or declare a contract of the edge [prefill, decode] under compatibility"
            )
            yield problem(f"{path}.components", "PARTED", message)


def _may_part(graph: Graph, types: dict[str, str]) -> bool:
    for _, entry in _entries(graph, "compatibility"):
        ends = {types.get(text(end), text(end)) for end in sequence(entry.get("edge"))}
        if ends == set(_PAIR) and text(entry.get("contract")):
            return True
    return False


def contracts(graph: Graph) -> Iterator[Problem]:
    """A contract names two ends, components or kinds of them, and what both keep to."""
    known = graph.by_name()
    for path, entry in _entries(graph, "compatibility"):
        edge = sequence(entry.get("edge"))
        if len(edge) != 2:
            yield problem(f"{path}.edge", "REQUIRED", "an edge has two ends, such as [prefill, decode]")
        for index, end in enumerate(edge):
            if isinstance(end, str) and end not in known and end not in _EDGE_WORDS:
                message = f"{_none(end, known)}; or write one of {', '.join(_EDGE_WORDS)}"
                yield problem(f"{path}.edge[{index}]", "UNKNOWN_COMPONENT", message)
        if not text(entry.get("contract")):
            message = "say what both ends keep to, such as nixl/0.7+fp8"
            yield problem(f"{path}.contract", "REQUIRED", message)


def without_effect(graph: Graph) -> Iterator[Problem]:
    """Warn that a graph which moves as a whole keeps nothing back; its kind says under which strategies
    that is so (`heeds`), for a check knows no policy.
    """
    for path, entry in _entries(graph, "components"):
        for field in ("partition", "paused"):
            if entry.get(field):
                message = (
                    "with strategy Whole, the default, the graph moves as a whole: its gate decides, and "
                    "nothing of it is kept back"
                )
                yield problem(f"{path}.{field}", "NO_EFFECT", message)
