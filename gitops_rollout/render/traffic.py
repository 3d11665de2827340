"""The traffic half of a workload's folder: pools, grants and the one route, from the state alone.

Nothing of it is read back. A file of people in its place is not ours, and is never written over.
"""

from gitops_rollout.api.gateway import Gateway
from gitops_rollout.api.values import Object, at
from gitops_rollout.api.workload import WorkloadKey
from gitops_rollout.render.folder import Folder
from gitops_rollout.render.kustomization import kustomization
from gitops_rollout.render.marks import live_file
from gitops_rollout.revision.history import History
from gitops_rollout.rollout import routing
from gitops_rollout.rollout.state import State
from gitops_rollout.traffic.pools import Pool, pool_object
from gitops_rollout.traffic.route import Shares, grant_objects, route_object

ROUTE = "traffic/httproute.yaml"
KUSTOMIZATION = "traffic/kustomization.yaml"


def render_traffic(folder: Folder, state: State, history: History, seq: int) -> dict[str, bytes]:
    """Give the files below traffic/, none where no pool is published."""
    routed = state.routed
    if routed is None:
        return {}
    stays = state.withdraw is None or state.withdraw.stage == "delete"
    gateway, key = routing.terms(state), folder.key
    objects: dict[str, tuple[Object, bool]] = {}
    for pool in (one for one in routed.pools if one.ours):
        objects[f"traffic/{pool.filename}"] = (pool_object(key, pool), stays)
    for pool in (one for one in routed.retiring if one.ours):
        objects[f"traffic/{pool.filename}"] = (pool_object(key, pool), False)
    if gateway is not None:
        protect = stays and routed.stage != "leaving"
        for namespace, grant in grant_objects(key, gateway).items():
            objects[_grant_path(namespace)] = (grant, protect)
        shares = _shares(folder, state, history)
        if shares is not None:
            objects[ROUTE] = (route_object(key, gateway, shares), protect)
        elif ROUTE in folder.before:
            # The pool of stable cannot be told: what is published stays until it can.
            return {path: raw for path, raw in folder.before.items() if path.startswith("traffic/")}
    files = {
        path: live_file(value, folder.numbered(path), seq, protect=protect)
        for path, (value, protect) in objects.items()
    }
    resources = sorted(path.removeprefix("traffic/") for path in files)
    return {**files, KUSTOMIZATION: kustomization(resources)} if files else {}


def _shares(folder: Folder, state: State, history: History) -> Shares | None:
    """Give who gets what; None where stable's pool is not known."""
    stable = routing.published_pool(folder.kind, folder.key, history, state, state.stable)
    candidate = routing.published_pool(folder.kind, folder.key, history, state, state.candidate)
    if stable is None:
        return None
    published = state.published
    if candidate is None:
        return Shares(stable)
    return Shares(stable, candidate, bool(published.header), published.weight or 0)


def traffic_items(key: WorkloadKey, state: State) -> list[str]:
    """Name everything below traffic/ that is ours, as kind/name; grants with their namespace."""
    routed, gateway = state.routed, routing.terms(state)
    if routed is None:
        return []
    names = [pool.item for pool in (*routed.pools, *routed.retiring) if pool.ours]
    if gateway is None:
        return names
    grants = [
        f"ReferenceGrant/{namespace}/{at(grant, 'metadata', 'name')}"
        for namespace, grant in grant_objects(key, gateway).items()
    ]
    return [*names, f"HTTPRoute/{gateway.name}", *grants]


def traffic_paths(state: State) -> tuple[str, ...]:
    """Give the paths of our files below traffic/ in a folder that `state` describes."""
    routed = state.routed
    if routed is None:
        return ()
    pools: list[Pool] = [one for one in (*routed.pools, *routed.retiring) if one.ours]
    gateway = routing.terms(state)
    owned = _owned(state, gateway) if gateway is not None else ()
    return (KUSTOMIZATION, *(f"traffic/{pool.filename}" for pool in pools), *owned)


def _owned(state: State, gateway: Gateway) -> tuple[str, ...]:
    key = WorkloadKey("", state.workload.kind, "")
    return (ROUTE, *(_grant_path(namespace) for namespace in grant_objects(key, gateway)))


def _grant_path(namespace: str) -> str:
    return f"traffic/referencegrant-{namespace}.yaml"
