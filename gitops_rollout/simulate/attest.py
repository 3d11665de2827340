"""Whether what a gate asks people to attest is true in the world, as a careful person would look."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from gitops_rollout.kinds.protocol import Kind
from gitops_rollout.rollout import routing
from gitops_rollout.rollout.gate import (
    ATTACH,
    BACK,
    COMPLETE,
    DELETE,
    DETACH,
    DRAINED,
    TAKE_OVER,
    TRAFFIC,
    UNPROTECTED,
)
from gitops_rollout.rollout.state import Approval, State
from gitops_rollout.simulate.manifests import Manifest, Name
from gitops_rollout.simulate.moments import Moment, Shown


@dataclass(frozen=True, slots=True)
class Look:
    """What somebody sees who is asked to merge a gate: the moment, and what the gateway is busy with."""

    moment: Moment
    approval: Approval
    flying: frozenset[str]
    moves: bool
    """Whether the merge itself moves replicas."""

    @property
    def state(self) -> State | None:
        return self.moment.state


def untrue(look: Look) -> str:
    """Say what is not (yet) as the question says; empty: who merges now says the truth."""
    moment, state = look.moment, look.state
    if moment.head is None or state is None:
        return "nothing is published"
    behind = not_applied(moment.head, moment.live)
    if behind:
        return f"{behind[0]} {behind[1]} is not applied as it was published"
    if moment.head.route is not moment.programmed:
        return "the route as it stands is not accepted yet"
    return _ASKED.get(look.approval.step, _of_step)(look, state, moment.kind)


def not_applied(head: Shown, live: Mapping[Name, Manifest]) -> Name | None:
    """Name an object that is live in another form than the head shows, None where all are as published."""
    published = {**head.capacity, **head.traffic}
    return next((name for name, one in published.items() if live.get(name) is not one), None)


def _attach(look: Look, state: State, _kind: Kind) -> str:
    return "" if look.moment.count(state.stable).ready else "no pod of stable answers"


def _nothing_more(_look: Look, _state: State, _kind: Kind) -> str:
    return ""


def _back(look: Look, state: State, kind: Kind) -> str:
    given, ready = routing.split(kind, state).stable, look.moment.count(state.stable).ready
    return "" if ready >= given else f"{ready} of {given} replicas of stable answer"


def _drained(look: Look, state: State, _kind: Kind) -> str:
    goes = state.stable if look.moves else state.candidate
    return f"requests to {goes} are still being answered" if goes in look.flying else ""


def _complete(look: Look, _state: State, _kind: Kind) -> str:
    moment, revision = look.moment, look.approval.revision
    others = sorted(one for one in moment.counts if one != revision)
    if others:
        return f"replicas of {others[0]} still run"
    ready = moment.count(revision).ready
    return "" if ready >= moment.wanted else f"{ready} of {moment.wanted} replicas of {revision} answer"


def _of_step(look: Look, state: State, kind: Kind) -> str:
    """A step of requests rests on the replicas that were given; one of replicas on those before it."""
    moment, split = look.moment, routing.split(kind, state)
    if state.candidate is not None:
        ready = moment.count(state.candidate).ready
        if state.candidate == state.offered and ready < split.candidate:
            return f"{ready} of {split.candidate} replicas of {state.candidate} answer"
    if look.approval.step.endswith(TRAFFIC):
        return ""
    # What has moved stays where it is when a partition is raised: all that matters is that all answer.
    ready = sum(count.ready for count in moment.counts.values())
    return "" if ready >= split.total else f"{ready} of {split.total} replicas answer"


_ASKED: Mapping[str, Callable[[Look, State, Kind], str]] = {
    ATTACH: _attach,
    TAKE_OVER: _nothing_more,
    DETACH: _nothing_more,
    UNPROTECTED: _nothing_more,
    DELETE: _nothing_more,
    BACK: _back,
    DRAINED: _drained,
    COMPLETE: _complete,
}
