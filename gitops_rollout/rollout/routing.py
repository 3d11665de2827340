"""What of the requests a rollout moves: shares that its replicas can carry, and why it may not begin.

Capacity comes before requests and leaves after them; shares are judged by replicas that are sure to run
the candidate, so that no share ever points to fewer pods than it needs (delivery-gateway G2.15).
"""

from collections.abc import Collection
from dataclasses import dataclass

from gitops_rollout.api.gateway import Gateway, Traffic
from gitops_rollout.api.graph_terms import Strategy
from gitops_rollout.api.policy import Policy
from gitops_rollout.api.values import Object
from gitops_rollout.api.workload import WHOLE, Thresholds, WorkloadKey
from gitops_rollout.kinds.protocol import Kind
from gitops_rollout.revision.history import History
from gitops_rollout.rollout import beside
from gitops_rollout.rollout.state import State
from gitops_rollout.semantics.canonical import canonical_bytes
from gitops_rollout.traffic.pools import NoPool, Pool, overlap, pool_of

RESTORED = "(restored)"
"""Stands for a step while a way back waits until stable, that was left with too little, has pods again; no
step of a policy can be called so.
"""


def wanted(state: State) -> Gateway | None:
    """Give the terms that the accepted policy asks for."""
    return Policy.from_json(state.accepted.policy).gateway


def terms(state: State) -> Gateway | None:
    """Give the terms of the route that is published, None while there is none."""
    if state.routed is None or state.routed.terms is None:
        return None
    return Gateway.from_json(state.routed.terms)


def in_view(state: State) -> Gateway | None:
    """Give the terms in force, or those that are asked for where none are yet."""
    return terms(state) or wanted(state)


def unit(state: State, thresholds: Thresholds) -> str:
    """Name what is split between the revisions: whole groups, or the component that answers requests."""
    gateway = in_view(state)
    return WHOLE if WHOLE in thresholds or gateway is None else gateway.component


def restoring(state: State) -> bool:
    """Say whether stable, left with too little, waits to have its pods again before its requests."""
    return state.published.step == RESTORED and state.published.traffic


def passed(kind: Kind, history: History, state: State, moving: Collection[str]) -> tuple[str, ...]:
    """Name everything whose replicas bound the requests: what answers them; and where the routers of one
    object choose workers of their own revision, all of `moving` that a request passes through.
    """
    first = unit(state, kind.counts(state.accepted.controls))
    stable = history.get(state.stable)
    if kind.counted is None or stable is None:
        return (first,)
    return tuple(sorted({first, *(name for name in kind.roles(stable.text) if name in moving)}))


