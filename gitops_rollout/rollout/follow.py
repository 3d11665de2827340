"""Following the source: which revision is offered, under which controls and which policy."""

from dataclasses import replace

from gitops_rollout.api.policy import Deletion, OnNewRevision, ReplicasFrom
from gitops_rollout.api.values import Json, Object
from gitops_rollout.api.workload import Spec
from gitops_rollout.revision.history import History, free_name, injected
from gitops_rollout.revision.identity import digest
from gitops_rollout.revision.record import UNTOUCHED, Revision
from gitops_rollout.rollout import asking, beside_follow, counted, routing, scaling
from gitops_rollout.rollout import gate as gates
from gitops_rollout.rollout.capacity import Ground, lowest, rescaled, under_floor
from gitops_rollout.rollout.draft import Draft, Presence, Scene, instant, left, parsed
from gitops_rollout.rollout.state import State, Withdraw


def follow_presence(scene: Scene, draft: Draft) -> Draft:
    """Ask for the withdrawal of what left the source; what comes back is no longer asked about (R6)."""
    presence, withdraw = scene.desired.presence, draft.state.withdraw
    if presence in (Presence.PRESENT, Presence.REFUSED):
        return draft.with_state(withdraw=None) if withdraw else draft
    if presence is Presence.HELD:
        return draft.note("DELETION_HELD", "its spec is gone, but deletions are held: see the warnings")
    if draft.policy.deletion is Deletion.KEEP:
        return draft.note("KEPT", "its spec is gone; it is kept as its policy says (deletion: Keep)")
    if scene.desired.moved_to:
        moved = f"it moved to {scene.desired.moved_to}: agree to its deletion when that one serves"
        draft = draft.note("MOVED", moved)
    return draft if withdraw else draft.with_state(withdraw=Withdraw("delete", instant(scene.now)))


def follow_controls(scene: Scene, draft: Draft, spec: Spec) -> Draft:
    """Take over what restarts nothing; while a candidate serves, nothing that loosens protection (R10)."""
    state, kind = draft.state, scene.kind
    old, new = state.accepted.controls, _coming(scene, draft, spec)
    serving = state.candidate or state.offered
    if new != _owned(scene, draft, spec):
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
    first = scaling.requests_first if kind.beside is None else beside_follow.requests_first
    draft, waits = first(scene, draft, new)
    if waits:
        draft = replace(draft, makes_room=True)
        return draft.note("CONTROLS_HELD", "scaling waits for the requests: they leave before replicas do")
    state = draft.state
    if kind.beside is not None:
        return beside_follow.scaled(scene, draft, new)
    before = asking.ground(kind, draft.history, state, serving)
    draft = draft.with_state(accepted=replace(state.accepted, controls=new))
    if state.partition is None or draft.rolling_back:
        return draft
    moved = _moved if kind.counted is None else counted.moved
    return moved(draft, before, asking.ground(kind, draft.history, draft.state, serving))


def scale_down(scene: Scene, draft: Draft) -> Draft:
    """Take over controls that lower replicas and do nothing else: safe whatever is unknown (Kthena #1799).

    Nothing of a revision that cannot be read is rendered for it.
    """
    spec, state, kind = scene.desired.spec, draft.state, scene.kind
    rendered = state.candidate if state.offered is not None else None
    if spec is None or draft.history.get(rendered or state.stable) is None:
        return draft
    known = [draft.history.get(one) for one in (state.stable, state.candidate, state.offered)]
    needed = {name for one in known if one is not None for name in kind.components(one.text)}
    old, new = state.accepted.controls, kind.retain(state.accepted.controls, spec.controls, needed)
    refused = kind.check_update(draft.history[state.stable].text, old, spec)
    if refused or not _only_lowers(old, new):
        return draft
    return draft.with_state(accepted=replace(state.accepted, controls=new))


def _only_lowers(old: Object, new: Object) -> bool:
    """Say whether nothing but `replicas` differs, and none of them rises."""
    return old.keys() == new.keys() and all(_falls(name, old[name], new[name]) for name in old)


def _falls(name: str, old: Json, new: Json) -> bool:
    if isinstance(old, dict) and isinstance(new, dict):
        return _only_lowers(old, new)
    lower = name == "replicas" and isinstance(old, int) and isinstance(new, int) and new < old
    return lower or old == new


def back_to_stable(scene: Scene, draft: Draft, *, aborts: bool) -> Draft:
    """Leave the offered revision where the source, or a person, wants stable."""
    spec, state = scene.desired.spec, draft.state
    if state.offered is None:
        return draft
    known = draft.history.equal(scene.kind, spec.text) if spec is not None else None
    wanted = known is not None and known.id == state.stable and state.held is None
    if not aborts and not wanted:
        return draft
    return left(draft)


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
        return _owned(scene, draft, spec)
    return scene.kind.hold_loosening(draft.state.accepted.controls, _owned(scene, draft, spec))


