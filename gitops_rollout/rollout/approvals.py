"""What people did on the output branch since our last commit, read from its content (DESIGN 2).

A merge, a squash, a rebase and a cherry-pick of a gate give the same content and so the same answer.
"""

from collections.abc import Callable
from dataclasses import replace
from enum import StrEnum

from gitops_rollout.rollout import asking, beside, beside_follow, counted, leaving, pools, routing, shown
from gitops_rollout.rollout import file as rollout_file
from gitops_rollout.rollout import gate as gates
from gitops_rollout.rollout.capacity import lowest, stages
from gitops_rollout.rollout.draft import Draft, Head, Scene, instant
from gitops_rollout.rollout.router_policy import is_change, left_out
from gitops_rollout.rollout.state import Approval, Withdraw

_REMEMBERED = 10  # former stables: more than any window needs


class Merge(StrEnum):
    """What the `approved` and the `fence` of the head say."""

    UNTOUCHED = "Untouched"
    FRESH = "Fresh"
    WITHDRAWN = "Withdrawn"
    VOID = "Void"


def read_branch(scene: Scene, head: Head, draft: Draft) -> Draft:
    """Apply the merged gate, if there is one that is fresh, and follow what the branch has shown."""
    approval, due = head.file.approved, asking.due(scene.kind, draft.history, draft.state)
    due = None if is_change(due) else due
    merge = judged(head, draft, due)
    if merge is Merge.FRESH and _put_back(scene, head, due):
        merge = Merge.VOID
    withheld = counted.withheld(scene.observation, draft.state, due)
    match merge:
        case Merge.FRESH if withheld:
            draft = draft.note("NOT_KEPT", withheld)
        case Merge.FRESH if approval is not None and due is not None:
            draft = taken(scene, pools.attested(scene, draft), due, approval)
        case Merge.WITHDRAWN:
            draft = _fallen_back(scene, draft, approval)
        case Merge.VOID:
            draft = draft.note("GATE_STALE", "a gate was merged that no longer stood; it approves nothing")
        case _:
            pass
    # What comes with a void gate, a withdrawal or a damaged record approves nothing, whatever it shows.
    trusted = merge in {Merge.UNTOUCHED, Merge.FRESH} and not head.restored
    trusted = trusted and counted.kept(draft.state, scene.observation)
    return shown.read_shown(scene, head, draft, trusted=trusted)


def _put_back(scene: Scene, head: Head, due: gates.Gate | None) -> bool:
    """Say whether a gate that removes something came with objects that we did not leave: their protection may
    be on, and is taken off before they go (R6). No gate changes files of what it removes.
    """
    whole = {gates.UNPROTECTED, *({gates.COMPLETE} if scene.kind.beside is not None else ())}
    routed = head.left.state.routed
    rows = (
        (due is not None and due.step in whole, ""),
        (due is not None and routed is not None and bool(routed.retiring), "traffic/"),
    )
    return any(removes and _changed(head, below) for removes, below in rows)


def _changed(head: Head, below: str) -> bool:
    """Say whether any file of ours below this folder is not as we left it."""
    ours, theirs = (
        {path: raw for path, raw in one.files.items() if path.startswith(below) and path != rollout_file.NAME}
        for one in (head.left, head.file)
    )
    return ours != theirs


def judged(head: Head, draft: Draft, due: gates.Gate | None) -> Merge:
    """Judge freshness, once: `due` is the gate that the state asks for, not today's source (R15)."""
    approval, fence = head.file.approved, head.file.fence
    if approval == head.left.approved and fence == head.left.fence:
        return Merge.UNTOUCHED
    if approval is not None and due is not None and due.same(approval) and _next(head, draft, approval):
        return Merge.FRESH
    return Merge.WITHDRAWN if _withdrawn(draft, approval) else Merge.VOID


def _next(head: Head, draft: Draft, approval: Approval) -> bool:
    return (approval.base, head.file.fence.seq) == (str(head.left.fence), draft.state.seq + 1)


def taken(scene: Scene, draft: Draft, gate: gates.Gate, approval: Approval) -> Draft:
    """Do what an approved gate says: about the route, about requests, about the whole, or a step."""
    draft = replace(draft, approved=approval)
    return _sort_of(draft, gate)(scene, draft, gate)


