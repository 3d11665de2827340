"""Telling routers: which change is made now, at which version, and what no proof may hold up for ever (R13).

A change is the only thing that its commit does: it is made when nothing else of the workload changes.
"""

from dataclasses import replace

from gitops_rollout.rollout import gate as gates
from gitops_rollout.rollout import leaving, router_policy, timing
from gitops_rollout.rollout.bindings import Bindings
from gitops_rollout.rollout.draft import Draft, Scene
from gitops_rollout.rollout.facts import PROOFS, Fact, Transition
from gitops_rollout.rollout.gate import Gate


def changed(scene: Scene, draft: Draft, change: str) -> Draft:
    """Tell routers what a change says, at a version that nobody has used."""
    draft = _told(scene, draft, router_policy.after(scene.kind, draft.history, draft.state, change))
    if change == gates.UNBIND and overdue(scene, draft):
        # Routers get as long to take it as requests get to end.
        return leaving.waiting(scene, draft)
    return draft


def _told(scene: Scene, draft: Draft, bindings: Bindings) -> Draft:
    reported = scene.observation.policy_version or 0
    policy, bindings = router_policy.told(draft.state, bindings, reported)
    return draft.with_state(routerPolicy=policy, bindings=bindings)


def overtaken(scene: Scene, draft: Draft) -> Draft | None:
    """Say it again at a higher version, where routers hold one that this branch knows nothing of: the branch
    was set back, or another body went out under its number (R19).
    """
    policy, force, seen = draft.state.routerPolicy, draft.state.bindings, scene.observation
    if policy is None or force is None or not router_policy.managed(draft.state):
        return None
    ahead = (seen.policy_version or 0) > policy.version
    if not (ahead or seen.policy_refused) or not timing.dwelt(scene, draft):
        return None
    said = f"routers hold another policy than version {policy.version}: they are told again"
    return _told(scene, draft, force).note("POLICY_OVERTAKEN", said)


def overdue(scene: Scene, draft: Draft) -> bool:
    """Say whether the wait of a way down is over, whatever is proven."""
    end = leaving.ends_at(draft)
    return end is not None and end <= scene.now


def forced(scene: Scene, draft: Draft, gate: Gate | None) -> bool:
    """Say whether a binding leaves without a proof that its requests have: the deadline has passed."""
    return gate is not None and gate.step == gates.UNBIND and overdue(scene, draft)


def downward(scene: Scene, draft: Draft) -> Draft:
    """Do what of it is safe whatever is unknown: name stable again, and take a candidate's binding away."""
    change = router_policy.change_due(scene.kind, draft.state, None)
    proofs: tuple[Fact, ...] = PROOFS[Transition.UNBIND]
    if change == gates.UNBIND and scene.observation.missing(proofs) and not overdue(scene, draft):
        return draft
    return changed(scene, draft, change) if change in (gates.UNBIND, gates.RESTORE) else draft


def unmanaged(draft: Draft) -> Draft:
    """Tell routers nothing where the policy no longer says so; what they were told last is remembered."""
    state = draft.state
    if state.bindings is None or router_policy.managed(state) or state.candidate is not None:
        return draft
    return replace(draft, state=replace(state, bindings=None))
