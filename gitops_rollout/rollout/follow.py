"""Following the source and the orders of people: which revision is offered, under which controls."""

from dataclasses import replace

from gitops_rollout.api.policy import Deletion, Policy
from gitops_rollout.api.values import Object
from gitops_rollout.api.workload import Spec
from gitops_rollout.revision.history import History, free_name, injected
from gitops_rollout.revision.identity import digest
from gitops_rollout.revision.record import UNTOUCHED, Revision
from gitops_rollout.rollout import gate as gates
from gitops_rollout.rollout.capacity import Ground, lowest, rescaled, under_floor
from gitops_rollout.rollout.draft import Draft, Order, Presence, Scene, instant, parsed
from gitops_rollout.rollout.state import Rejected, Withdraw


def follow_order(scene: Scene, draft: Draft) -> Draft:
    """Do what a person asked for by command; what is impossible is refused before (see `possible`)."""
    match scene.order:
        case Order.DECLINE:
            return _rejected(scene, draft, "declined")
        case Order.ABORT:
            return _left(_rejected(scene, draft, "aborted"))
        case Order.RETRY:
            return draft.with_state(rejected=None)
        case None:
            return draft


def impossible(scene: Scene, draft: Draft) -> str:
    """Say why an order cannot be followed now, with what can be done; empty when it can."""
    state = draft.state
    match scene.order:
        case Order.DECLINE if state.offered is None or state.withdraw is not None:
            return "no gate of a step is open: there is nothing to decline"
        case Order.DECLINE if gates.due(scene.kind, draft.history, state) is None:
            return "no gate of a step is open: there is nothing to decline"
        case Order.ABORT if state.offered is None:
            why = "it is on its way back already" if draft.rolling_back else "no revision is offered"
            return f"there is nothing to abort: {why}"
        case Order.RETRY if state.rejected is None:
            return "nothing was declined or aborted: there is nothing to try again"
        case _:
            return ""


def _rejected(scene: Scene, draft: Draft, why: str) -> Draft:
    state = draft.state
    revision = draft.history[state.offered or ""]
    gate = gates.due(scene.kind, draft.history, state)
    step = gate.step if gate and state.withdraw is None else state.published.step
    return draft.with_state(
        rejected=Rejected(revision.id, revision.digest, state.attempt, step, why)  # type: ignore[arg-type]
    )


def _left(draft: Draft) -> Draft:
    """Leave the offered revision: its attempt and every approval of it end here."""
    draft = draft.with_state(offered=None, attempt=draft.state.attempt + 1).with_published(step=None)
    return replace(draft, approved=None)


def follow_presence(scene: Scene, draft: Draft) -> Draft:
    """Ask for the withdrawal of what left the source; what comes back is no longer asked about (R6)."""
    presence, withdraw = scene.desired.presence, draft.state.withdraw
    if presence in (Presence.PRESENT, Presence.REFUSED):
        return draft.with_state(withdraw=None) if withdraw else draft
    if presence is Presence.HELD:
        return draft.note("DELETION_HELD", "its spec is gone, but deletions are held: see the warnings")
    if draft.policy.deletion is Deletion.KEEP:
        return draft.note("KEPT", "its spec is gone; it is kept as its policy says (deletion: Keep)")
    return draft if withdraw else draft.with_state(withdraw=Withdraw("delete", instant(scene.now)))


def follow_policy(scene: Scene, draft: Draft) -> Draft:
    """Take over the policy; one that vanishes or shortens in mid-rollout does not (R27)."""
    new, old = scene.desired.policy, draft.policy
    if new is None or new == old:
        return draft
    if draft.state.candidate is not None and not _keeps_steps(old, new, draft.state.published.step):
        new = replace(new, steps=old.steps, soak=old.soak)
        draft = draft.note("POLICY_FROZEN", "shortened in mid-rollout: this rollout keeps its steps")
    accepted = replace(draft.state.accepted, policy=new.to_json())
    return draft.with_state(accepted=accepted)


def _keeps_steps(old: Policy, new: Policy, in_force: str | None) -> bool:
    return len(new.steps) >= len(old.steps) and (in_force is None or new.step(in_force) is not None)


def follow_controls(scene: Scene, draft: Draft, spec: Spec) -> Draft:
    """Take over what restarts nothing; while a candidate serves, nothing that loosens protection (R10)."""
    state, kind = draft.state, scene.kind
    old, new = state.accepted.controls, _coming(scene, draft, spec)
    serving = state.candidate or state.offered
    if new != spec.controls:
        draft = draft.note("CONTROLS_HELD", "a rollout is on: what loosens protection waits for its end")
    needed = {
        name
        for revision in (state.stable, state.candidate, state.offered)
        if revision is not None
        for name in kind.components(draft.history[revision].text)
    }
    new = kind.retain(old, new, needed)
    if new == old:
        return draft
    before = gates.ground(kind, draft.history, state, serving)
    draft = draft.with_state(accepted=replace(state.accepted, controls=new))
    if state.partition is None or draft.rolling_back:
        return draft
    return _moved(draft, before, gates.ground(kind, draft.history, draft.state, serving))


