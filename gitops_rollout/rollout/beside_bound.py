"""Which graphs serve a revision: its own, and the one whose workers its routers use (R17).

Both together are its side. A graph may be on two sides: nothing moves of what both have there, and it
stays while one of them serves.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from gitops_rollout.api.workload import Thresholds
from gitops_rollout.rollout.state import Graph, State


def side(state: State, revision: str | None) -> tuple[Graph, ...]:
    """Give the graphs of a revision: its own, then the one whose workers it uses."""
    own = state.graph(revision)
    if own is None:
        return ()
    return (own, *(one for one in state.graphs if own.workers and one.name == own.workers))


def workers_graph(state: State, revision: str | None) -> Graph | None:
    """Give the graph whose workers a revision uses, None where it has its own."""
    return next(iter(side(state, revision)[1:]), None)


def binds(state: State) -> bool:
    """Say whether the routers of stable use the workers of another graph."""
    return workers_graph(state, state.stable) is not None


def holder(state: State, revision: str | None, component: str) -> str:
    """Name the graph that a component of a revision is in; empty where it has no graph."""
    own = state.graph(revision)
    if own is None:
        return ""
    return own.name if not own.workers or component in own.holds else own.workers


def other_side(state: State, revision: str | None) -> str | None:
    """Name the revision that stands on the other side of the rollout."""
    return state.candidate or state.offered if revision == state.stable else state.stable


def shared(state: State, revision: str | None) -> frozenset[str]:
    """Name the graphs of a revision that the other side uses, too."""
    others = {one.name for one in side(state, other_side(state, revision))}
    return frozenset(one.name for one in side(state, revision) if one.name in others)


def moving(state: State, names: Iterable[str]) -> frozenset[str]:
    """Give those components that stable and the candidate do not have in one graph."""
    revision = state.candidate or state.offered
    if state.graph(revision) is None:
        return frozenset(names)
    return frozenset(
        name for name in names if holder(state, state.stable, name) != holder(state, revision, name)
    )


def standing(state: State, revision: str | None) -> dict[str, int]:
    """Give the replicas of a revision that are published, wherever they are."""
    return {
        name: count
        for graph in side(state, revision)
        for name, count in (graph.replicas or {}).items()
        if holder(state, revision, name) == graph.name
    }


def placed(state: State, revision: str | None, replicas: Mapping[str, int]) -> tuple[Graph, ...]:
    """Give the graphs with these replicas of a revision, each where it belongs; a graph that is only named
    is published by it. What the other side has in a shared graph stays.
    """
    both, own = shared(state, revision), {one.name for one in side(state, revision)}
    found = []
    for one in state.graphs:
        if one.name not in own:
            found.append(one)
            continue
        part = {name: count for name, count in replicas.items() if holder(state, revision, name) == one.name}
        kept = {
            name: count
            for name, count in (one.replicas or {}).items()
            if one.name in both or holder(state, revision, name) != one.name
        }
        stage = "serving" if one.stage == "named" else one.stage
        found.append(replace(one, replicas={**kept, **part}, stage=stage))
    return tuple(found)


def leaves(state: State, graph: Graph, revision: str | None) -> dict[str, int]:
    """Give what of a graph goes with a revision: all of it, or of a shared one what it alone has there."""
    replicas = graph.replicas or {}
    if graph.name not in shared(state, revision):
        return dict(replicas)
    alone = moving(state, replicas)
    return {
        name: count
        for name, count in replicas.items()
        if name in alone and holder(state, revision, name) == graph.name
    }


def gone(state: State, revision: str | None) -> bool:
    """Say whether nothing of a revision is left: its graphs have lost their protection, and of a shared one
    only what the other side uses has replicas.
    """
    both = shared(state, revision)
    return all(
        not any(leaves(state, one, revision).values()) if one.name in both else one.stage == "leaving"
        for one in side(state, revision)
    )


def left_names(state: State, revision: str | None) -> frozenset[str]:
    """Name the components of a revision whose graph has lost its protection: nothing scales them any more."""
    gone_ones = {one.name for one in side(state, revision) if one.stage == "leaving"}
    names = {name for one in side(state, revision) for name in one.replicas or {}}
    return frozenset(name for name in names if holder(state, revision, name) in gone_ones)


def kept_for(state: State, whole: Thresholds) -> dict[str, int]:
    """Give the replicas of the graph whose workers stable uses, while stable stands alone: everything but
    what stable has of its own. `whole` are those of that graph.
    """
    own = state.graph(state.stable)
    holds = own.holds if own is not None else ()
    return {name: 0 if name in holds else count for name, count in whole.items()}
