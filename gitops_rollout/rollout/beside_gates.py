"""Which gate is due where revisions stand beside each other: capacity, then requests, then stable's share.

Each is one class of change and asked by itself; what a gate's merge does not show follows in a commit of
ours (DESIGN 5; delivery-gateway G0).
"""

from gitops_rollout.api.values import Object
from gitops_rollout.api.workload import Thresholds
from gitops_rollout.kinds.protocol import Kind
from gitops_rollout.revision.history import History
from gitops_rollout.rollout import beside, route_gates, routing
from gitops_rollout.rollout import beside_bound as bound
from gitops_rollout.rollout.capacity import Ground, Stage, lower, stages
from gitops_rollout.rollout.gate import COMPLETE, DRAINED, Gate, of_step, plain, steps_of
from gitops_rollout.rollout.state import State


def step_due(kind: Kind, history: History, state: State, land: Ground) -> Gate | None:
    """Give the gate that is due on the way up, None where nothing can be asked: see `held`."""
    if routing.terms(state) is None or state.graph(state.offered) is None or held(kind, state):
        return None
    for stage in _ahead(state, land):
        gate = _of_stage(kind, history, state, stage, land)
        if gate is not None:
            return gate
        if state.candidate is None or lower(_target(kind, state, stage, land), state.partition or {}):
            return None
    return _last(kind, history, state, land)


def held(kind: Kind, state: State) -> bool:
    """Say whether components that requests pass through are paused: the whole group stands then."""
    stopped = beside.frozen(kind, state)
    if not stopped:
        return False
    group = beside.routed_group(kind, state) or frozenset(kind.counts(state.accepted.controls))
    return state.candidate is None or bool(stopped & group)


def _ahead(state: State, land: Ground) -> tuple[Stage, ...]:
    """Give the stages from the one in force: it may have been reached in part only."""
    steps = steps_of(state)
    names = [step.name for step in steps]
    now = names.index(state.published.step) if state.published.step in names else 0
    return tuple(stage for stage in stages(steps, land.counts) if names.index(stage.step.name) >= now)


def _target(kind: Kind, state: State, stage: Stage, land: Ground) -> Thresholds:
    """Give the partition that a stage ends at; what is held stays where it is."""
    stopped, now = beside.frozen(kind, state), state.partition or land.protecting_all()
    floored = land.floored(stage.partition)
    return {name: now.get(name, number) if name in stopped else number for name, number in floored.items()}


def _of_stage(kind: Kind, history: History, state: State, stage: Stage, land: Ground) -> Gate | None:
    """Give what of a stage is due: its capacity, as far as there is room, its requests, stable's share."""
    now = state.partition if state.candidate is not None else None
    target = beside.within_room(kind, state, _target(kind, state, stage, land))
    if now is None:
        return of_step(history, state, stage.step, target, land)
    part = {name: min(number, now.get(name, number)) for name, number in target.items()}
    if lower(part, now):
        return of_step(history, state, stage.step, part, land)
    requests = route_gates.of_traffic(kind, history, state, stage.step)
    return requests or _stable_share(kind, history, state, land)


def _stable_share(kind: Kind, history: History, state: State, land: Ground) -> Gate | None:
    """Give the gate after which stable keeps only what the requests need that it still gets.

    Its merge says that the route is accepted, and that requests have ended which the others were answering.
    """
    graph = state.graph(state.stable)
    if graph is None or graph.replicas is None or bound.gone(state, state.stable):
        return None
    keeps, standing = beside.needed(kind, history, state), bound.standing(state, state.stable)
    retires = state.published.weight == 100 and not any(keeps.values())
    if not retires and not lower(keeps, standing):
        return None
    revision = history[state.offered or ""]
    after = {name: min(number, standing.get(name, number)) for name, number in keeps.items()}
    allows: Object = {"stable": dict(sorted(after.items())), "step": state.published.step}
    return Gate(DRAINED, state.attempt, revision.id, revision.digest, allows, None, land.counts, stable=after)


def _last(kind: Kind, history: History, state: State, land: Ground) -> Gate | None:
    """Give `complete`, when everything is on the candidate and stable has left."""
    now = state.partition or {}
    left = state.graph(state.stable) is not None and bound.gone(state, state.stable)
    answers = kind.counts(state.accepted.controls).get(routing.unit(state, land.counts), 1) > 0
    if any(now.get(name, 0) for name in land.counts) or not left or not answers:
        return None
    return plain(kind, history, state, COMPLETE)
