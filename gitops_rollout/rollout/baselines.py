"""Baselines: what stands for history that an older controller wrote (Kthena #1799, DESIGN 4).

A baseline is an ordinary revision that the rollout file pins: it is never pruned, never rebuilt, and
never quietly replaced by another one of the same source.
"""

from collections.abc import Sequence

from gitops_rollout.revision.history import free_name
from gitops_rollout.revision.identity import digest
from gitops_rollout.revision.legacy import Legacy
from gitops_rollout.revision.record import UNTOUCHED, Revision
from gitops_rollout.rollout.draft import Draft, Scene
from gitops_rollout.rollout.state import Baseline
from gitops_rollout.semantics.canonical import canonical_bytes


def pinned(scene: Scene, draft: Draft, found: Sequence[Legacy]) -> Draft:
    """Record and pin a baseline for each legacy revision; nothing that runs is touched by it."""
    for legacy in sorted(found, key=lambda one: one.number):
        if any(one.source == legacy.name for one in draft.state.baselines):
            continue
        history = draft.history
        known = history.equal(scene.kind, legacy.text)
        if known is None:
            full = digest(scene.kind.canonical(legacy.text))
            name = free_name(history, full)
            known = Revision(name, full, history.next_number, legacy.text, UNTOUCHED, scene.commit)
            # What serves stays the newest: a baseline is older than anything that was recorded here.
            history = history.record(known).raised(draft.state.offered or draft.state.stable)
        baseline = Baseline(known.id, legacy.name, legacy.uid)
        draft = Draft(draft.state, draft.approved, history, draft.notes)
        draft = draft.with_state(baselines=(*draft.state.baselines, baseline))
        draft = draft.note("BASELINE", f"{legacy.name} is kept as {known.id}")
    return draft


def _same(scene: Scene, baseline: Revision, legacy: Legacy) -> bool:
    """Compare what the source holds; what it does not hold the baseline took from its day, for good."""
    kind, restored = scene.kind, scene.kind.restored(legacy.data, baseline.text)
    return restored is not None and canonical_bytes(kind.canonical(restored)) == canonical_bytes(
        kind.canonical(baseline.text)
    )


def conflict(scene: Scene, draft: Draft, found: Sequence[Legacy]) -> str:
    """Say why one of these cannot be imported beside what is pinned; empty when all can."""
    for legacy in found:
        for one in draft.state.baselines:
            if one.source != legacy.name:
                continue
            if one.uid != legacy.uid:
                return f"{legacy.name} was imported for another object (its owner's UID was {one.uid})"
            if not _same(scene, draft.history[one.revision], legacy):
                return f"{legacy.name} was imported with other content; its baseline {one.revision} stays"
    uids = {one.uid for one in draft.state.baselines} | {legacy.uid for legacy in found}
    return "these belong to more than one object: the workload was created anew" if len(uids) > 1 else ""