def _sort_of(draft: Draft, gate: gates.Gate) -> Callable[[Scene, Draft, gates.Gate], Draft]:
    """Say what a gate is about; the first row that holds counts."""
    route = {gates.ATTACH, gates.TAKE_OVER, gates.DETACH}
    whole = {gates.COMPLETE, gates.DELETE, gates.UNPROTECTED}
    of_route = gate.step in route or (gate.step == gates.UNPROTECTED and draft.state.withdraw is None)
    rows = (
        (of_route, _about_route),
        (gate.stable is not None, beside_follow.stable_shrinks),
        (gate.step == gates.BACK, _back_to_stable),
        (gate.step == gates.DRAINED and gate.partition is None, _drained),
        (gate.step in whole, _about_whole),
        (gate.partition is None, _requests_moved),
    )
    return next((follow for holds, follow in rows if holds), _step_taken)


def _back_to_stable(scene: Scene, draft: Draft, _gate: gates.Gate) -> Draft:
    return leaving.without_traffic(scene, draft)


def _drained(_scene: Scene, draft: Draft, _gate: gates.Gate) -> Draft:
    return leaving.drained(draft)


def _about_route(_scene: Scene, draft: Draft, gate: gates.Gate) -> Draft:
    """Put the terms that were asked about in force, let the route answer alone, or begin to take it away."""
    routed, wanted = draft.state.routed, routing.wanted(draft.state)
    if routed is None:
        return draft
    match gate.step:
        case gates.ATTACH if wanted is not None:
            before = routing.terms(draft.state)
            other = before is None or before.replaces != wanted.replaces
            beside = bool(wanted.replaces) and (other or routed.stage == "beside")
            after = replace(routed, terms=wanted.to_json(), stage="beside" if beside else "alone")
        case gates.TAKE_OVER:
            after = replace(routed, stage="alone")
        case gates.DETACH:
            after = replace(routed, stage="leaving")
        case _:
            after = replace(routed, terms=None, stage="alone")
    return draft.with_state(routed=after)


def _about_whole(scene: Scene, draft: Draft, gate: gates.Gate) -> Draft:
    state, now = draft.state, instant(scene.now)
    match gate.step:
        case gates.COMPLETE if state.offered is not None:
            before = [one for one in (state.stable, *state.stables) if one != state.offered]
            stables = tuple(dict.fromkeys(before))[:_REMEMBERED]
            return draft.ended().with_state(stable=state.offered, stables=stables)
        case gates.COMPLETE:
            return draft.ended()
        case gates.DELETE:
            return draft.with_state(withdraw=Withdraw("unprotected", now))
        case _:
            return draft.with_state(withdraw=Withdraw("remove", now))


def _requests_moved(scene: Scene, draft: Draft, gate: gates.Gate) -> Draft:
    """Give the candidate the requests that were asked for; the soak of the step begins."""
    draft = draft.with_state(since=replace(draft.state.since, proven=instant(scene.now)))
    return draft.with_published(header=gate.header or None, weight=gate.weight or None, step=gate.base_step)


def _step_taken(scene: Scene, draft: Draft, gate: gates.Gate) -> Draft:
    state, partition = draft.state, gate.partition or {}
    if gate.step == gates.DRAINED:
        # The soak has been waited for before: everybody was on the candidate already.
        return draft.at_partition(partition, lowest(state.lowest, partition))
    draft = draft.with_state(
        candidate=state.offered, since=replace(state.since, proven=instant(scene.now), drain=None)
    )
    draft = draft.at_partition(partition, lowest(state.lowest, partition))
    land = asking.ground(scene.kind, draft.history, state)
    return draft.with_published(step=asking.step_reached(state, land, gate))


def _withdrawn(draft: Draft, approval: Approval | None) -> bool:
    """Say whether the approval in force was taken back: an earlier one of this attempt stands there."""
    state, ours = draft.state, draft.approved
    if ours is None or state.candidate is None or state.candidate != state.offered:
        return False
    now = _position(draft, ours)
    if approval is None:
        return now is not None
    before = _position(draft, approval)
    same = (approval.attempt, approval.digest) == (ours.attempt, ours.digest)
    return same and now is not None and before is not None and before < now


