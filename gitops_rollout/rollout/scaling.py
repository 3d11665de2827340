"""Scaling a workload whose requests are split: shares are lowered before replicas are taken, or added.

Kthena deletes what is not protected first, so that a candidate loses replicas under its share (R8).
"""

from gitops_rollout.api.values import Object
from gitops_rollout.rollout import leaving, router_policy, routing
from gitops_rollout.rollout.draft import Draft, Scene
from gitops_rollout.rollout.gate import everything_approved
from gitops_rollout.rollout.routing import Split


def requests_first(scene: Scene, draft: Draft, coming: Object) -> tuple[Draft, bool]:
    """Lower the candidate's share to what it can carry under `coming` controls.

    True: the controls wait, for this commit moves requests, or for the requests that left to end.
    """
    before = routing.split(scene.kind, draft.state)
    name = routing.unit(draft.state, scene.kind.counts(coming))
    total = scene.kind.counts(coming).get(name, 0)
    falls = total < before.total
    if draft.state.since.drain is not None:
        return draft, falls
    have = draft.state.published
    if not have.traffic or total == before.total or router_policy.left_out(draft.state):
        return draft, False
    # What is added goes to stable until everything is approved (DESIGN 5).
    born_on_stable = not falls and not everything_approved(draft.state)
    candidate = before.candidate if born_on_stable else max(0, total - before.stable)
    after = Split(total, total - candidate)
    most = _most(have.weight or 0, after, scene.kind.floors(coming).get(name, 0))
    header, weight = bool(have.header) and most > 0, min(have.weight or 0, most)
    if (header, weight) == (bool(have.header), have.weight or 0):
        return draft, False
    draft = draft.with_published(header=header or None, weight=weight or None)
    return leaving.waiting(scene, draft) if falls else draft, True


def _most(weight: int, after: Split, floor: int) -> int:
    """Where nothing is to run, only a share of everything may stay: both others would run nothing again."""
    if after.total == 0:
        return 100 if weight == 100 else 0
    return after.carries(floor)