def _owned(scene: Scene, draft: Draft, spec: Spec) -> Object:
    """Leave out of the controls what the policy says that the cluster owns."""
    if draft.policy.replicas_from is ReplicasFrom.CLUSTER:
        return scene.kind.without_replicas(spec.controls)
    return spec.controls


def follow_revision(scene: Scene, draft: Draft, spec: Spec) -> Draft:
    """Offer the revision that is wanted; equal to stable means: back to it (DESIGN 5)."""
    draft, known = _wanted(scene, draft, spec)
    return _towards(scene, draft, known or born(scene, draft, spec))


def follow_hold(scene: Scene, draft: Draft) -> Draft:
    """Go on with a rollback by command where the source says nothing that could be followed."""
    held = draft.state.held
    return draft if held is None else _towards(scene, draft, draft.history[held.revision])


def _towards(scene: Scene, draft: Draft, wanted: Revision) -> Draft:
    state = draft.state
    if state.rejected is not None and wanted.id != state.rejected.revision:
        draft = draft.with_state(rejected=None)
    if wanted.id == state.stable:
        return left(draft) if state.offered is not None else draft
    if draft.state.rejected is not None or wanted.id == state.offered:
        return draft
    if draft.rolling_back:
        return draft.note("WAITING_FOR_ROLLBACK", "the way back that is published is finished first")
    if scene.kind.beside is not None and state.candidate and not _has_to_wait(scene, draft, state):
        said = "another revision is wanted: the candidate leaves first, and then that one is offered"
        return left(draft).note("DRAINS_FIRST", said)
    if _has_to_wait(scene, draft, state):
        return draft.note("WAITING_FOR_ROLLOUT", "another revision is offered when this rollout has ended")
    return _offered(draft, wanted)


def _has_to_wait(scene: Scene, draft: Draft, state: State) -> bool:
    """Say whether another revision waits for the end of this rollout (`onNewRevision: Wait`).

    An order of people does not, and for a rollout that they rejected nothing waits: it has no end. Where
    stable has too few replicas to take all requests back, everybody waits: the third revision would
    leave nobody to answer.
    """
    starved = scene.kind.beside is None and routing.starved(scene.kind, draft.history, state)
    if starved and state.published.traffic:
        return True
    on = state.candidate is not None and state.offered == state.candidate
    ordered = state.held is not None and state.held.revision != state.offered
    waits = draft.policy.on_new_revision is OnNewRevision.WAIT
    return waits and on and not ordered and state.rejected is None


def _wanted(scene: Scene, draft: Draft, spec: Spec) -> tuple[Draft, Revision | None]:
    """Give the recorded revision that is wanted: the source's, or the one that is held instead of it.

    A rollback by command holds until the source wants something else, or `resume` (DESIGN 2).
    """
    held = draft.state.held
    if held is None:
        return draft, draft.history.equal(scene.kind, spec.text)
    if held.insteadOf == draft.history.digest_of(scene.kind, spec.text):
        return draft, draft.history.get(held.revision)
    draft = draft.with_state(held=None).note(
        "HOLD_ENDED", "the source wants another revision: the rollback ends"
    )
    return draft, draft.history.equal(scene.kind, spec.text)


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
    whole = None if kind.labels_by_component(_coming(scene, draft, spec)) else name
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


def _one_object(draft: Draft) -> Draft:
    """Keep the name of the one object that is left where revisions were objects of their own."""
    state = draft.state
    kept = state.graph(state.stable)
    return draft.with_state(graphs=(replace(kept, replicas=None),)) if kept is not None else draft


def hold_partition(scene: Scene, draft: Draft) -> Draft:
    """Put the thresholds in force, total over where the rollout stands (DESIGN 5)."""
    if scene.kind.beside is not None:
        return beside_follow.hold(scene, draft)
    draft = _one_object(draft)
    state = draft.state
    if state.candidate is None:
        return draft.with_published(partition=None, lowest=None, step=None, header=None, weight=None)
    land = asking.ground(scene.kind, draft.history, state)
    now, low = state.partition or {}, state.lowest or {}
    if draft.rolling_back and state.since.drain is not None:
        return draft.at_partition(now, low)
    if draft.rolling_back:
        # A raised partition pulls nothing back: everything that was ever on the candidate is
        # handed to stable, whatever the source's floor says (R12).
        return draft.at_partition(low, low)
    if state.offered != state.candidate:
        return draft.at_partition(now, low)
    if gates.everything_approved(state) and scene.kind.counted is None:
        now = lowest(now, land.ends)
    return draft.at_partition(now, lowest(low, now))
