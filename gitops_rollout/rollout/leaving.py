"""The way down: requests leave first, then the pods that answered them (DESIGN 5; delivery-gateway G2.14).

It never waits for a gate, and for a proof only until its deadline (R13): what a merged gate says earlier
is taken at once, and what nobody says is said aloud when the time is up.
"""

from dataclasses import replace
from datetime import datetime, timedelta

from gitops_rollout.rollout import beside, router_policy, routing
from gitops_rollout.rollout.draft import Draft, Scene, instant, parsed
from gitops_rollout.rollout.facts import About, Answer, Fact


def leave(scene: Scene, draft: Draft) -> Draft:
    """Take the requests from a candidate that is given up, and see to the waits on its way out."""
    draft = _overdue(scene, draft)
    state = draft.state
    given_up = state.candidate is not None and state.offered != state.candidate
    if given_up:
        draft = _no_more_requests(draft)
        state = draft.state
    if not state.published.traffic and state.since.drain is None and router_policy.releases(state):
        return waiting(scene, draft)  # its routers are bound: that leaves before its replicas
    if not given_up or not state.published.traffic or routing.restoring(draft.state):
        return draft
    if scene.kind.beside is not None:
        return _stable_is_whole(scene, draft)
    if draft.rolling_back and routing.starved(scene.kind, draft.history, state):
        return _restored(scene, draft)
    if router_policy.left_out(state):
        return named_first(scene, draft)
    return without_traffic(scene, draft)


def _no_more_requests(draft: Draft) -> Draft:
    """Give a candidate that is given up no request more than it had, whatever was merged meanwhile (R13)."""
    stood, now = draft.stood, draft.state.published
    if stood is None or stood.candidate != draft.state.candidate:
        return draft
    had = stood.published
    rises = (now.weight or 0) > (had.weight or 0) or bool(now.header) > bool(had.header)
    return draft.with_published(header=had.header, weight=had.weight) if rises else draft


def draining(draft: Draft) -> bool:
    """Say whether requests have left and the pods that answered them still stand."""
    return draft.state.since.drain is not None and not routing.restoring(draft.state)


def without_traffic(scene: Scene, draft: Draft) -> Draft:
    """Take all requests from the candidate; from now on its pods drain."""
    draft = draft.with_published(header=None, weight=None)
    return waiting(scene, draft)


def waiting(scene: Scene, draft: Draft) -> Draft:
    """Begin a wait of the way down."""
    return draft.with_state(since=replace(draft.state.since, drain=instant(scene.now)))


def named_first(scene: Scene, draft: Draft) -> Draft:
    """Wait with the requests until routers of stable know whom to choose again, and stable answers."""
    return waiting(scene, draft.with_published(step=routing.RESTORED))


def drained(draft: Draft) -> Draft:
    """End the wait: the pods may go."""
    return draft.with_state(since=replace(draft.state.since, drain=None))


def ends_at(draft: Draft) -> datetime | None:
    """Give when the wait of the way down is over by itself, None where there is none."""
    drain, timeouts = draft.state.since.drain, draft.policy.timeouts
    if drain is None:
        return None
    length = timeouts.rollback if routing.restoring(draft.state) else timeouts.drain
    return parsed(drain) + timedelta(seconds=length)


def _overdue(scene: Scene, draft: Draft) -> Draft:
    since, end = draft.state.since, ends_at(draft)
    if since.drain is None or end is None:
        return draft
    if parsed(since.drain) > scene.now:
        # A clock that was set back never ends a wait early (R16).
        return waiting(scene, draft)
    back = routing.restoring(draft.state)
    seen = _seen(scene, draft) if back else None
    if seen is not None or end > scene.now:
        return seen or draft
    if back:
        said = "stable gets its requests back without a proof that its pods answer: the deadline has passed"
        return without_traffic(scene, draft).note("ROLLBACK_DEADLINE", said)
    if router_policy.releases(draft.state):
        return draft  # first its binding leaves, in a commit of its own
    said = "the pods go without a proof that their requests have ended: the deadline has passed"
    return drained(draft).note("DRAIN_DEADLINE", said)


def _seen(scene: Scene, draft: Draft) -> Draft | None:
    """Do what is observed of either side while stable has its pods back, and not yet its requests (R13)."""
    state, seen = draft.state, scene.observation
    if seen.of(Fact(About.GONE, state.stable)) is Answer.YES:
        # There is nobody to answer: the candidate does, however badly.
        return draft.note("STABLE_EMPTY", "stable has no pod: requests stay where they are until it has")
    unnamed = router_policy.left_out(state)  # its routers are told in this pass: nobody answers before
    if seen.of(Fact(About.ROUTABLE, state.candidate or "")) is Answer.NO and not unnamed:
        said = "the candidate does not answer: its requests leave at once"
        return without_traffic(scene, draft).note("CANDIDATE_UNROUTABLE", said)
    return None


def _stable_is_whole(scene: Scene, draft: Draft) -> Draft:
    """Give stable what all requests need first, where it has less (delivery-gateway G2.15)."""
    whole = beside.restored(scene.kind, draft.history, draft.state)
    if whole == draft.state.graphs and not router_policy.left_out(draft.state):
        return without_traffic(scene, draft)
    return waiting(scene, draft.with_state(graphs=whole).with_published(step=routing.RESTORED))


def _restored(scene: Scene, draft: Draft) -> Draft:
    """Give stable about half of the pods back first: fewer could not carry all requests."""
    kind, state, stood = scene.kind, draft.state, draft.stood
    now = routing.splits(kind, draft.history, state)
    same = stood is not None and stood.candidate == state.candidate
    sure = routing.splits(kind, draft.history, stood) if same and stood is not None else now
    if kind.counted is not None:
        restored = {name: one.given_back for name, one in now.items()}
    else:
        restored = {name: one.restored(sure[name].stable) for name, one in now.items()}
    partition = {**(state.partition or {}), **restored}
    draft = draft.at_partition(partition, draft.state.lowest or partition)
    return waiting(scene, draft.with_published(step=routing.RESTORED))
