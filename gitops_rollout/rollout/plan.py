"""The planner: what was read goes in, the next rollout file and the one gate that is due come out.

Pure: the same inputs give the same plan on any machine. State is derived at each pass; waiting is a
decision like any other.
"""

from dataclasses import dataclass, replace
from datetime import datetime

from gitops_rollout.api.policy import BUILT_IN, ReplicasFrom
from gitops_rollout.api.problems import Problem
from gitops_rollout.api.workload import Spec
from gitops_rollout.revision.history import History
from gitops_rollout.rollout import follow, orders
from gitops_rollout.rollout import gate as gates
from gitops_rollout.rollout.approvals import read_branch, read_shown
from gitops_rollout.rollout.draft import Draft, Head, Presence, Scene, Word, instant, soaked_at
from gitops_rollout.rollout.gate import Gate
from gitops_rollout.rollout.state import Accepted, Approval, Identity, Since, State


@dataclass(frozen=True, slots=True)
class Plan:
    """What to do about one workload.

    `state`, `approved` and `history` are to be written where they differ from the head's, before
    `gate` is asked. `gate_from`: the instant from which it may be asked (soak), None for now.
    `blocked`: nothing is written and nothing is asked. `remove`: its folder goes, and nothing else.
    """

    state: State
    approved: Approval | None
    history: History
    kept: History
    gate: Gate | None = None
    gate_from: datetime | None = None
    notes: tuple[Problem, ...] = ()
    problems: tuple[Problem, ...] = ()
    blocked: tuple[Problem, ...] = ()
    remove: bool = False


def begin(scene: Scene, spec: Spec, last_seq: int) -> Plan:
    """Plan a first publication: at once and unlabelled, for unknown counts as running already."""
    revision = follow.first_revision(scene, spec)
    history = History((revision,))
    policy = scene.desired.policy
    foreign = policy is not None and policy.replicas_from is ReplicasFrom.CLUSTER
    controls = scene.kind.without_replicas(spec.controls) if foreign else spec.controls
    state = State(
        seq=last_seq,
        workload=Identity(scene.key.kind),
        accepted=Accepted(scene.commit, controls, (policy or BUILT_IN).to_json()),
        stable=revision.id,
        since=Since(instant(scene.now)),
        installation=scene.installation,
    )
    note = Problem(
        code="ADOPTED_UNSEEN",
        message="published without seeing a cluster: if it runs already, make sure that it runs this spec",
    )
    unseen = Problem(
        code="REPLICAS_UNSEEN",
        message="no replicas are written, as its policy says: see first that an autoscaler owns them",
    )
    return Plan(state, None, history, history, notes=(note, unseen) if foreign else (note,))


def plan(scene: Scene, head: Head) -> Plan:
    """Plan one step of a workload that has a rollout file."""
    draft = Draft(head.file.state, head.left.approved, head.history)
    if head.damage:
        return _blocked(scene, head, draft)
    if head.restored:
        draft = draft.note("RECORD_RESTORED", head.restored)
    draft = read_branch(scene, head, draft)
    draft = orders.follow_order(scene, draft)
    draft = follow.follow_presence(scene, draft)
    draft, problems = _follow_source(scene, draft)
    draft = follow.hold_partition(scene, follow.follow_clock(scene, draft))
    return _asked(scene, draft, problems)


def _blocked(scene: Scene, head: Head, draft: Draft) -> Plan:
    """Do what is safe under unknown history (DESIGN 4): scale down, and go back to a known revision.

    Nothing template-driven grows, no gate is asked, nothing is pruned; it heals by itself when the
    history can be read again. Merges are read where all that may serve is known; where it is not, what
    the branch shows is left as it is until it heals.
    """
    state = draft.state
    serving = [one for one in (state.stable, state.candidate, state.offered) if one is not None]
    known = all(draft.history.get(one) is not None for one in serving)
    if known:
        draft = read_branch(scene, head, draft)
    if draft.history.get(state.stable) is not None:
        shown = draft if known else read_shown(scene, head, draft, trusted=False)
        back = _back(scene, shown, known=known)
        draft = draft if back is shown else back
        draft = follow.scale_down(scene, draft) if known or head.as_left else draft
    history, notes = draft.history, draft.notes
    return Plan(draft.state, draft.approved, history, history, notes=notes, blocked=head.damage)


