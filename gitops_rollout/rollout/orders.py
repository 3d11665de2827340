"""The orders of people: decline, abort, retry, rollback, resume, promote, import-history (DESIGN 2, 9).

What cannot be followed is refused with what can be done; nothing of it is done by halves.
"""

from collections.abc import Callable, Mapping
from typing import Literal

from gitops_rollout.api.problems import Problem
from gitops_rollout.revision.legacy import Legacy, read_legacy
from gitops_rollout.rollout import asking, counted
from gitops_rollout.rollout import gate as gates
from gitops_rollout.rollout.approvals import taken
from gitops_rollout.rollout.baselines import conflict, pinned
from gitops_rollout.rollout.draft import Draft, Order, Presence, Scene, Word, instant, left, soaked_at
from gitops_rollout.rollout.state import Held, Rejected


def follow_order(scene: Scene, draft: Draft) -> Draft:
    """Do what a person asked for; `impossible` has been asked before."""
    return draft if scene.order is None else _DONE[scene.order.word](scene, draft, scene.order)


def impossible(scene: Scene, draft: Draft) -> str:
    """Say why an order cannot be followed now, with what can be done; empty when it can."""
    return "" if scene.order is None else _REFUSED[scene.order.word](scene, draft, scene.order)


def _declined(scene: Scene, draft: Draft, _order: Order) -> Draft:
    # A rollback that is declined still holds: without it the source would turn it round, and a decline
    # moves nothing.
    return _rejected(scene, draft, "declined")


def _aborted(scene: Scene, draft: Draft, _order: Order) -> Draft:
    return left(aborted(scene, draft))


def aborted(scene: Scene, draft: Draft) -> Draft:
    """Note that stable is wanted instead of what is offered; a rollback that is aborted holds no longer."""
    held, offered = draft.state.held, draft.state.offered
    draft = _rejected(scene, draft, "aborted")
    return draft.with_state(held=None) if held is not None and held.revision == offered else draft


def _retried(_scene: Scene, draft: Draft, _order: Order) -> Draft:
    return draft.with_state(rejected=None)


def _resumed(_scene: Scene, draft: Draft, _order: Order) -> Draft:
    return draft.with_state(held=None)


def _rolled_back(scene: Scene, draft: Draft, order: Order) -> Draft:
    instead = _source_wants(scene, draft)
    # What the source wants itself needs no hold: that ends the one before it.
    same = draft.history[order.revision].digest == instead
    return draft.with_state(held=None if same else Held(order.revision, instead), rejected=None)


def _source_wants(scene: Scene, draft: Draft) -> str:
    """Give the digest of what the source wants; where it cannot be told now, of what it wanted last."""
    spec, state = scene.desired.spec, draft.state
    if spec is not None:
        return draft.history.digest_of(scene.kind, spec.text)
    if state.held is not None:
        return state.held.insteadOf
    rejected = state.rejected.revision if state.rejected is not None else None
    return draft.history[state.offered or rejected or state.stable].digest


def _imported(scene: Scene, draft: Draft, _order: Order) -> Draft:
    return pinned(scene, draft, _legacy(scene, draft))


def _nothing_to_abort(_scene: Scene, draft: Draft, _order: Order) -> str:
    if draft.state.offered is not None:
        return ""
    why = "it is on its way back already" if draft.rolling_back else "no revision is offered"
    return f"there is nothing to abort: {why}"


def _nothing_to_retry(_scene: Scene, draft: Draft, _order: Order) -> str:
    if draft.state.rejected is not None:
        return ""
    return "nothing was declined or aborted: there is nothing to try again"


def _nothing_to_resume(_scene: Scene, draft: Draft, _order: Order) -> str:
    return "" if draft.state.held is not None else "no rollback is held: the source is followed already"


def _nothing_to_decline(scene: Scene, draft: Draft, _order: Order) -> str:
    state = draft.state
    open_ = state.offered is not None and state.withdraw is None
    gate = asking.due(scene.kind, draft.history, state)
    if gate is not None and gate.route:
        return "the open gate is about the route: change its terms in the source instead"
    if open_ and gate is not None:
        return ""
    return "no gate of a step is open: there is nothing to decline"