def _moved(draft: Draft, before: Ground, after: Ground) -> Draft:
    """Let the thresholds follow other counts and a higher floor; neither ever lowers one (DESIGN 5)."""
    state, partition = draft.state, draft.state.partition or {}
    if not gates.everything_approved(state):
        scaled = rescaled(partition, before.counts, after.counts)
        if scaled != partition:
            draft = draft.note(
                "CANDIDATE_UNPINNED",
                "scaled up in mid-rollout: new replicas, and what is re-created, are born on stable",
            )
        partition = scaled
    # A candidate that waits for its successor stays where it stands: what it holds, the successor takes.
    if state.offered == state.candidate:
        raised = under_floor(partition, before.floors, after.floors)
        if raised != partition:
            draft = draft.note(
                "PARTITION_RAISED",
                "the partition was raised in the source: what has moved stays on the candidate until it is "
                "re-created; the way back is `gitops-rollout abort`",
            )
        partition = raised
    return draft.at_partition(partition, state.lowest or partition)


def _coming(scene: Scene, draft: Draft, spec: Spec) -> Object:
    if draft.state.candidate is None:
        return spec.controls
    return scene.kind.hold_loosening(draft.state.accepted.controls, spec.controls)


def follow_revision(scene: Scene, draft: Draft, spec: Spec) -> Draft:
    """Offer the revision that the source wants; equal to stable means: back to it (DESIGN 5)."""
    known = draft.history.equal(scene.kind, spec.text)
    state = draft.state
    if state.rejected is not None and (known is None or known.id != state.rejected.revision):
        draft = draft.with_state(rejected=None)
    if known is not None and known.id == state.stable:
        return _left(draft) if state.offered is not None else draft
    if draft.state.rejected is not None or (known is not None and known.id == state.offered):
        return draft
    if draft.rolling_back:
        return draft.note("WAITING_FOR_ROLLBACK", "the way back that is published is finished first")
    return _offered(draft, known or born(scene, draft, spec))


def _offered(draft: Draft, revision: Revision) -> Draft:
    history = draft.history
    if history.get(revision.id) is None:
        history = history.record(revision)
    elif history.revisions[-1].id != revision.id:
        before = history[revision.id].number
        history = history.raised(revision.id)
        draft = draft.note("RETURNING", f"back to revision {before} (now {history[revision.id].number})")
    draft = replace(draft, history=history, approved=None)
    return draft.with_state(offered=revision.id, attempt=draft.state.attempt + 1).with_published(step=None)


def born(scene: Scene, draft: Draft, spec: Spec) -> Revision:
    """Name, number and label a revision that no recorded one equals."""
    kind, history = scene.kind, draft.history
    full = digest(kind.canonical(spec.text))
    name = free_name(history, full)
    whole = None if kind.by_component(_coming(scene, draft, spec)) else name
    labels = injected(kind, history[draft.state.stable], spec.text, whole)
    return Revision(name, full, history.next_number, spec.text, labels, scene.commit)


def first_revision(scene: Scene, spec: Spec) -> Revision:
    """Give the revision of a first publication: unlabelled, so that nothing that runs restarts (R9)."""
    full = digest(scene.kind.canonical(spec.text))
    return Revision(free_name(History(), full), full, 1, spec.text, UNTOUCHED, scene.commit)


def follow_clock(scene: Scene, draft: Draft) -> Draft:
    """Start a wait again when the clock went backwards: a soak never ends early by a jump (R16)."""
    since = draft.state.since
    if since.proven is None or parsed(since.proven) <= scene.now:
        return draft
    return draft.with_state(since=replace(since, proven=instant(scene.now)))


def hold_partition(scene: Scene, draft: Draft) -> Draft:
    """Put the thresholds in force, total over where the rollout stands (DESIGN 5)."""
    state = draft.state
    if state.candidate is None:
        return draft.with_published(partition=None, lowest=None, step=None)
    land = gates.ground(scene.kind, draft.history, state)
    now, low = state.partition or {}, state.lowest or {}
    if draft.rolling_back:
        # A raised partition pulls nothing back: everything that was ever on the candidate is
        # handed to stable, whatever the source's floor says (R12).
        return draft.at_partition(low, low)
    if state.offered != state.candidate:
        return draft.at_partition(now, low)
    if gates.everything_approved(state):
        now = lowest(now, land.floors)
    return draft.at_partition(now, lowest(low, now))
