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
from gitops_rollout.rollout import asking, counted, follow, leaving, orders, pools, proofs, routing, timing
from gitops_rollout.rollout import beside_bound as bound
from gitops_rollout.rollout.approvals import read_branch
from gitops_rollout.rollout.draft import Draft, Head, Presence, Scene, Word, instant
from gitops_rollout.rollout.facts import NOTHING_SEEN, Fact
from gitops_rollout.rollout.follow_policy import follow_policy
from gitops_rollout.rollout.gate import Gate
from gitops_rollout.rollout.router_follow import downward
from gitops_rollout.rollout.shown import read_shown
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
    look_again: datetime | None = None
    """When something is due by itself besides: a wait on the way down ends, or no gate may stand open."""
    closed: str = ""
    """Why the gate may not be asked now whatever has soaked: a freeze, or no window."""
    unproven: tuple[Fact, ...] = ()
    """What is not observed yet of what the gate stands on; always empty under Manual proof."""
    follows: bool = False
    """The gate is not asked of anybody: it is taken when its facts are observed."""
    stuck: str = ""
    """What it has waited for longer than its progress deadline."""
    makes_room: bool = False
    """Requests make room for other replicas first: the gate is asked when those are in force."""

    @property
    def asked(self) -> Gate | None:
        """Give the gate that is to stand open now."""
        waits = self.gate_from is not None or self.closed or self.unproven or self.follows or self.makes_room
        return None if waits else self.gate


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
    draft = Draft(state, None, history, (note, unseen) if foreign else (note,))
    scene = under_policy(scene, draft)
    draft = pools.follow_pools(scene, follow.hold_partition(scene, draft))
    return Plan(draft.state, None, history, history, notes=draft.notes, problems=scene.desired.problems)


def plan(scene: Scene, head: Head) -> Plan:
    """Plan one step of a workload that has a rollout file."""
    draft = Draft(head.file.state, head.left.approved, head.history, stood=head.file.state)
    scene = under_policy(scene, draft)
    if head.damage:
        return _blocked(scene, head, draft)
    if head.restored:
        draft = draft.note("RECORD_RESTORED", head.restored)
    draft = read_branch(scene, head, draft)
    draft = orders.follow_order(scene, draft)
    draft = follow.follow_presence(scene, draft)
    settled, problems = _followed(scene, draft, scales=True)
    if _moves_both(head.file.state, settled.state):
        settled, problems = _followed(scene, draft, scales=False)
        settled = settled.note("CONTROLS_HELD", "controls wait for the next commit: this one moves requests")
    scene = under_policy(scene, settled)
    proven = proofs.follow_proofs(scene, head, settled)
    # What routers are told changes alone: what follows from it is seen to by the next pass (R19).
    alone = proven is settled or proven.state.routerPolicy != settled.state.routerPolicy
    settled = _told(scene, proven if alone else _settled(scene, proven))
    if not head.as_left or (settled.state, settled.history) != (head.file.state, head.history):
        # Facts are those of the head that was read: of what is written now, nothing is known yet (R20).
        scene = replace(scene, observation=NOTHING_SEEN)
    return _asked(scene, settled, problems)


def _followed(scene: Scene, draft: Draft, *, scales: bool) -> tuple[Draft, tuple[Problem, ...]]:
    draft, problems = _follow_source(scene, draft, scales=scales)
    return _settled(under_policy(scene, draft), draft), problems


def _moves_both(before: State, after: State) -> bool:
    """Say whether one commit would move requests and change replicas: never both (delivery-gateway G0).

    The end of a rollout moves no request: all of the candidate's are stable's from then on.
    """
    if before.stable != after.stable:
        return False
    return _requests(before) != _requests(after) and _replicas(before) != _replicas(after)


def _requests(state: State) -> tuple[object, ...]:
    terms = state.routed.terms if state.routed is not None else None
    return state.published.header, state.published.weight, terms


def _replicas(state: State) -> tuple[object, ...]:
    graphs = [(one.name, one.replicas) for one in state.graphs]
    return state.published.partition, state.accepted.controls, graphs


def under_policy(scene: Scene, draft: Draft) -> Scene:
    """Take the kind as it is under the strategy in force."""
    return replace(scene, kind=scene.kind.under(draft.state.strategy))


def _settled(scene: Scene, draft: Draft) -> Draft:
    """Put in force what follows: requests leave first, then thresholds hold, then pools are seen to."""
    draft = leaving.leave(scene, follow.follow_clock(scene, draft))
    return pools.follow_pools(scene, follow.hold_partition(scene, draft))


def _told(scene: Scene, draft: Draft) -> Draft:
    why = routing.refused(scene.kind, draft.history, draft.state)
    told = any(note.message == why for note in draft.notes)
    draft = draft.note("TRAFFIC_REFUSED", why) if why and not told else draft
    if scene.kind.counted is not None:
        draft = counted.told(scene, draft, asking.ground(scene.kind, draft.history, draft.state))
    lost = routing.unanswered(scene.kind, draft.history, draft.state)
    return draft.note("STABLE_UNSERVED", _UNSERVED.format(lost, draft.state.stable)) if lost else draft