def _nowhere(scene: Scene, draft: Draft, order: Order) -> str:
    if scene.desired.presence in (Presence.ABSENT, Presence.HELD):
        return "its spec is gone from the source: put it back, then roll back"
    known = ", ".join(one.id for one in reversed(draft.history.revisions))
    if draft.history.get(order.revision) is None:
        return f"{order.revision} is not recorded; known are {known}"
    if order.revision == draft.state.stable and draft.state.offered is None:
        return f"{order.revision} is stable, and nothing else is offered"
    return counted.mixes(scene.kind, scene.key, draft, order.revision)


def _no_promotion(scene: Scene, draft: Draft, order: Order) -> str:
    state = draft.state
    gate = asking.due(scene.kind, draft.history, state)
    names = ", ".join(one.step for one in asking.all_ahead(scene.kind, draft.history, state))
    if why := counted.withheld(scene.observation, state, gate):
        return why
    if gate is None or not names:
        return "no step is asked: there is nothing to promote to"
    if asking.ahead(scene.kind, draft.history, state, order.step) is None:
        return f"{order.step} is no step ahead; ahead are {names}"
    step = gates.step_in_force(state)
    start = soaked_at(state, step.soak) if step else None
    if start is not None and start > scene.now and not order.skip_soak:
        until = f"step {state.published.step} soaks until {instant(start)}"
        return f"{until}; --skip-soak with --reason passes over it"
    if order.skip_soak and not order.reason:
        return "--skip-soak needs a --reason"
    return ""


def _promoted(scene: Scene, draft: Draft, order: Order) -> Draft:
    """Take the gate of a later step at once: what its merge would say, said by command."""
    gate = asking.ahead(scene.kind, draft.history, draft.state, order.step)
    if gate is None:
        return draft
    base = draft.approved.base if draft.approved else ""
    why = f": {order.reason}" if order.reason else ""
    return taken(scene, draft, gate, gate.approval(base)).note(
        "PROMOTED", f"to step {gate.step} by command{why}"
    )


def _rejected(scene: Scene, draft: Draft, why: Literal["declined", "aborted"]) -> Draft:
    state = draft.state
    revision = draft.history[state.offered or ""]
    gate = asking.due(scene.kind, draft.history, state)
    step = gate.step if gate and state.withdraw is None else state.published.step
    return draft.with_state(rejected=Rejected(revision.id, revision.digest, state.attempt, step, why))


def _legacy(scene: Scene, draft: Draft) -> list[Legacy]:
    return [one for one in _read(scene, draft) if isinstance(one, Legacy)]


def _not_imported(scene: Scene, draft: Draft, _order: Order) -> str:
    found = [one for one in _read(scene, draft) if one is not None]
    refused = [one for one in found if isinstance(one, Problem)]
    if refused:
        return "; ".join(f"{one.path}: {one.message}" for one in refused)
    if not found:
        return "the files hold no ControllerRevision of this workload"
    return conflict(scene, draft, _legacy(scene, draft))


def _read(scene: Scene, draft: Draft) -> list[Legacy | Problem | None]:
    order, current = scene.order, draft.history[draft.state.stable].text
    values = order.legacy if order is not None else ()
    return [read_legacy(scene.kind, scene.key, one, current) for one in values]


_DONE: Mapping[Word, Callable[[Scene, Draft, Order], Draft]] = {
    Word.DECLINE: _declined,
    Word.ABORT: _aborted,
    Word.RETRY: _retried,
    Word.ROLLBACK: _rolled_back,
    Word.RESUME: _resumed,
    Word.PROMOTE: _promoted,
    Word.IMPORT: _imported,
}
_REFUSED: Mapping[Word, Callable[[Scene, Draft, Order], str]] = {
    Word.DECLINE: _nothing_to_decline,
    Word.ABORT: _nothing_to_abort,
    Word.RETRY: _nothing_to_retry,
    Word.ROLLBACK: _nowhere,
    Word.RESUME: _nothing_to_resume,
    Word.PROMOTE: _no_promotion,
    Word.IMPORT: _not_imported,
}
