"""What holds of routers that are told: of every commit of the service, and of the world after every step."""

import json
from collections.abc import Iterator
from itertools import combinations

from gitops_rollout.api.policy import Policy
from gitops_rollout.api.values import Json, Object, at, mapping, sequence, text
from gitops_rollout.rollout.router_fence import BODY
from gitops_rollout.rollout.state import State
from gitops_rollout.simulate.commit_laws import Change
from gitops_rollout.simulate.controllers import Pod
from gitops_rollout.simulate.moments import Moment, Shown
from gitops_rollout.simulate.routers import Told

_DOORS, _WORKERS = ("router", "frontend", "epp"), ("worker", "prefill", "decode")


def routers_are_told_alone(change: Change) -> str:
    """What routers are told, what runs and where requests go never change in one commit (R5, R19)."""
    if not change.before.intact or change.ledger.rewound or _body(change.before) == _body(change.after):
        return ""
    if [at(one.value, "spec") for one in change.before.workloads] != [
        at(one.value, "spec") for one in change.after.workloads
    ]:
        return "one commit changes the workload and what routers are told"
    routes = [at(one.route.value, "spec") if one.route else None for one in (change.before, change.after)]
    return "one commit changes the route and what routers are told" if routes[0] != routes[1] else ""


def _body(shown: Shown) -> Json:
    raw = shown.version.files.get(BODY)
    try:
        return json.loads(raw) if raw is not None else None
    except ValueError:
        return None


def told_versions_grow(change: Change) -> str:
    """A version never falls, and never gets another body (R19)."""
    if change.states is None:
        return ""
    old, new = (state.routerPolicy for state in change.states)
    if old is None or new is None or new.version > old.version or new == old:
        return ""
    return f"routers are told version {new.version} after {old.version}, with another body"


def told_is_coherent(change: Change) -> str:
    """All that serve one request are of one revision, but across an edge that a contract declares."""
    state, body = change.after.state, mapping(_body(change.after))
    if state is None or not change.after.intact:
        return ""
    for one in map(mapping, sequence(body.get("routerRevisionBindings"))):
        mixed = next(_mixed(one, state), "")
        if mixed:
            return f"routers of {one.get('routerRevision')} mix {mixed}"
    return ""


def _mixed(binding: Object, state: State) -> Iterator[str]:
    edges = [set(one.edge) for one in Policy.from_json(state.accepted.policy).contracts]
    members = {name.removesuffix("Revision"): text(one) for name, one in binding.items()}
    for one, other in combinations(sorted(members), 2):
        if members[one] != members[other] and not any(_joins(edge, one, other) for edge in edges):
            yield f"{one} of {members[one]} with {other} of {members[other]}"


def _joins(edge: set[str], one: str, other: str) -> bool:
    """Say whether a contract is of this edge; one of routers may be of every kind of worker."""
    ends = {*(end for end in (one, other) if end != "router")}
    doors, workers = edge & set(_DOORS), edge & set(_WORKERS)
    if "router" in (one, other):
        return bool(doors) and bool(workers & {*ends, "worker"})
    return edge == ends


def who_answers_was_told(_before: Moment, after: Moment) -> str:
    """No request is served by a start of a router that has not accepted a policy for its revision (R18)."""
    served = after.answers.revisions
    for pod, told, revision in _routers(after):
        if pod.ready and revision in served and not told.chooses(revision):
            return f"{pod.component} {pod.uid} answers for {revision}, and holds version {told.version}"
    return ""


def _routers(moment: Moment) -> Iterator[tuple[Pod, Told, str]]:
    for pod in moment.pods:
        told = moment.told.get(pod.uid)
        if told is not None:
            for revision in sorted(moment.revisions(pod)):
                yield pod, told, revision


def accepted_versions_grow(before: Moment, after: Moment) -> str:
    """One start of a router never accepts a lower version, and one version has one body everywhere (R19)."""
    if before.accepted is after.accepted:
        return ""
    highest, bodies = dict[tuple[int, int], int](), dict[int, str]()
    for one in after.accepted:
        if one.version <= highest.get((one.uid, one.boot), 0):
            return f"router {one.uid} accepts version {one.version} after {highest[one.uid, one.boot]}"
        highest[one.uid, one.boot] = one.version
        if bodies.setdefault(one.version, one.digest) != one.digest:
            return f"version {one.version} is accepted with two bodies"
    return ""


def chosen_workers_are_found(_before: Moment, after: Moment) -> str:
    """A router that answers finds the workers that it is told to choose; where it finds others besides, in a
    graph that holds both revisions, it sends them nothing.
    """
    routers = {pod.uid: (told, revision) for pod, told, revision in _routers(after) if pod.ready}
    for reach in after.reach:
        told, revision = routers.get(reach.router.uid, (Told(), ""))
        chosen = set(told.chooses(revision).values())
        if chosen and reach.sets and not any(_fits(found, chosen, after) for found in reach.sets):
            return f"routers of {revision} choose {sorted(chosen)}, and find {reach.sets[0][0]}"
    return ""


def _fits(found: tuple[Pod, ...], chosen: set[str], moment: Moment) -> bool:
    return all(chosen & moment.served(pod) for pod in found)
