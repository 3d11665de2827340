"""Two revisions beside each other, each an object of its own (strategy NewGraph, DESIGN 5).

A candidate takes nothing from stable: its capacity is added, its requests follow, then stable shrinks to what
the requests that it still gets need, each by itself. The partition in force is what a candidate leaves of the
desired replicas; what stable runs stands with its object. Whole numbers only.
"""

from collections.abc import Mapping
from dataclasses import replace

from gitops_rollout.api.policy import Policy
from gitops_rollout.api.values import Object
from gitops_rollout.api.workload import Thresholds
from gitops_rollout.kinds.protocol import Kind
from gitops_rollout.revision.history import History
from gitops_rollout.revision.record import Revision
from gitops_rollout.rollout import beside_bound as bound
from gitops_rollout.rollout.capacity import Ground
from gitops_rollout.rollout.state import Graph, State


def ground(kind: Kind, history: History, state: State, revision: str | None) -> Ground:
    """Say what moves to `revision`: every component whose replicas are ours to write, and which stable does
    not have in the same graph.
    """
    whole, floors = desired(kind, history, state, revision), kind.floors(state.accepted.controls)
    moving = bound.moving(state, whole)
    counts = {name: count for name, count in whole.items() if name in moving}
    return Ground(counts, {name: floors.get(name, 0) for name in counts})


def desired(kind: Kind, history: History, state: State, revision: str | None) -> dict[str, int]:
    """Give all replicas of a revision that are ours to write: what it has while it stands alone (R8)."""
    recorded, controls = history.get(revision), state.accepted.controls
    if recorded is None or kind.beside is None:
        return {}
    foreign = kind.beside.foreign(recorded.text, controls)
    moving = kind.components(recorded.text).keys() - foreign
    return {name: count for name, count in kind.counts(controls).items() if name in moving}


def candidate_replicas(kind: Kind, history: History, state: State, partition: Thresholds) -> dict[str, int]:
    """Give the candidate's replicas at a partition: what it leaves of the desired ones goes to it."""
    whole = ground(kind, history, state, state.candidate or state.offered).counts
    return {name: max(0, count - partition.get(name, count)) for name, count in whole.items()}


def needed(kind: Kind, history: History, state: State) -> dict[str, int]:
    """Give what stable must keep, of what moves, at the requests that it gets now.

    stable ≥ max(partition of the source, its share of the requests, 1 while it gets any) (R24), less what may
    be unavailable; nothing where it gets none.
    """
    whole, weight = desired(kind, history, state, state.stable), state.published.weight or 0
    floors, policy = kind.floors(state.accepted.controls), Policy.from_json(state.accepted.policy)
    found, moving = {}, bound.moving(state, whole)
    for name, count in whole.items():
        if name not in moving:
            continue
        share = count - count * weight // 100
        spared = policy.capacity.max_unavailable.down(count) if weight < 100 else 0
        least = min(count, 1) if weight < 100 else 0
        found[name] = max(min(floors.get(name, 0), count), share - spared, least)
    return found


def surge(state: State, count: int) -> int | None:
    """Give how many replicas more than `count` may run; None: as many as the steps need. A candidate that is
    new needs one at least.
    """
    most = Policy.from_json(state.accepted.policy).capacity.max_surge
    return None if most is None else max(1, most.up(count))


def within_room(kind: Kind, state: State, partition: Thresholds) -> Thresholds:
    """Raise a partition to what may run beside stable as it stands now (`capacity.maxSurge`)."""
    standing = bound.standing(state, state.stable)
    counts = kind.counts(state.accepted.controls)
    raised = {}
    for name, number in partition.items():
        count = counts.get(name, 0)
        more = surge(state, count)
        room = count if more is None else max(0, count + more - standing.get(name, count))
        raised[name] = max(number, count - room)
    return raised


def share(kind: Kind, history: History, state: State, partition: Thresholds) -> int:
    """Give the largest share of the requests, in percent, that every component of the candidate carries.

    A request needs a replica of each component of its group: the scarcest decides, so that prefill and
    decode keep their proportion (Dynamo #10936).
    """
    counts = kind.counts(state.accepted.controls)
    replicas = candidate_replicas(kind, history, state, partition)
    group = routed_group(kind, state)
    shares = [
        100 * replicas[name] // counts[name]
        for name in replicas
        if counts[name] > 0 and (not group or name in group)
    ]
    return min(shares, default=100)


def groups(kind: Kind, state: State) -> Mapping[str, frozenset[str]]:
    """Give the release groups by name: those of the policy, else those of the source."""
    written = Policy.from_json(state.accepted.policy).release_groups
    parts = kind.beside or kind.counted
    declared = parts.groups(state.accepted.controls) if parts is not None else {}
    return {one.name: frozenset(one.components) for one in written} or declared


def routed_group(kind: Kind, state: State) -> frozenset[str]:
    """Give the components that requests pass through: the group that answers them; empty: all of them."""
    gateway = Policy.from_json(state.accepted.policy).gateway
    component = gateway.component if gateway is not None else ""
    return next((members for members in groups(kind, state).values() if component in members), frozenset())


def frozen(kind: Kind, state: State) -> frozenset[str]:
    """Name the components that are held where they are: those of every group with one that is paused.

    A graph without groups is one; a request passes through all of it.
    """
    parts = kind.beside or kind.counted
    paused = parts.paused(state.accepted.controls) if parts is not None else frozenset()
    paused = bound.moving(state, paused)
    if not paused:
        return frozenset()
    everything = frozenset(kind.counts(state.accepted.controls))
    known = groups(kind, state).values()
    grouped = frozenset().union(*known)
    found = [members for members in known if members & paused]
    return frozenset().union(*found, paused - grouped) if known else everything


def shown(kind: Kind, history: History, state: State, partition: Thresholds) -> tuple[Graph, ...]:
    """Give the graphs as the merge of a step leaves them: the candidate grows, stable stays (R7)."""
    stable = state.graph(state.stable)
    if stable is not None and stable.replicas is None:
        whole = desired(kind, history, state, state.stable)
        state = replace(state, graphs=bound.placed(state, state.stable, whole))
    replicas = candidate_replicas(kind, history, state, partition)
    return bound.placed(state, state.offered or state.candidate, replicas)


def stands(state: State) -> bool:
    """Say whether what the candidate has of its own is still there for requests, or on its way out."""
    return state.graph(state.candidate) is not None and not bound.gone(state, state.candidate)


def restored(kind: Kind, history: History, state: State) -> tuple[Graph, ...]:
    """Give the graphs with all of stable's replicas: published at once, for it is in nobody's way (R13)."""
    stable = state.graph(state.stable)
    if stable is None or stable.replicas is None:
        return state.graphs
    ours = {one.name for one in bound.side(state, state.stable)}
    graphs = bound.placed(state, state.stable, desired(kind, history, state, state.stable))
    return tuple(replace(one, stage="serving") if one.name in ours else one for one in graphs)


def rendered(kind: Kind, namespace: str, revision: Revision, controls: Object, graph: Graph) -> Object:
    """Give the object of a graph under these controls; one of routers alone finds its workers elsewhere."""
    value = kind.render(revision.text, controls, revision.injection, None)
    if kind.beside is None or not graph.workers:
        return value
    return kind.beside.bound(value, graph.holds, kind.beside.scope(namespace, graph.workers))
