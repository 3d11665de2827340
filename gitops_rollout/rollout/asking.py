"""Which gate is due: it follows from the state alone, so that an approval is judged against what was
published and never against today's source (R15).
"""

from gitops_rollout.api.policy import Policy
from gitops_rollout.api.workload import WHOLE, Thresholds
from gitops_rollout.kinds.protocol import Kind
from gitops_rollout.revision.history import History
from gitops_rollout.revision.record import Revision
from gitops_rollout.rollout import beside, beside_gates, counted, route_gates, routing
from gitops_rollout.rollout.capacity import Ground, Stage, lower, lowest, reaches, stages
from gitops_rollout.rollout.gate import COMPLETE, Gate, of_step, plain, remaining, steps_of
from gitops_rollout.rollout.router_policy import before
from gitops_rollout.rollout.state import State
from gitops_rollout.semantics.canonical import canonical_bytes


def ground(kind: Kind, history: History, state: State, revision: str | None = None) -> Ground:
    """Say what moves between stable and `revision` (by default what is offered or serving)."""
    controls = state.accepted.controls
    if kind.beside is not None:
        return beside.ground(kind, history, state, revision or state.offered or state.candidate)
    counts, floors = kind.counts(controls), kind.floors(controls)
    kept = _kept_for_requests(kind, history, state, counts)
    other = history.get(revision or state.offered or state.candidate)
    stable = history.get(state.stable)
    if not kind.by_component(controls) or other is None or stable is None:
        return Ground(counts, floors, kept)
    before, after = _pods(kind, stable), _pods(kind, other)
    moving = {name for name, made_from in after.items() if before.get(name) != made_from}
    counts = {name: count for name, count in counts.items() if name in moving}
    kept = {name: number for name, number in kept.items() if name in moving}
    floors = {name: floor for name, floor in floors.items() if name in moving}
    held = counted.held(kind, state, counts)
    return Ground(counts, floors, kept, held, together=kind.counted is not None)


def _kept_for_requests(kind: Kind, history: History, state: State, counts: Thresholds) -> Thresholds:
    """Keep one of what answers requests on stable until it gets none any more (DESIGN 5), even the only one:
    whoever scales down so far goes on from there.
    """
    if routing.terms(state) is None:
        return {}
    return dict.fromkeys(routing.passed(kind, history, state, counts), 1)


def _pods(kind: Kind, revision: Revision) -> dict[str, bytes]:
    """Give what the pods of each component are made from. Labels count: a component that only differs
    by them rolls, too, and so must be held (R10).
    """
    labels = revision.injection.labels
    return {
        name: canonical_bytes([form, {**labels.get(WHOLE, {}), **labels.get(name, {})}])
        for name, form in kind.components(revision.text).items()
    }


def due(kind: Kind, history: History, state: State) -> Gate | None:
    """Give the one gate that this state asks for, None when there is nothing to ask (or to move)."""
    policy = Policy.from_json(state.accepted.policy)
    if state.withdraw is not None:
        asked = state.withdraw.stage
        return None if asked == "remove" else plain(kind, history, state, asked)
    if policy.suspend:
        return None
    return before(kind, history, state, _not_withdrawn(kind, history, state))


def _not_withdrawn(kind: Kind, history: History, state: State) -> Gate | None:
    route = route_gates.route_due(kind, history, state) if state.candidate is None else None
    if route is not None or (state.candidate is None and state.offered is None):
        return route
    land = ground(kind, history, state)
    wait = route_gates.way_down(kind, history, state)
    if wait is not None:
        return wait
    if state.offered is None:
        waits = beside.stands(state) if kind.beside is not None else land.empty
        return None if waits else plain(kind, history, state, COMPLETE)
    return _step_due(kind, history, state, land)


def _step_due(kind: Kind, history: History, state: State, land: Ground) -> Gate | None:
    """Give the gate of a step: its replicas first, then its requests, then the next one's."""
    declined = state.rejected is not None and state.rejected.revision == state.offered
    stuck = routing.wanted(state) and (land.empty or routing.refused(kind, history, state))
    if declined or stuck:
        return None
    if kind.beside is not None:
        return beside_gates.step_due(kind, history, state, land)
    if state.published.step is None or state.offered != state.candidate:
        return _first(kind, history, state, land)
    return route_gates.traffic_due(kind, history, state) or _next(kind, history, state, land)