_UNSERVED = (
    "the route sends {} % of the requests to {}, of which no replica is left: merge the gate that moves "
    "them, or abort the rollout"
)


def _blocked(scene: Scene, head: Head, draft: Draft) -> Plan:
    """Do what is safe under unknown history (DESIGN 4): scale down, and go back to a known revision.

    Nothing template-driven grows, no gate is asked, nothing is pruned; it heals by itself when the
    history can be read again. Merges are read where all that may serve is known; where it is not, what
    the branch shows is left as it is until it heals.
    """
    state = draft.state
    serving = [one for one in (state.stable, state.candidate, state.offered) if one is not None]
    serving += [one.revision for one in state.graphs]
    known = all(draft.history.get(one) is not None for one in serving)
    if known:
        draft = read_branch(scene, head, draft)
    if draft.history.get(state.stable) is not None:
        shown = draft if known else read_shown(scene, head, draft, trusted=False)
        back = _back(scene, shown, known=known)
        if back is not shown or _on_its_way(shown):
            draft = follow.hold_partition(scene, leaving.leave(scene, back))
        draft = follow.scale_down(scene, draft) if known or head.as_left else draft
        if draft.state == head.file.state:
            draft = downward(scene, draft)
    history, notes = draft.history, draft.notes
    return Plan(draft.state, draft.approved, history, history, notes=notes, blocked=head.damage)


def _on_its_way(draft: Draft) -> bool:
    """Say whether a way back is on, whose requests and pods leave whatever else is unknown (R13)."""
    return draft.rolling_back and (draft.state.since.drain is not None or draft.state.published.traffic)


def _back(scene: Scene, draft: Draft, *, known: bool) -> Draft:
    aborts = scene.order is not None and scene.order.word is Word.ABORT and draft.state.offered is not None
    if aborts and known:
        draft = orders.aborted(scene, draft)
    return follow.back_to_stable(scene, draft, aborts=aborts)


def refusal(scene: Scene, head: Head) -> str:
    """Say why the order of a person cannot be followed; empty when it can."""
    draft = Draft(head.file.state, head.left.approved, head.history)
    scene = under_policy(scene, draft)
    if head.damage:
        safe = scene.order is not None and scene.order.word is Word.ABORT and draft.state.offered is not None
        return "" if safe else "its history is not known: only abort and scaling down are possible"
    return orders.impossible(scene, read_branch(scene, head, draft))


def _follow_source(scene: Scene, draft: Draft, *, scales: bool) -> tuple[Draft, tuple[Problem, ...]]:
    spec = scene.desired.spec
    if scene.desired.presence is Presence.REFUSED:
        return follow.follow_hold(scene, draft), scene.desired.problems
    if scene.desired.presence is not Presence.PRESENT or spec is None:
        return draft, scene.desired.problems
    stable, policy = draft.history[draft.state.stable], scene.desired.policy
    keeps = policy is None or draft.state.candidate is not None or bound.binds(draft.state)
    kind = scene.kind if policy is None or keeps else scene.kind.under(policy.strategy)
    refused = (
        *kind.check_update(stable.text, draft.state.accepted.controls, spec),
        *counted.mixed(kind, draft, spec, policy),
    )
    if refused:
        # The last accepted spec stays in force and its rollout goes on; other workloads go on.
        return follow.follow_hold(scene, draft), tuple(
            one.within(spec.file, spec.document) for one in refused
        )
    draft = follow_policy(scene, draft)
    scene = under_policy(scene, draft)
    draft = follow.follow_revision(scene, draft, spec)
    return follow.follow_controls(scene, draft, spec) if scales else draft, scene.desired.problems


def _asked(scene: Scene, draft: Draft, problems: tuple[Problem, ...]) -> Plan:
    state = draft.state
    gate = asking.due(scene.kind, draft.history, state)
    removing = state.withdraw is not None and state.withdraw.stage == "remove"
    gate = None if gate is None or proofs.stopped(scene, draft, gate) else gate
    opens = timing.opening(scene, draft, gate)
    lacking = proofs.missing(scene, draft, gate)
    return Plan(
        state=state,
        approved=draft.approved,
        history=draft.history,
        kept=_kept(draft),
        gate=gate,
        gate_from=opens.start,
        notes=draft.notes,
        problems=problems,
        remove=removing and scene.desired.presence is Presence.ABSENT,
        look_again=opens.look_again,
        closed=opens.closed,
        unproven=lacking,
        follows=gate is not None and proofs.follows(scene, draft, gate),
        stuck=proofs.stuck(scene, draft, gate),
        makes_room=draft.makes_room and gate is not None and timing.goes_up(gate),
    )


def _kept(draft: Draft) -> History:
    """Prune only when nothing is on its way; what serves or is not to come back by itself stays (case 39)."""
    state = draft.state
    if state.candidate is not None or state.offered is not None or state.withdraw is not None:
        return draft.history
    live = {state.stable, *(one.revision for one in state.baselines)}
    live |= {one.revision for one in state.graphs}
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