def _back(scene: Scene, draft: Draft, *, known: bool) -> Draft:
    aborts = scene.order is not None and scene.order.word is Word.ABORT and draft.state.offered is not None
    if aborts and known:
        draft = orders.aborted(scene, draft)
    return follow.back_to_stable(scene, draft, aborts=aborts)


def refusal(scene: Scene, head: Head) -> str:
    """Say why the order of a person cannot be followed; empty when it can."""
    draft = Draft(head.file.state, head.left.approved, head.history)
    if head.damage:
        safe = scene.order is not None and scene.order.word is Word.ABORT and draft.state.offered is not None
        return "" if safe else "its history is not known: only abort and scaling down are possible"
    return orders.impossible(scene, read_branch(scene, head, draft))


def _follow_source(scene: Scene, draft: Draft) -> tuple[Draft, tuple[Problem, ...]]:
    spec = scene.desired.spec
    if scene.desired.presence is Presence.REFUSED:
        return follow.follow_hold(draft), scene.desired.problems
    if scene.desired.presence is not Presence.PRESENT or spec is None:
        return draft, scene.desired.problems
    stable = draft.history[draft.state.stable]
    refused = scene.kind.check_update(stable.text, draft.state.accepted.controls, spec)
    if refused:
        # The last accepted spec stays in force and its rollout goes on; other workloads go on.
        return follow.follow_hold(draft), tuple(one.within(spec.file, spec.document) for one in refused)
    draft = follow.follow_policy(scene, draft)
    draft = follow.follow_revision(scene, draft, spec)
    return follow.follow_controls(scene, draft, spec), scene.desired.problems


def _asked(scene: Scene, draft: Draft, problems: tuple[Problem, ...]) -> Plan:
    state = draft.state
    gate = gates.due(scene.kind, draft.history, state)
    soak = gates.step_in_force(state)
    start = soaked_at(state, soak.soak) if soak and gate and not draft.rolling_back else None
    removing = state.withdraw is not None and state.withdraw.stage == "remove"
    held = scene.desired.presence is Presence.HELD
    return Plan(
        state=state,
        approved=draft.approved,
        history=draft.history,
        kept=_kept(draft),
        gate=None if held and state.withdraw else gate,
        gate_from=start if start is not None and start > scene.now else None,
        notes=draft.notes,
        problems=problems,
        remove=removing and scene.desired.presence is Presence.ABSENT,
    )


def _kept(draft: Draft) -> History:
    """Prune only when nothing is on its way; what serves or is not to come back by itself stays (case 39)."""
    state = draft.state
    if state.candidate is not None or state.offered is not None or state.withdraw is not None:
        return draft.history
    live = {state.stable, *(one.revision for one in state.baselines)}
    live |= {one.revision for one in (state.rejected, state.held) if one is not None}
    if state.held is not None:
        live |= {one.id for one in draft.history if one.digest == state.held.insteadOf}
    live |= set(state.stables[: draft.policy.rollback_window])
    return draft.history.pruned(live, draft.policy.revision_history_limit)


def changed(plan: Plan, head: Head) -> bool:
    """Say whether anything is to be written: an idle plan writes nothing."""
    before = (head.file.state, head.file.approved, head.history)
    return not head.as_left or before != (plan.state, plan.approved, plan.history)


def numbered(plan: Plan, seq: int, commit: str, now: datetime) -> Plan:
    """Give the plan with the number that its commit carries; called only when something changes."""
    state = plan.state
    return replace(
        plan,
        state=replace(
            state,
            seq=seq,
            accepted=replace(state.accepted, commit=commit),
            since=replace(state.since, changed=instant(now)),
        ),
    )
