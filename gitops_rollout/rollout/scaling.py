"""Scaling a workload whose requests are split: shares are lowered before replicas are taken, or added.

Kthena deletes what is not protected first, so that a candidate loses replicas under its share (R8).
"""

from collections.abc import Mapping
from dataclasses import replace

from gitops_rollout.api.values import Object
from gitops_rollout.rollout import asking, counted, leaving, router_policy, routing
from gitops_rollout.rollout.draft import Draft, Scene
from gitops_rollout.rollout.gate import everything_approved
from gitops_rollout.rollout.routing import Split
from gitops_rollout.rollout.state import State


def requests_first(scene: Scene, draft: Draft, coming: Object) -> tuple[Draft, bool]:
    """Lower the candidate's share to what it can carry under `coming` controls.

    True: the controls wait, for this commit moves requests, or for the requests that left to end.
    """
    before, counts = routing.splits(scene.kind, draft.history, draft.state), scene.kind.counts(coming)
    falls = any(counts.get(name, 0) < one.total for name, one in before.items())
    same = all(counts.get(name, 0) == one.total for name, one in before.items())
    if draft.state.since.drain is not None:
        return draft, falls
    have = draft.state.published
    if not have.traffic or same or router_policy.left_out(draft.state):
        return draft, False
    after, floors = _after(scene, draft, before, coming), scene.kind.floors(coming)
    most = min(_most(have.weight or 0, one, floors.get(name, 0)) for name, one in after.items())
    header, weight = bool(have.header) and most > 0, min(have.weight or 0, most)
    if (header, weight) == (bool(have.header), have.weight or 0):
        return draft, False
    draft = draft.with_published(header=header or None, weight=weight or None)
    return leaving.waiting(scene, draft) if falls else draft, True


def _after(scene: Scene, draft: Draft, before: Mapping[str, Split], coming: Object) -> dict[str, Split]:
    """Give the split under `coming` controls."""
    kind, state, history = scene.kind, draft.state, draft.history
    if kind.counted is not None and state.partition is not None and not draft.rolling_back:
        serving = state.candidate or state.offered
        land = asking.ground(kind, history, state, serving)
        draft = draft.with_state(accepted=replace(state.accepted, controls=coming))
        draft = counted.moved(draft, land, asking.ground(kind, history, draft.state, serving))
        return routing.splits(kind, history, draft.state)
    counts = kind.counts(coming)
    return {name: _scaled(one, counts.get(name, 0), draft.state) for name, one in before.items()}


def _scaled(before: Split, total: int, state: State) -> Split:
    """What is added goes to stable until everything is approved (DESIGN 5)."""
    born_on_stable = total >= before.total and not everything_approved(state)
    candidate = before.candidate if born_on_stable else max(0, total - before.stable)
    return Split(total, total - candidate)


def _most(weight: int, after: Split, floor: int) -> int:
    """Where nothing is to run, only a share of everything may stay: both others would run nothing again."""
    if after.total == 0:
        return 100 if weight == 100 else 0
    return after.carries(floor)