def _first(kind: Kind, history: History, state: State, land: Ground) -> Gate | None:
    """The first gate of an attempt: from stable, or from where a candidate stands (DESIGN 5).

    Another candidate takes over exactly what the one before it holds; the same one, taken back or
    offered again, goes on from the partition in force.
    """
    again = state.candidate == state.offered
    stood = (state.partition or {}) if again else _held(kind, state, land)
    for stage in stages(steps_of(state), land.counts):
        if not reaches(stage.partition, stood):
            continue
        floored = land.floored(stage.partition)
        partition = lowest(stood, floored) if again else {**floored, **stood}
        if stood or lower(partition, land.counts) or not any(land.counts.values()):
            return of_step(history, state, stage.step, partition, land)
    return None


def _held(kind: Kind, state: State, land: Ground) -> Thresholds:
    """Give from where on the candidate may hold replicas; a component of which it holds none is left out.

    Where partitions are counts that is the one in force: a raised one has given replicas back.
    """
    counts = land.counts
    shown = state.lowest if kind.counted is None else state.partition
    return {name: low for name, low in (shown or {}).items() if low < counts.get(name, low + 1)}


def step_reached(state: State, land: Ground, gate: Gate) -> str | None:
    """Name the step that a merged gate puts in force: the last one, up to its own, that it reaches.

    A gate that takes over a candidate may show less than its step allows, even than the first one (None).
    Nothing moves beyond what it showed: the rest is asked for anew (R15).
    """
    steps, partition = steps_of(state), gate.partition or {}
    names = [step.name for step in steps]
    reached = [
        stage.step.name
        for stage in stages(steps, land.counts)
        if names.index(stage.step.name) <= names.index(gate.step)
        and reaches(partition, land.floored(stage.partition))
    ]
    return reached[-1] if reached else None


def _next(kind: Kind, history: History, state: State, land: Ground) -> Gate | None:
    """The gate after the step in force; `complete` when everything has moved."""
    now = state.partition or land.protecting_all()
    for stage in _ahead(kind, state, land):
        partition = lowest(now, land.floored(stage.partition))
        if lower(partition, now):
            return of_step(history, state, stage.step, partition, land)
        requests = route_gates.of_traffic(kind, history, state, stage.step)
        if requests is not None:
            return requests
    last = route_gates.last_ones(history, state, land)
    if last is not None:
        return last
    if any(now.get(name, 0) for name in land.counts) or land.empty:
        return None
    return plain(kind, history, state, COMPLETE)


def _ahead(kind: Kind, state: State, land: Ground) -> tuple[Stage, ...]:
    """Give the stages after the step in force, and that one where a part of it may have been left out."""
    after = remaining(state, land.counts)
    if kind.counted is None:
        return after
    now = state.published.step
    return (*(one for one in stages(steps_of(state), land.counts) if one.step.name == now), *after)


def all_ahead(kind: Kind, history: History, state: State) -> list[Gate]:
    """Give the gates of all steps from the one that is due, each as if it were asked now."""
    first = due(kind, history, state)
    names = [step.name for step in steps_of(state)]
    if first is None or first.partition is None or first.step not in names:
        return []
    if kind.beside is not None:
        return [first]  # requests follow each step of a candidate beside stable, so that none is passed over
    land = ground(kind, history, state)
    found = [first]
    for stage in stages(steps_of(state), land.counts):
        partition = lowest(first.partition, land.floored(stage.partition))
        later = names.index(stage.step.name) > names.index(first.step)
        if later and lower(partition, found[-1].partition or {}):
            found.append(of_step(history, state, stage.step, partition, land))
    return found


def ahead(kind: Kind, history: History, state: State, step: str) -> Gate | None:
    """Give the gate of a step that is due or comes after it."""
    return next((one for one in all_ahead(kind, history, state) if one.step == step), None)
