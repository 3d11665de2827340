"""What a gate asks of people: what merging it says, what it does, and what follows.

Under Manual proof the person who merges has looked: at what had been published before, never at what the
merge brings (R20).
"""

from collections.abc import Callable, Mapping

from gitops_rollout.api.duration import written as duration
from gitops_rollout.api.gateway import Gateway
from gitops_rollout.api.policy import Policy
from gitops_rollout.api.workload import WHOLE, WorkloadKey
from gitops_rollout.kinds.protocol import Kind
from gitops_rollout.render.beside_questions import beside_lines, completes, stable_shrinks
from gitops_rollout.render.counted_questions import counted_lines
from gitops_rollout.render.metrics import metrics
from gitops_rollout.render.question import ACCEPTED, Question, seen
from gitops_rollout.render.text import value_text
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
    Gate,
    body_step,
)
from gitops_rollout.traffic.pools import Pool


def subject_of(name: str, gate: Gate, kind: Kind) -> str:
    """Give the one line that a gate is known by."""
    rows: Mapping[str, str] = {
        COMPLETE: f"Complete {name}: everything is on {gate.revision}",
        DELETE: f"Delete {name}: its spec has left the source",
        UNPROTECTED: f"Remove {'the route of ' if gate.route else ''}{name}: its protection is off",
        ATTACH: f"Attach {name}: put its route in force",
        TAKE_OVER: f"Let the route of {name} answer alone",
        DETACH: f"Detach {name}: take its route away",
        BACK: f"Give {name} its requests back on stable",
        DRAINED: f"Drained: no request of {name} needs the pods that go",
    }
    if gate.step in rows:
        return rows[gate.step]
    if gate.partition is None:
        return f"Send {_shares(gate)} of {name} to {gate.revision}"
    return f"Let {gate.revision} of {name} take {_step_of(gate, kind)}"


def _step_of(gate: Gate, kind: Kind) -> str:
    """Say a step with what it moves to: an ordinal, where revisions are of one object."""
    return body_step(gate) if kind.splits and kind.beside is None else gate.step


def _shares(gate: Gate) -> str:
    marked = ["marked requests"] if gate.header else []
    weighted = [f"{gate.weight} % of the requests"] if gate.weight else []
    return " and ".join([*marked, *weighted]) or "no requests"


def asked(key: WorkloadKey, question: Question, gate: Gate) -> list[str]:
    """Give the lines of a question, as Markdown that also reads as plain text."""
    if gate.step == UNPROTECTED and gate.route:
        return _route_unprotected(key, question, gate)
    if gate.step in _LINES:
        return _LINES[gate.step](key, question, gate)
    lines = _requests(key, question, gate) if gate.partition is None else _step_lines(question, gate)
    return [*lines, *metrics(key, question.state, question.history)]


def _complete(_key: WorkloadKey, question: Question, gate: Gate) -> list[str]:
    if question.kind.beside is not None:
        return completes(question)
    return [
        "By merging this you say what you have seen on the running workload:",
        f"- every replica runs {gate.revision}, is updated and available;",
        "- none of another revision is left.",
        "Then the partition is written as people wrote it, and the other revision is history.",
    ]


def _delete(_key: WorkloadKey, _question: Question, _gate: Gate) -> list[str]:
    return [
        "The spec is gone. Merging this lets the next commit take the prune protection off;",
        "nothing is deleted yet. Put the spec back to withdraw this question.",
    ]


def _unprotected(_key: WorkloadKey, _question: Question, _gate: Gate) -> list[str]:
    return [
        "By merging this you say that the objects without prune protection have been applied.",
        "The next commit removes the folder, and whoever applies the output deletes the workload.",
    ]


def _attach(_key: WorkloadKey, question: Question, gate: Gate) -> list[str]:
    stable = _pool(question, gate)
    name = stable.name if stable is not None else gate.revision
    labels = (
        ",".join(f"{label}={value}" for label, value in sorted(stable.selector.items())) if stable else ""
    )
    wanted = routing.wanted(question.state)
    facts = [
        f"{name} is applied, and selects the pods of {gate.revision} that answer requests: `{labels}`",
        *(["its endpoint picker runs"] if stable is not None and stable.picker is not None else []),
    ]
    follow = f"Then the route {gate.allows.get('route')} is written: all of its requests go to {name}."
    told = _terms(routing.terms(question.state), wanted)
    if wanted is None or not wanted.replaces:
        return [*seen(*facts, then=follow), *told]
    beside = (
        f"The route {wanted.replaces} of the source stays, and answers as the older one, until you say more."
    )
    return [*seen(*facts, then=follow), beside, *told]


def _pool(question: Question, gate: Gate) -> Pool | None:
    pools = question.state.routed.pools if question.state.routed else ()
    return next((one for one in pools if one.revision == gate.revision), None)


def _terms(before: Gateway | None, after: Gateway | None) -> list[str]:
    """Say what the route will be, or what of it changes: the gate's own diff does not show it."""
    rows = [(name, _row(before, name), _row(after, name)) for name in _TERMS]
    shown = [
        f"- {name}: {old} → {new}" if before is not None else f"- {name}: {new}"
        for name, old, new in rows
        if old != new
    ]
    return ["", "Its terms:" if before is None else "What changes of its terms:", *shown] if shown else []


