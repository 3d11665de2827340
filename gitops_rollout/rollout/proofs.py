"""Cluster proof: what is observed is taken, what only people decide is asked when its facts are in.

Facts are those of the head that was read, so that nothing is taken in a pass that changes something else
(one class of change a pass). A dip holds; it never raises anything (delivery-gateway G2.22).
"""

from dataclasses import replace
from datetime import timedelta

from gitops_rollout.api.policy import Deletion, Proof
from gitops_rollout.api.policy import Gate as Opens
from gitops_rollout.rollout import asking, facts, pools, router_follow, router_policy, routing, timing
from gitops_rollout.rollout.approvals import taken
from gitops_rollout.rollout.draft import Draft, Head, Presence, Scene, instant, left, parsed
from gitops_rollout.rollout.facts import About, Answer, Fact, Transition
from gitops_rollout.rollout.gate import DELETE, Gate
from gitops_rollout.rollout.state import Rejected


def follow_proofs(scene: Scene, head: Head, draft: Draft) -> Draft:
    """Go on by what is observed; the same draft where nothing follows from it now."""
    if draft.policy.proof is not Proof.CLUSTER:
        return draft
    if draft.state.published != head.file.state.published:
        return _not_proven(draft)
    if not head.as_left or (draft.state, draft.history) != (head.file.state, head.history):
        return draft
    told_again = router_follow.overtaken(scene, draft)
    return _lowered(scene, draft) or _failed(scene, draft) or told_again or _next(scene, draft)


def _next(scene: Scene, draft: Draft) -> Draft:
    gate = asking.due(scene.kind, draft.history, draft.state)
    if gate is None or stopped(scene, draft, gate):
        return draft
    settled = _proven(scene, draft, gate)
    unproven = missing(scene, draft, gate) and not router_follow.forced(scene, draft, gate)
    if settled is not draft or unproven or not follows(scene, draft, gate):
        return settled
    flaps = timing.goes_up(gate) and not timing.dwelt(scene, draft)
    return draft if flaps or not timing.opening(scene, draft, gate).open else _taken(scene, draft, gate)


def _lowered(scene: Scene, draft: Draft) -> Draft | None:
    """Lower a share that the replicas that answer do not carry, without any gate (R8); it never rises so."""
    state, weight = draft.state, draft.state.published.weight or 0
    seen = scene.observation.routable.get(state.candidate or "")
    counts = scene.kind.counts(state.accepted.controls)
    if seen is None or not weight or draft.rolling_back or router_policy.alone(state, counts):
        return None
    granted = {} if scene.kind.beside else routing.splits(scene.kind, draft.history, state)
    # Where all that was given to it answers, its share is what was found to be carried when it was given.
    fewer = [name for name in seen if name not in granted or seen[name] < granted[name].candidate]
    shares = [100 * min(seen[name], counts[name]) // counts[name] for name in fewer if counts.get(name)]
    most = min(shares, default=weight)
    if most >= weight:
        return None
    said = f"fewer of its replicas answer: {weight} % of the requests become {most} %"
    return draft.with_published(weight=most or None).note("SHARE_LOWERED", said)


def missing(scene: Scene, draft: Draft, gate: Gate | None) -> tuple[Fact, ...]:
    """Give the facts that a gate still waits for; none under Manual proof, where its merge attests them."""
    if gate is None or draft.policy.proof is not Proof.CLUSTER:
        return ()
    unsoaked = bool(timing.waits_for_soak(draft, gate)) and draft.state.since.proven is None
    return _unseen(scene, draft, gate) or ((facts.LIVE,) if unsoaked else ())


def _unseen(scene: Scene, draft: Draft, gate: Gate) -> tuple[Fact, ...]:
    return scene.observation.missing(facts.needs(draft.state, gate))


def stopped(scene: Scene, draft: Draft, gate: Gate) -> bool:
    """Say whether a gate is neither asked nor taken: deletions are held, or ours would stand in the way."""
    held = scene.desired.presence is Presence.HELD and draft.state.withdraw is not None
    return held or (timing.goes_up(gate) and scene.desired.obstructed)


def follows(scene: Scene, draft: Draft, gate: Gate) -> bool:
    """Say whether a transition follows from its facts alone: people are asked about none of it."""
    if draft.policy.proof is not Proof.CLUSTER:
        return False
    if gate.step == DELETE:
        return draft.policy.deletion is Deletion.AUTOMATIC and timing.absent_twice(scene, draft)
    step = draft.policy.step(gate.base_step)
    automatic = step is not None and step.gate is Opens.AUTOMATIC
    found = facts.transition(draft.state, gate)
    # A step that moves requests alone has no gate of its replicas that anybody has merged.
    unasked = found is Transition.REQUESTS and gate.base_step != draft.state.published.step
    return automatic or (found not in facts.ASKED and not unasked)


def _taken(scene: Scene, draft: Draft, gate: Gate) -> Draft:
    if router_policy.is_change(gate):
        draft = _not_proven(router_follow.changed(scene, draft, gate.step))
        return draft.note("PROVEN", f"{gate.step} follows from what is observed")
    base = draft.approved.base if draft.approved else ""
    draft = taken(scene, pools.attested(scene, draft), gate, gate.approval(base))
    return _not_proven(draft).note("PROVEN", f"{gate.step} follows from what is observed")


def _not_proven(draft: Draft) -> Draft:
    """Begin a soak anew: it runs from the first pass at which all proofs of the step hold (R16)."""
    return draft.with_state(since=replace(draft.state.since, proven=None))


def _proven(scene: Scene, draft: Draft, gate: Gate) -> Draft:
    """Note since when everything that the next step stands on is proven; any no or unknown ends that."""
    since = draft.state.since
    if not timing.waits_for_soak(draft, gate):
        return draft
    if _unseen(scene, draft, gate):
        return _not_proven(draft) if since.proven is not None else draft
    if since.proven is not None or not timing.dwelt(scene, draft):
        return draft
    return draft.with_state(since=replace(since, proven=instant(scene.now)))


def _failed(scene: Scene, draft: Draft) -> Draft | None:
    """Give up a candidate that definitely does not answer, when its progress deadline has passed."""
    state = draft.state
    if state.candidate is None or state.offered != state.candidate or not overdue(scene, draft):
        return None
    if scene.observation.of(Fact(About.ROUTABLE, state.candidate)) is not Answer.NO:
        return None
    revision = draft.history[state.candidate]
    rejected = Rejected(revision.id, revision.digest, state.attempt, state.published.step, "failed")
    said = f"{revision.id} does not answer, and its progress deadline has passed: back to {state.stable}"
    return left(draft.with_state(rejected=rejected)).note("PROGRESS_DEADLINE", said)


def overdue(scene: Scene, draft: Draft) -> bool:
    """Say whether nothing has moved for longer than the progress deadline."""
    waited = scene.now - parsed(draft.state.since.changed)
    return waited >= timedelta(seconds=draft.policy.timeouts.progress)


def stuck(scene: Scene, draft: Draft, gate: Gate | None) -> str:
    """Say what a rollout is stuck at, past its deadline; empty where it is not. It is never passed over."""
    lacking = missing(scene, draft, gate)
    if gate is None or not lacking or not overdue(scene, draft):
        return ""
    return f"{gate.step} waits for {', '.join(map(str, lacking))}"