@dataclass(frozen=True, slots=True)
class Split:
    """How many replicas there are of what answers requests, and how many of them stay on stable."""

    total: int
    stable: int

    @property
    def candidate(self) -> int:
        return max(0, self.total - self.stable)

    def carries(self, floor: int) -> int:
        """Give the largest share, in percent, that the candidate's replicas carry.

        Where stable keeps one only for the requests that it still gets, the candidate carries them all:
        that one follows when they are gone.
        """
        if self.candidate <= 0:
            return 0
        if floor == 0 and self.stable <= 1:
            return 100
        return 100 * self.candidate // self.total

    @property
    def starved(self) -> bool:
        """Say whether stable has less than half of the replicas: too few for all requests at once."""
        return 2 * self.stable < self.total

    @property
    def given_back(self) -> int:
        """Give the number of replicas by which stable has half of them again, and the candidate still one."""
        return min(max(self.total - self.total // 2, self.stable), max(self.total - 1, 1))

    def restored(self, sure: int) -> int:
        """Give the threshold at which stable has half of the replicas again, and the candidate still one.

        From `sure` on the candidate ran before: what a merge has given it since may still be on its way. The
        only replica goes to stable: whoever has one has a gap.
        """
        surely, half = max(sure, self.stable) + 1, self.total // 2
        if self.total == 1:
            return 0
        return max(half, surely if surely < self.total else self.stable + 1)


def split(kind: Kind, state: State) -> Split:
    """Give the split that is published."""
    counts = kind.counts(state.accepted.controls)
    return _split(state, counts, unit(state, counts))


def splits(kind: Kind, history: History, state: State) -> dict[str, Split]:
    """Give the split that is published of everything whose replicas bound the requests."""
    counts = kind.counts(state.accepted.controls)
    names = passed(kind, history, state, state.partition or {})
    return {name: _split(state, counts, name) for name in names}


def _split(state: State, counts: Thresholds, name: str) -> Split:
    total = counts.get(name, 0)
    stable = (state.partition or {}).get(name, total) if state.candidate is not None else total
    return Split(total, min(stable, total))


def starved(kind: Kind, history: History, state: State) -> bool:
    """Say whether stable has too few of anything for all requests at once."""
    return any(one.starved for one in splits(kind, history, state).values())


def carried(kind: Kind, history: History, state: State, traffic: Traffic) -> Traffic:
    """Give the traffic that a step is to have, as far as the replicas of the candidate carry it."""
    if kind.beside is not None:
        most = beside.share(kind, history, state, state.partition or {})
        return Traffic(traffic.header and most > 0, _at_most(traffic.weight, most))
    now, floors = splits(kind, history, state), kind.floors(state.accepted.controls)
    most = min(one.carries(floors.get(name, 0)) for name, one in now.items())
    runs = all(one.candidate > 0 for one in now.values())
    return Traffic(traffic.header and runs, _at_most(traffic.weight, most))


def _at_most(weight: int | None, most: int) -> int:
    return most if weight is None else min(weight, most)


def object_name(state: State, revision: str | None) -> str:
    """Name the object of a revision where each is one of its own; empty: the workload's own name."""
    graph = state.graph(revision)
    if graph is None and state.strategy is not Strategy.NEW_GRAPH:
        graph = next(iter(state.graphs), None)  # one object that was left of several has all revisions
    return graph.name if graph is not None else ""


def published_pool(
    kind: Kind, key: WorkloadKey, history: History, state: State, revision: str | None
) -> Pool | None:
    """Find the pool of a revision under the terms in force, among those that are published."""
    gateway, recorded = terms(state), history.get(revision)
    if state.routed is None or gateway is None or recorded is None:
        return None
    try:
        needed = pool_of(kind, key, recorded, gateway, object_name(state, revision))
    except NoPool:
        return None
    return next((one for one in state.routed.pools if one.same(needed)), None)


def refused(kind: Kind, history: History, state: State) -> str:
    """Say why the requests of a workload with a route cannot move to what is offered; empty when they can."""
    gateway, offered = in_view(state), history.get(state.offered)
    if gateway is None or offered is None:
        return ""
    try:
        stable = pool_of(kind, ANY, history[state.stable], gateway, object_name(state, state.stable))
        coming = pool_of(kind, ANY, offered, gateway, object_name(state, state.offered))
    except NoPool as error:
        return str(error)
    if kind.beside is not None:
        return ""  # a candidate beside stable takes no replica from it, and has labels of its own
    endpoint = kind.endpoint(offered.text, ANY.name, gateway.component)
    changed = changed_components(kind, history[state.stable].text, offered.text)
    others = kind.by_component(state.accepted.controls) and kind.counted is None
    rows = (
        (others and changed != {gateway.component}, _OTHERS.format(gateway.component)),
        (kind.counted is not None and gateway.component not in changed, _SAME.format(gateway.component)),
        (overlap(stable, coming, endpoint), _OVERLAP.format(stable.revision, coming.revision)),
    )
    return next((why for holds, why in rows if holds), "") or _alone(kind, history, state, changed)


def _alone(kind: Kind, history: History, state: State, changed: Collection[str]) -> str:
    """Say what has a single replica, which cannot serve both revisions; empty when nothing has."""
    counts = kind.counts(state.accepted.controls)
    names = passed(kind, history, state, changed)
    single = next((name for name in names if counts.get(name) == 1), None)
    if single is None or state.published.weight == 100:
        return ""
    return _ALONE if kind.counted is None else _ALONE_OF.format(single)


def unanswered(kind: Kind, history: History, state: State) -> int:
    """Give the share of the requests, in percent, that a published route sends to a stable without replicas.

    Only people bring this about, by a partition that they lower in the output. Nothing puts it back by
    itself, for a partition never rises on the way up (R12).
    """
    if terms(state) is None or state.candidate is None or kind.beside is not None:
        return 0
    if all(one.stable > 0 for one in splits(kind, history, state).values()):
        return 0
    return 100 - (state.published.weight or 0)


ANY = WorkloadKey("any", "any", "any")
"""Both pools are of one workload: what it is called tells them apart nowhere."""
_OTHERS = (
    "under RoleRollingUpdate requests can follow only a change of {} alone: change one role at a time, "
    "use ServingGroupRollingUpdate, or detach the route first"
)
_OVERLAP = "the pods of {} and {} carry the same labels, so that requests cannot be told apart"
_ALONE = "one replica cannot be split: scale it to 2 for the rollout, or detach the route first"
_ALONE_OF = (
    "one replica of {} cannot serve both revisions: scale it to 2 for the rollout, or detach the route first"
)
_SAME = (
    "{} is the same in both revisions, so that their requests cannot be told apart: change it, too, or "
    "detach the route first"
)


def changed_components(kind: Kind, old: Object, new: Object) -> set[str]:
    """Name the components of `new` that differ in `old` (R10)."""
    before, after = kind.components(old), kind.components(new)
    return {
        name for name, form in after.items() if canonical_bytes(before.get(name)) != canonical_bytes(form)
    }
