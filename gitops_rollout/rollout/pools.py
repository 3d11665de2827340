"""The pools of a workload: there before a route names them, gone after no route does (R14).

A pool needs no proof to be made: nothing reaches it until a route names it, which is asked. One that no
route names any more loses its protection first; it is removed when a gate has been merged since, for who
merges a gate says that what was published before is applied (R6, two keys).
"""

from dataclasses import replace

from gitops_rollout.api.gateway import Gateway
from gitops_rollout.api.policy import Proof
from gitops_rollout.rollout import routing
from gitops_rollout.rollout.draft import Draft, Scene
from gitops_rollout.rollout.facts import LIVE, Answer
from gitops_rollout.rollout.state import Routed
from gitops_rollout.traffic.pools import NoPool, Pool, pool_of, under_free_name


def follow_pools(scene: Scene, draft: Draft) -> Draft:
    """Have a pool for each revision that requests may reach, and let go of all others."""
    if scene.desired.obstructed:
        return draft
    draft = _same_terms(scene, draft)
    routed = draft.state.routed or Routed()
    needed: list[Pool] = []
    for gateway, revision in _asked(draft):
        try:
            name = routing.object_name(draft.state, revision)
            pool = pool_of(scene.kind, scene.key, draft.history[revision], gateway, name)
        except NoPool as error:
            draft = draft.note("TRAFFIC_REFUSED", str(error))
            continue
        pool = under_free_name(pool, (*needed, *routed.pools, *routed.retiring))
        if pool not in needed:
            needed.append(pool)
            new = pool not in (*routed.pools, *routed.retiring)
            draft = _port_noted(scene, draft, pool, gateway.component) if new else draft
    gone = [one for one in (*routed.pools, *routed.retiring) if one not in needed]
    return _published(draft, replace(routed, pools=tuple(needed), retiring=tuple(gone)))


def _published(draft: Draft, routed: Routed) -> Draft:
    """Note what is published; a workload that has nothing for requests is not routed at all."""
    return draft.with_state(routed=None if routed == Routed() else routed)


def _same_terms(scene: Scene, draft: Draft) -> Draft:
    """Take over terms that change nothing: how pods are told that ran before says nothing any more once
    the pods of stable carry a label of ours.
    """
    force, wanted, routed = routing.terms(draft.state), routing.wanted(draft.state), draft.state.routed
    if force is None or wanted is None or routed is None or force == wanted:
        return draft
    if replace(force, adopt=None) != replace(wanted, adopt=None):
        return draft
    stable = draft.history[draft.state.stable]
    try:
        name = routing.object_name(draft.state, stable.id)
        pools = [pool_of(scene.kind, scene.key, stable, terms, name) for terms in (force, wanted)]
    except NoPool:
        return draft
    same = pools[0].same(pools[1])
    return draft.with_state(routed=replace(routed, terms=wanted.to_json())) if same else draft


def _port_noted(scene: Scene, draft: Draft, pool: Pool, component: str) -> Draft:
    """Say once that a new pool's port is declared by no container, or by a sidecar alone: nothing else
    would (GAIE #2562).
    """
    endpoint = scene.kind.endpoint(draft.history[pool.revision].text, scene.key.name, component)
    ports = endpoint.ports if endpoint is not None else {}
    if ports.get(pool.port):
        return draft
    declared = ", ".join(str(port) for port, main in ports.items() if main) or "none"
    where = "only a sidecar declares it" if pool.port in ports else f"its main container declares {declared}"
    return draft.note("PORT_UNDECLARED", f"{pool.name} sends to port {pool.port} of {component}: {where}")


def _asked(draft: Draft) -> list[tuple[Gateway, str]]:
    """Give the terms and revisions that need a pool: stable for the terms that are wanted, and all that
    may serve for those in force.
    """
    state = draft.state
    force, wanted = routing.terms(state), routing.wanted(state)
    found = [(force, state.stable), (force, state.candidate), (wanted, state.stable)]
    return [(terms, one) for terms, one in found if terms is not None and one is not None]


def attested(scene: Scene, draft: Draft) -> Draft:
    """Remove what was on its way out when a gate was merged: what had been published then is applied.

    Under Cluster proof that is observed, whatever was merged.
    """
    routed = draft.state.routed
    seen = draft.policy.proof is Proof.MANUAL or scene.observation.of(LIVE) is Answer.YES
    if routed is None or not routed.retiring or not seen:
        return draft
    return _published(draft, replace(routed, retiring=()))