_TERMS = ("parentRefs", "hostnames", "rules", "canaryHeader", "component", "backend", "targetPort")


def _row(terms: Gateway | None, name: str) -> str:
    return value_text(terms.to_json().get(name)) if terms is not None else "(none)"


def _take_over(_key: WorkloadKey, question: Question, gate: Gate) -> list[str]:
    wanted = routing.wanted(question.state)
    old = wanted.replaces if wanted is not None else ""
    fact = f"the route {gate.allows.get('route')} is applied, and {ACCEPTED}"
    return seen(
        fact, then=f"Then the route {old} of the source is no longer published: this one answers alone."
    )


def _detach(_key: WorkloadKey, _question: Question, gate: Gate) -> list[str]:
    fact = "what is to answer these requests from now on is applied and accepted, or nobody needs an answer"
    then = f"Then the protection of the route {gate.allows.get('route')} is taken off; it still answers."
    return seen(fact, then=then)


def _route_unprotected(_key: WorkloadKey, _question: Question, gate: Gate) -> list[str]:
    fact = f"the route {gate.allows.get('route')} without prune protection has been applied"
    return seen(fact, then="The next commit removes it, and whoever applies the output deletes it.")


def _back(_key: WorkloadKey, question: Question, _gate: Gate) -> list[str]:
    state = question.state
    limit = duration(Policy.from_json(state.accepted.policy).timeouts.rollback)
    fact = f"the pods that {state.stable} has been given back run and answer"
    then = (
        f"Then all requests leave {state.candidate}. Without an answer that happens {limit} after the commit."
    )
    return seen(fact, then=then)


def _drained(_key: WorkloadKey, question: Question, gate: Gate) -> list[str]:
    state = question.state
    if gate.stable is not None:
        return stable_shrinks(question, gate.stable)
    retires = gate.partition is not None or state.offered is not None
    goes = state.stable if retires else state.candidate
    facts = [
        f"the route without {goes} is applied, and {ACCEPTED}",
        f"the requests that {goes} was answering have ended",
    ]
    if gate.partition is not None:
        return seen(*facts, then=f"The merge moves the last replicas of {goes} to {gate.revision}.")
    limit = duration(Policy.from_json(state.accepted.policy).timeouts.drain)
    return seen(*facts, then=f"Then its pods go. Without an answer that happens {limit} after the commit.")


def _requests(_key: WorkloadKey, question: Question, gate: Gate) -> list[str]:
    state, wanted = question.state, routing.terms(question.state)
    pool = _pool(question, gate)
    name = pool.name if pool is not None else gate.revision
    first = not state.published.traffic
    facts = [
        f"the replicas that {gate.revision} was given run and answer",
        f"{name} is applied" if first else f"the route as it stands is applied, and {ACCEPTED}",
    ]
    mark = f"{wanted.header.name}: {wanted.header.value}" if wanted is not None else ""
    rows = (
        (gate.header and not state.published.header, f"Then requests with `{mark}` reach {gate.revision}."),
        (gate.weight == 100, f"Then every request reaches {gate.revision}."),
        (not gate.header and bool(state.published.header), f"The rule for `{mark}` goes."),
        (0 < (gate.weight or 0) < 100, f"Then {gate.weight} % of all other requests reach {gate.revision}."),
    )
    follow = [words for holds, words in rows if holds]
    return [*seen(*facts, then=follow[0] if follow else "Then nothing moves."), *follow[1:]]


def _step_lines(question: Question, gate: Gate) -> list[str]:
    """Say what the merge itself does, and what follows."""
    state, after = question.state, gate.partition or {}
    if question.kind.beside is not None:
        return beside_lines(question, gate)
    if question.kind.counted is not None:
        return counted_lines(question, gate)
    if not question.kind.splits:
        follow = "after this: the gate `complete` asks whether everything runs it."
        return [f"- the whole of it is updated to {gate.revision} by its operator", "", follow]
    takes_over = state.candidate is not None and state.candidate != gate.revision
    before = gate.counts if takes_over else state.partition or gate.counts
    moved = [
        f"- {_ordinals(name, after[name], now)} to {gate.revision}"
        for name, now in sorted(before.items())
        if after.get(name, now) < now
    ]
    if takes_over:
        moved.append(f"- {state.candidate} is given up: what it holds restarts")
    nothing = f"- nothing moves: {gate.revision} goes on from where it stands"
    routed = routing.terms(state) is not None
    follow = f"the gate `{gate.step}{TRAFFIC}` asks for its requests" if routed else "the next step is asked"
    soaked = "when its replicas answer" if routed else "when this one has soaked"
    return [*(moved or [nothing]), "", f"after this: {follow} {soaked}."]


def _ordinals(component: str, first: int, end: int) -> str:
    """Say which ordinals move: from `first` up to and without `end`."""
    whose = "" if component == WHOLE else f"{component}: "
    return (
        f"{whose}ordinal {first} moves" if first == end - 1 else f"{whose}ordinals {first} to {end - 1} move"
    )


_LINES: Mapping[str, Callable[[WorkloadKey, Question, Gate], list[str]]] = {
    COMPLETE: _complete,
    DELETE: _delete,
    UNPROTECTED: _unprotected,
    ATTACH: _attach,
    TAKE_OVER: _take_over,
    DETACH: _detach,
    BACK: _back,
    DRAINED: _drained,
}
