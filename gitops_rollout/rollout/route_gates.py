"""The gates about requests: attach and detach of the route, each step's share, the waits of a way down."""

import hashlib
from dataclasses import replace

from gitops_rollout.api.gateway import Gateway, Traffic
from gitops_rollout.api.policy import Step
from gitops_rollout.api.values import Object
from gitops_rollout.api.workload import Thresholds
from gitops_rollout.kinds.protocol import Kind
from gitops_rollout.revision.history import History
from gitops_rollout.rollout import routing
from gitops_rollout.rollout.capacity import Ground, lower, lowest
from gitops_rollout.rollout.gate import (
    ATTACH,
    BACK,
    DETACH,
    DRAINED,
    TAKE_OVER,
    TRAFFIC,
    UNPROTECTED,
    Gate,
    plain,
    step_in_force,
)
from gitops_rollout.rollout.state import State
from gitops_rollout.semantics.canonical import canonical_bytes
from gitops_rollout.traffic.pools import NoPool, pool_of


def route_due(kind: Kind, history: History, state: State) -> Gate | None:
    """Give the gate about the route itself, None when it stands as it is wanted."""
    force, wanted, routed = routing.terms(state), routing.wanted(state), state.routed
    if routed is None:
        return None
    leaving = routed.stage == "leaving"
    if wanted is None:
        asked = UNPROTECTED if leaving else DETACH
        return _about(history, state, asked, force) if force is not None else None
    if wanted != force or leaving:
        there = _has_pool(kind, history, state, wanted)
        return _about(history, state, ATTACH, wanted) if there else None
    return _about(history, state, TAKE_OVER, wanted) if routed.stage == "beside" else None


def _has_pool(kind: Kind, history: History, state: State, gateway: Gateway) -> bool:
    """Say whether stable's pool is published under these terms: a route names only what is there (R14)."""
    pools = state.routed.pools if state.routed else ()
    try:
        name = routing.object_name(state, state.stable)
        needed = pool_of(kind, routing.ANY, history[state.stable], gateway, name)
    except NoPool:
        return False
    return any(replace(one, name="", selector={}) == replace(needed, name="", selector={}) for one in pools)


def _about(history: History, state: State, step: str, terms: Gateway) -> Gate:
    """Give a gate about a route; its whole terms are part of the effect (R15)."""
    revision = history[state.stable]
    allows: Object = {"route": terms.name}
    digest = hashlib.sha256(canonical_bytes(terms.to_json())).hexdigest()[:32]
    return Gate(step, state.attempt, revision.id, revision.digest, allows, None, {}, route=digest)


def way_down(kind: Kind, history: History, state: State) -> Gate | None:
    """Give the gate that ends a wait of the way down before its deadline does."""
    if state.since.drain is None or state.candidate is None:
        return None
    return plain(kind, history, state, BACK if routing.restoring(state) else DRAINED)


def traffic_due(kind: Kind, history: History, state: State) -> Gate | None:
    """Give the gate of the requests that the step in force gives, None when they have moved."""
    step = step_in_force(state)
    return None if step is None else of_traffic(kind, history, state, step)


def of_traffic(kind: Kind, history: History, state: State, step: Step) -> Gate | None:
    """Give the gate of a step's requests, as far as its replicas carry them; None: nothing would rise.

    The header rule comes first, by itself: it is what lets a pool become accepted (GAIE InferencePool).
    """
    if routing.terms(state) is None or step.traffic is None:
        return None
    want, have = routing.carried(kind, history, state, step.traffic), state.published
    header, weight = bool(have.header), have.weight or 0
    if want.header and not header:
        return _share(kind, history, state, step, Traffic(True, weight))
    rises, dropped = (want.weight or 0) > weight, header and not step.traffic.header
    if not rises and not dropped:
        return None
    keeps = header and step.traffic.header
    return _share(kind, history, state, step, Traffic(keeps, max(weight, want.weight or 0)))


def _share(kind: Kind, history: History, state: State, step: Step, traffic: Traffic) -> Gate:
    revision = history[state.offered or ""]
    counts: Thresholds = dict(kind.counts(state.accepted.controls))
    allows: Object = {**({"header": True} if traffic.header else {}), "weight": traffic.weight}
    return Gate(
        f"{step.name}{TRAFFIC}",
        state.attempt,
        revision.id,
        revision.digest,
        allows,
        None,
        counts,
        traffic.header,
        traffic.weight,
    )


def last_ones(history: History, state: State, land: Ground) -> Gate | None:
    """Give the gate that takes what stable kept for its requests, when it gets none any more."""
    now = state.partition or {}
    ends = lowest(now, land.floors)
    if routing.terms(state) is None or state.published.weight != 100 or not lower(ends, now):
        return None
    revision = history[state.offered or ""]
    allows: Object = {"replicas": "100%"}
    return Gate(DRAINED, state.attempt, revision.id, revision.digest, allows, ends, land.counts)
