"""Which revisions routers are told of, and what they have to be told before anything else may follow.

The order of the proposal, both ways: capacity, binding, acknowledgement, requests; and back: requests,
binding, acknowledgement, capacity. Each is a commit of its own (delivery-gateway G0; R5, R19).
"""

from collections.abc import Mapping

from gitops_rollout.api.policy import Policy
from gitops_rollout.api.router_terms import RouterMode
from gitops_rollout.api.values import at
from gitops_rollout.api.workload import Thresholds
from gitops_rollout.kinds.protocol import ROUTER, Kind
from gitops_rollout.revision.history import History
from gitops_rollout.rollout import beside
from gitops_rollout.rollout import beside_bound as bound
from gitops_rollout.rollout import gate as gates
from gitops_rollout.rollout.bindings import (
    Binding,
    Bindings,
    RouterPolicy,
    body,
    coherent,
    declared,
    digest,
    staying,
)
from gitops_rollout.rollout.gate import Gate
from gitops_rollout.rollout.routing import RESTORED, changed_components, unit
from gitops_rollout.rollout.state import State

UNGROUPED = "serving"
"""What a graph without release groups is called towards its routers: all of it is one."""


def managed(state: State) -> bool:
    """Say whether routers are told whom to choose."""
    # Told from the form alone: every pass asks it of every workload.
    return at(state.accepted.policy, "routerPolicy", "mode") == RouterMode.MANAGEMENT_API


def named(state: State, revision: str | None) -> bool:
    """Say whether the policy in force names a revision: its routers may answer, its workers be chosen."""
    return revision is not None and state.bindings is not None and state.bindings.names(revision)


def left_out(state: State) -> bool:
    """Say whether stable's routers are told nothing any more, so that they would answer nobody."""
    return state.bindings is not None and not named(state, state.stable)


def alone(state: State, counts: Thresholds) -> bool:
    """Say whether nobody answers but the candidate: stable has left, or its routers are told nothing. What is
    taken from the candidate's requests would reach nobody.
    """
    graph = state.graph(state.stable)
    left = graph is not None and graph.replicas is not None and not graph.replicas.get(unit(state, counts), 1)
    return left or left_out(state)


def releases(state: State) -> bool:
    """Say whether a candidate is bound that is given up, or of which no step is approved any more: its
    binding leaves after its requests and before its replicas (G2.14).
    """
    return state.candidate != state.stable and named(state, state.candidate) and not _wanted(state)


def _wanted(state: State) -> bool:
    serves = state.candidate is not None and state.candidate == state.offered
    return serves and state.published.step is not None


def change_due(kind: Kind, state: State, gate: Gate | None) -> str | None:
    """Name what the routers have to be told before `gate`, None where they know; the first row counts."""
    force, published = state.bindings, state.published
    if not managed(state) or state.withdraw is not None:
        return None
    on_the_way = _wanted(state) and published.weight == 100 and published.step != RESTORED
    waits = gate is not None and state.since.drain is None
    at_rest = state.candidate is None
    rows = (
        (force is None, gates.TELL),
        (left_out(state) and not on_the_way, gates.RESTORE),
        (releases(state) and not published.traffic, gates.UNBIND),
        (force is not None and at_rest and _outdated(force, kind, state), gates.TELL),
        (waits and _wanted(state) and not named(state, state.candidate), gates.BIND),
        (_wanted(state) and named(state, state.stable) and _takes_stable(state, gate), gates.PROMOTE),
    )
    return next((change for holds, change in rows if holds), None)


def _outdated(force: Bindings, kind: Kind, state: State) -> bool:
    """Say whether a workload at rest tells its routers of another group, or of others than stable."""
    others = [one for one in force.routers if one.router != state.stable]
    return force.group != release_group(kind, state) or force.default != state.stable or bool(others)


def _takes_stable(state: State, gate: Gate | None) -> bool:
    """Say whether a gate takes replicas from a stable that gets no requests any more, or ends it."""
    if gate is None or state.published.weight != 100:
        return False
    shrinks = gate.stable is not None or (gate.step == gates.DRAINED and gate.partition is not None)
    return shrinks or gate.step == gates.COMPLETE


def before(kind: Kind, history: History, state: State, gate: Gate | None) -> Gate | None:
    """Give what comes first: a change of what the routers are told, or the gate itself."""
    change = change_due(kind, state, gate)
    return gate if change is None else gates.plain(kind, history, state, change)


def is_change(gate: Gate | None) -> bool:
    """Say whether this is about what routers are told: nobody is asked, and nobody can approve it."""
    return gate is not None and gate.step in gates.POLICY_CHANGES


def release_group(kind: Kind, state: State) -> str:
    """Name the release group that requests pass through."""
    gateway = Policy.from_json(state.accepted.policy).gateway
    component = gateway.component if gateway is not None else ""
    known = beside.groups(kind, state).items()
    return next((name for name, members in known if component in members), UNGROUPED)


def after(kind: Kind, history: History, state: State, change: str) -> Bindings:
    """Give what the routers are told by a change."""
    candidate = state.candidate or state.stable
    kept = [candidate] if named(state, state.candidate) and candidate != state.stable else []
    rows: Mapping[str, tuple[str, list[str]]] = {
        gates.RESTORE: (state.stable, kept),
        gates.BIND: (state.stable, [candidate]),
        gates.PROMOTE: (candidate, []),
    }
    default, others = rows.get(change, (state.stable, []))
    first = _bound(kind, history, state, default)
    return Bindings.of(
        release_group(kind, state), first, [_bound(kind, history, state, one) for one in others]
    )


def _bound(kind: Kind, history: History, state: State, revision: str) -> Binding:
    """Bind a revision to workers of its own, but for those that it shares with stable under a contract."""
    # A revision that cannot be read was bound before; it has the roles that stable has, or is not asked.
    recorded, force = history.get(revision) or history[state.stable], state.bindings
    roles = kind.roles(recorded.text)
    workers = sorted(set(roles.values()) - {ROUTER})
    elsewhere = bound.workers_graph(state, revision)
    own = dict.fromkeys(workers, revision if elsewhere is None else elsewhere.revision)
    known = force.chosen(revision, workers) if force is not None else {}
    if known or kind.beside is not None or revision == state.stable or force is None:
        return Binding(revision, {**own, **known})
    edges = declared(Policy.from_json(state.accepted.policy).contracts, roles)
    theirs = force.chosen(state.stable, workers)
    changed = changed_components(kind, history[state.stable].text, recorded.text)
    shared = theirs.keys() - {role for name, role in roles.items() if name in changed}
    chosen = (own | {role: theirs[role] for role in some} for some in staying(shared))
    return Binding(revision, next(one for one in chosen if coherent(revision, one, edges)))


def told(state: State, bindings: Bindings, reported: int) -> tuple[RouterPolicy, Bindings]:
    """Give the version at which the routers are told this: above every version that there ever was (R19).

    `reported`: the highest that any router reports, 0 where none does.
    """
    last = state.routerPolicy.version if state.routerPolicy is not None else 0
    version = max(last, reported) + 1
    return RouterPolicy(version, digest(body(bindings, version))), bindings