def _position(draft: Draft, approval: Approval) -> tuple[int, int, int] | None:
    """Give how far an approval reaches: its step, whether of requests, and how many; None for no step."""
    names = [step.name for step in gates.steps_of(draft.state)]
    if approval.step == gates.DRAINED and approval.allows.get("step") in names:
        return names.index(str(approval.allows["step"])), 2, 0
    if approval.step == gates.DRAINED and names:
        return len(names), 0, 0
    name = approval.step.removesuffix(gates.TRAFFIC)
    if name not in names:
        return None
    return names.index(name), int(approval.step.endswith(gates.TRAFFIC)), _weight(approval)


def _weight(approval: Approval) -> int:
    weight = approval.allows.get("weight")
    return weight if isinstance(weight, int) else 0


def _fallen_back(scene: Scene, draft: Draft, approval: Approval | None) -> Draft:
    """Raise the partition to the step that is still approved (R3). It pulls nothing back: that is abort.

    Requests go down to what is still approved; they leave at once.
    """
    land = asking.ground(scene.kind, draft.history, draft.state)
    target = land.protecting_all()
    step = approval.step.removesuffix(gates.TRAFFIC) if approval is not None else None
    if step is not None:
        reached = {
            stage.step.name: stage.partition for stage in stages(gates.steps_of(draft.state), land.counts)
        }
        target = land.floored(reached.get(step, target))
    now = draft.state.partition or target
    if scene.kind.beside is not None:
        return _taken_back(scene, replace(draft, approved=approval), approval, step)
    raised = {name: max(number, now.get(name, number)) for name, number in target.items()}
    draft = replace(draft, approved=approval).at_partition(raised, lowest(draft.state.lowest, now))
    draft = _requests_still_approved(scene, draft, approval)
    step = draft.state.published.step if routing.restoring(draft.state) else step
    return draft.with_published(step=step).note(
        "PARTITION_RAISED",
        f"an approval was taken back: {counted.taken_back(scene.kind)}; "
        "the way back is `gitops-rollout abort`",
    )


def _taken_back(scene: Scene, draft: Draft, approval: Approval | None, step: str | None) -> Draft:
    """Go back to what is still approved: first stable's replicas, then requests, then others (R3)."""
    had = draft.state.published
    if approval is not None and approval.step == gates.DRAINED:
        step = str(approval.allows.get("step"))
    draft = draft.with_state(graphs=beside.restored(scene.kind, draft.history, draft.state))
    draft = _requests_still_approved(scene, draft, approval)
    if draft.state.published != had:
        draft = leaving.waiting(scene, draft)
    said = "an approval was taken back: requests leave first, and then the replicas that they leave idle"
    step = draft.state.published.step if routing.restoring(draft.state) else step
    return draft.with_published(step=step).note("APPROVAL_WITHDRAWN", said)


def _requests_still_approved(scene: Scene, draft: Draft, approval: Approval | None) -> Draft:
    """Lower the requests to those of the approval that still stands, or of the step before it."""
    have = draft.state.published
    if not have.traffic:
        return draft
    if left_out(draft.state):
        return leaving.named_first(scene, draft)
    header, weight = False, 0
    if approval is not None and approval.step.endswith(gates.TRAFFIC):
        header, weight = approval.allows.get("header") is True, _weight(approval)
    elif approval is not None:
        steps = gates.steps_of(draft.state)
        names = [step.name for step in steps]
        # After `drained` all requests of its step have moved; a step's own gate comes before them.
        behind = str(approval.allows.get("step")) if approval.step == gates.DRAINED else approval.step
        upto = int(approval.step == gates.DRAINED)
        before = steps[: names.index(behind) + upto] if behind in names else ()
        if before and before[-1].traffic is not None:
            traffic = routing.carried(scene.kind, draft.history, draft.state, before[-1].traffic)
            header, weight = traffic.header, traffic.weight or 0
    return draft.with_published(
        header=(bool(have.header) and header) or None, weight=min(have.weight or 0, weight) or None
    )
