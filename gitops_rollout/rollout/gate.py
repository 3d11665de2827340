"""Gates: questions to people, each asked as one commit on the output branch's head.

Which gate is due follows from the state alone, so that an approval is judged against what was
published and never against today's source (R15).
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace

from gitops_rollout.api.policy import ALL, Policy, Step
from gitops_rollout.api.values import Json, Object
from gitops_rollout.api.workload import WHOLE, Thresholds, WorkloadKey
from gitops_rollout.kinds.protocol import Kind
from gitops_rollout.revision.history import History
from gitops_rollout.revision.record import Revision
from gitops_rollout.rollout.capacity import Ground, Stage, lower, lowest, reaches, stages
from gitops_rollout.rollout.state import Approval, State, written
from gitops_rollout.semantics.canonical import canonical_bytes

COMPLETE, DELETE, UNPROTECTED = "complete", "delete", "unprotected"
PREFIX = "refs/heads/gitops-rollout/gate"


@dataclass(frozen=True, slots=True)
class Gate:
    """One question: may `revision` take this step, in this attempt?

    `partition` is what the merge publishes; None where the merge changes no workload file.
    """

    step: str
    attempt: int
    revision: str
    digest: str
    allows: Object
    partition: Thresholds | None
    counts: Thresholds

    @property
    def effect(self) -> str:
        """Give the digest of everything that the approval allows, without fence or commit (R15)."""
        effect: Json = {
            "header": None,
            "partition": _json(self.partition),
            "replicas": _json(self.counts),
            "step": self.step,
            "weight": None,
        }
        return hashlib.sha256(canonical_bytes(effect)).hexdigest()[:32]

    def approval(self, base: str) -> Approval:
        """Give what a merge says: `base` is the fence that the gate stands on."""
        return Approval(
            self.attempt, base, self.revision, self.digest, self.step, dict(self.allows), self.effect
        )

    def same(self, approval: Approval) -> bool:
        """Say whether an approval is for exactly this gate, whatever it was based on."""
        return replace(approval, base="") == self.approval("")


def _json(thresholds: Thresholds | None) -> Json:
    return thresholds if thresholds is None else {name: thresholds[name] for name in sorted(thresholds)}


def folder_ref(key: WorkloadKey, short: str) -> str:
    """Give the ref below which a workload's gates stand."""
    return f"{PREFIX}/{key.namespace}/{short}-{key.name}"


def ref_name(key: WorkloadKey, short: str, gate: Gate) -> str:
    """Give the full name of a gate's branch: attempt, step, and 8 hex of the effect."""
    return f"{folder_ref(key, short)}/{gate.attempt}-{gate.step}-{gate.effect[:8]}"


def ground(kind: Kind, history: History, state: State, revision: str | None = None) -> Ground:
    """Say what moves between stable and `revision` (by default what is offered or serving)."""
    controls = state.accepted.controls
    counts, floors = kind.counts(controls), kind.floors(controls)
    other = history.get(revision or state.offered or state.candidate)
    stable = history.get(state.stable)
    if not kind.by_component(controls) or other is None or stable is None:
        return Ground(counts, floors)
    before, after = _pods(kind, stable), _pods(kind, other)
    moving = {name for name, made_from in after.items() if before.get(name) != made_from}
    return Ground(
        {name: count for name, count in counts.items() if name in moving},
        {name: floor for name, floor in floors.items() if name in moving},
    )


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
        return None if asked == "remove" else _plain(kind, history, state, asked)
    if policy.suspend or (state.candidate is None and state.offered is None):
        return None
    land = ground(kind, history, state)
    if state.offered is None:
        return None if land.empty else _plain(kind, history, state, COMPLETE)
    if state.rejected is not None and state.rejected.revision == state.offered:
        return None
    if state.published.step is None or state.offered != state.candidate:
        return _first(history, state, land, stages(steps_of(state), land.counts))
    return _next(kind, history, state, land)


def _first(history: History, state: State, land: Ground, plan: Sequence[Stage]) -> Gate | None:
    """The first gate of an attempt: from stable, or from where a candidate stands (DESIGN 5).

    Another candidate takes over exactly what the one before it holds; the same one, taken back or
    offered again, goes on from the partition in force.
    """
    again = state.candidate == state.offered
    stood = (state.partition or {}) if again else _held(state, land)
    for stage in plan:
        if not reaches(stage.partition, stood):
            continue
        floored = land.floored(stage.partition)
        partition = lowest(stood, floored) if again else {**floored, **stood}
        if stood or lower(partition, land.counts) or land.empty:
            return of_step(history, state, stage.step, partition, land)
    return None


def _held(state: State, land: Ground) -> Thresholds:
    """Give from where on the candidate may hold replicas; a component of which it holds none is left out."""
    counts = land.counts
    return {name: low for name, low in (state.lowest or {}).items() if low < counts.get(name, low + 1)}


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
    for stage in remaining(state, land.counts):
        partition = lowest(now, land.floored(stage.partition))
        if lower(partition, now):
            return of_step(history, state, stage.step, partition, land)
    if any(now.get(name, 0) for name in land.counts) or land.empty:
        return None
    return _plain(kind, history, state, COMPLETE)


def remaining(state: State, counts: Thresholds) -> tuple[Stage, ...]:
    """Give the stages after the step in force. Scaling changes counts, never the step."""
    steps = steps_of(state)
    names = [step.name for step in steps]
    done = names.index(state.published.step) if state.published.step in names else -1
    return tuple(stage for stage in stages(steps, counts) if names.index(stage.step.name) > done)


def step_in_force(state: State) -> Step | None:
    """Give the step of this rollout that is in force; on the way back through the window it has no soak."""
    return next((step for step in steps_of(state) if step.name == state.published.step), None)


def everything_approved(state: State) -> bool:
    """Say whether the step in force is the last one: from here on the floor decides."""
    return state.published.step is not None and state.published.step == steps_of(state)[-1].name


def steps_of(state: State) -> tuple[Step, ...]:
    """Give the steps of the rollout that is on.

    A revision that was stable a short while ago (`rollbackWindow`) comes back through one gate.
    """
    policy = Policy.from_json(state.accepted.policy)
    recent = state.stables[: policy.rollback_window]
    return (ALL,) if (state.offered or state.candidate) in recent else policy.steps


def all_ahead(kind: Kind, history: History, state: State) -> list[Gate]:
    """Give the gates of all steps from the one that is due, each as if it were asked now."""
    first = due(kind, history, state)
    if first is None or first.partition is None:
        return []
    land, names = ground(kind, history, state), [step.name for step in steps_of(state)]
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


def of_step(history: History, state: State, step: Step, partition: Thresholds, land: Ground) -> Gate:
    """Give the gate that asks whether the offered revision may take a step, down to `partition`."""
    revision = history[state.offered or ""]
    allows: Object = {"replicas": step.replicas.written}
    return Gate(step.name, state.attempt, revision.id, revision.digest, allows, partition, land.counts)


def _plain(kind: Kind, history: History, state: State, step: str) -> Gate:
    """A gate whose merge holds only fence and approval."""
    revision = history[state.offered or state.stable]
    counts = dict(kind.counts(state.accepted.controls)) if step == COMPLETE else {}
    return Gate(step, state.attempt, revision.id, revision.digest, {}, None, counts)


def body_step(gate: Gate) -> str:
    """Name the step as people see it in titles."""
    return gate.step if gate.partition is None else f"{gate.step} (partition {written(gate.partition)})"
