"""From plans to commits: which files change, in which commit, and which questions are asked after.

Nothing here talks to the world; `Written` is what reconcile.py pushes.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from gitops_rollout.api.verdict import Impact
from gitops_rollout.api.workload import Spec, WorkloadKey
from gitops_rollout.kinds.protocol import Kind
from gitops_rollout.render.folder import Folder
from gitops_rollout.render.messages import change
from gitops_rollout.render.workload import inventory, render, render_gate
from gitops_rollout.rollout.draft import Head
from gitops_rollout.rollout.file import folder_digest, seen_seq
from gitops_rollout.rollout.plan import Plan, changed, numbered
from gitops_rollout.rollout.state import Fence, State

Changes = Mapping[str, bytes | None]
"""Files to write, None to remove, by path relative to a workload's folder."""


@dataclass(frozen=True, slots=True)
class Written:
    """One workload's part in a pass: its final state and what each commit changes of its folder."""

    key: WorkloadKey
    plan: Plan
    state: State
    files: Mapping[str, bytes]
    publish: Changes
    cleanup: Changes
    words: str
    folder: Folder

    def gate_files(self) -> Changes:
        """Give what the merge of the due gate changes, on top of the final files."""
        gate = self.plan.gate
        if gate is None:
            return {}
        base = Fence(self.state.seq, folder_digest(self.files))
        folder = replace(self.folder, before=self.files, stale=frozenset())
        return difference(self.files, render_gate(folder, self.state, base, self.plan.kept, gate))


def written(
    kind: Kind, key: WorkloadKey, plan: Plan, head: Head | None, stamp: tuple[str, datetime]
) -> Written:
    """Render a plan against the head. `stamp`: the source commit and the instant of this pass."""
    before = dict(head.file.files) if head else {}
    folder = Folder(key, kind, before, head.stale if head else frozenset())
    if plan.blocked and (head is None or plan.state == head.file.state):
        return Written(key, plan, plan.state, before, {}, {}, "", folder)
    if plan.remove:
        gone: Changes = dict.fromkeys(before)
        return Written(key, plan, plan.state, {}, gone, {}, "remove", folder)
    first = head is None or changed(plan, head)
    old = head.file.state if head else None
    files, words = before, ""
    if first:
        last = max(seen_seq(before), plan.state.seq, head.seen if head else 0)
        plan = numbered(plan, last + 1, *stamp)
        files = render(folder, plan.state, plan.approved, plan.history)
        words = change(old, plan.state)
    final = files
    if plan.kept != plan.history:
        pruned = numbered(plan, plan.state.seq + 1, *stamp)
        final = render(
            replace(folder, before=files, stale=frozenset()), pruned.state, plan.approved, plan.kept
        )
        plan = pruned
    state = replace(plan.state, inventory=inventory(key, plan.kept, plan.state))
    publish = difference(before, files)
    if head is not None and head.restored:
        # What was read is an ancestor's: what stands in the head may differ from it anywhere.
        publish = {**publish, **files}
    cleanup = difference(files, final)
    if plan.gate is None:
        # Ten thousand folders at once are a lot: what no question is built on is let go.
        final, folder = {}, replace(folder, before={})
    return Written(key, plan, state, final, publish, cleanup, words, folder)


def difference(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> Changes:
    """Give the changes that make `after` of `before`."""
    changes: dict[str, bytes | None] = {
        path: content for path, content in after.items() if before.get(path) != content
    }
    changes.update(dict.fromkeys(before.keys() - after.keys()))
    return changes


def offered_impact(kind: Kind, key: WorkloadKey, plan: Plan) -> Impact | None:
    """Say what the offered revision does against stable, under the controls in force."""
    stable, offered = plan.history.get(plan.state.stable), plan.history.get(plan.state.offered)
    if stable is None or offered is None:
        return None
    kind, controls = kind.under(plan.state.strategy), plan.state.accepted.controls
    return kind.impact(Spec(key, stable.text, controls), Spec(key, offered.text, controls))
