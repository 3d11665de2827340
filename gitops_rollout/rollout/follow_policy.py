"""Following the policy: a rollout that is on keeps the steps and the route that it began with (R27)."""

from dataclasses import replace

from gitops_rollout.api.graph_terms import Strategy
from gitops_rollout.api.policy import Policy
from gitops_rollout.rollout import beside_bound
from gitops_rollout.rollout.draft import Draft, Scene
from gitops_rollout.rollout.router_follow import unmanaged


def follow_policy(scene: Scene, draft: Draft) -> Draft:
    """Take over the policy; one that vanishes or shortens in mid-rollout does not (R27)."""
    new, old = scene.desired.policy, draft.policy
    if new is None or new == old:
        return draft
    if draft.state.candidate is not None:
        stays = _frozen(old, new, draft.state.published.step)
        if stays != new:
            message = "changed in mid-rollout: this rollout keeps its steps and its route"
            draft = draft.note("POLICY_FROZEN", message)
        new = stays
    elif new.strategy != old.strategy and beside_bound.binds(draft.state):
        said = "the routers of stable use the workers of another graph: the strategy stays until that is over"
        new, draft = _frozen(old, new, None), draft.note("POLICY_FROZEN", said)
    accepted = replace(draft.state.accepted, policy=new.to_json())
    return unmanaged(draft.with_state(accepted=accepted))


def _frozen(old: Policy, new: Policy, in_force: str | None) -> Policy:
    """Give what of `new` a rollout that is on takes over; a window could shorten it to one gate, too.

    Its route stays as it was, and with it what each step gives (R27); and how routers are told, which has to
    be taken back as it was given.
    """
    new = replace(new, rollback_window=old.rollback_window, strategy=old.strategy)
    new = replace(new, router_policy=old.router_policy)
    if old.router_policy.managed:
        new = replace(new, proof=old.proof, contracts=old.contracts)
    if old.strategy is Strategy.IN_PLACE:
        new = replace(new, release_groups=old.release_groups)  # they hold revisions of one object apart (R10)
    if new.gateway != old.gateway:
        return replace(new, gateway=old.gateway, steps=old.steps, soak=old.soak)
    return new if _keeps_steps(old, new, in_force) else replace(new, steps=old.steps, soak=old.soak)


def _keeps_steps(old: Policy, new: Policy, in_force: str | None) -> bool:
    return len(new.steps) >= len(old.steps) and (in_force is None or new.step(in_force) is not None)
