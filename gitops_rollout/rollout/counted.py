"""Two revisions in one object, where a partition is a number of replicas (strategy InPlace, DESIGN 5).

What differs from ordinals: a step keeps its meaning when a component is scaled, a raised partition gives
replicas back to stable, and what holds a candidate back is a field that the live CRD has to keep (R26).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from gitops_rollout.api.graph_terms import Strategy
from gitops_rollout.api.policy import Policy
from gitops_rollout.api.problems import Problem
from gitops_rollout.api.values import Object
from gitops_rollout.api.workload import Spec, Thresholds, WorkloadKey
from gitops_rollout.kinds.protocol import Kind
from gitops_rollout.rollout import beside
from gitops_rollout.rollout import gate as gates
from gitops_rollout.rollout.capacity import Ground, stages
from gitops_rollout.rollout.draft import Draft, Scene
from gitops_rollout.rollout.facts import KEPT, UPWARD, Answer, Observation, transition
from gitops_rollout.rollout.gate import Gate
from gitops_rollout.rollout.state import State

_RAISED = "the partition was raised in the source: stable keeps {}, and the candidate gives them back"
_PAUSED = "paused in the source: nothing of the same release group moves on until that ends"
NOT_KEPT = (
    "the live CRD is not seen to keep spec.rollout, and its status to answer it: without that the operator "
    "would update everything at once, so that nothing of {} is let in"
)


def kept(state: State, seen: Observation) -> bool:
    """Say whether the cluster keeps what holds a candidate back; so it is where no field does."""
    return state.strategy is not Strategy.IN_PLACE or seen.of(KEPT) is Answer.YES


def shown_controls(kind: Kind, state: State) -> Object:
    """Give the controls to render: release groups of the policy, and no pause on the way back (R13)."""
    controls = state.accepted.controls
    if kind.counted is None:
        return controls
    groups = Policy.from_json(state.accepted.policy).release_groups
    if groups:
        controls = kind.counted.with_groups(controls, {one.name: one.components for one in groups})
    rolling_back = state.candidate is not None and state.offered is None
    return kind.counted.without_pauses(controls) if rolling_back else controls


def withheld(seen: Observation, state: State, gate: Gate | None) -> str:
    """Say why the merge of a gate lets nothing in; empty where it may."""
    upward = gate is not None and transition(state, gate) in UPWARD
    return NOT_KEPT.format(state.offered) if upward and not kept(state, seen) else ""


def taken_back(kind: Kind) -> str:
    """Say what becomes of the replicas of a candidate whose partition rises."""
    if kind.counted is not None:
        return "replicas of the candidate go back to stable"
    return "what has moved stays on the candidate until it is re-created"


def told(scene: Scene, draft: Draft, land: Ground) -> Draft:
    """Say what holds a rollout in place that is on."""
    state, kind = draft.state, scene.kind
    if kind.counted is None or state.offered is None:
        return draft
    if not kept(state, scene.observation) and "NOT_KEPT" not in {one.code for one in draft.notes}:
        draft = draft.note("NOT_KEPT", NOT_KEPT.format(state.offered))
    names = sorted(kind.counted.paused(state.accepted.controls))
    said = f"{', '.join(names)} {'is' if len(names) == 1 else 'are'} {_PAUSED}"
    return draft.note("PAUSED", said) if land.held.keys() & land.counts.keys() else draft


def held(kind: Kind, state: State, counts: Thresholds) -> Thresholds:
    """Give the partitions of what is paused, and of what serves requests with it: they stay (R24)."""
    if kind.counted is None:
        return {}
    stopped, now = beside.frozen(kind, state), state.partition or {}
    return {name: min(now.get(name, count), count) for name, count in counts.items() if name in stopped}


def mixed(kind: Kind, draft: Draft, new: Spec, after: Policy | None) -> Iterator[Problem]:
    """Find what of a new spec would serve requests together with what stays on stable."""
    if kind.counted is not None:
        stable = Spec(new.key, draft.history[draft.state.stable].text, draft.state.accepted.controls)
        yield from kind.counted.mixed(stable, draft.policy, new, after or draft.policy)


def mixes(kind: Kind, key: WorkloadKey, draft: Draft, revision: str) -> str:
    """Say why a recorded revision cannot serve beside stable in one graph; empty when it can."""
    new = Spec(key, draft.history[revision].text, draft.state.accepted.controls)
    return next((one.message for one in mixed(kind, draft, new, None)), "")


def moved(draft: Draft, before: Ground, after: Ground) -> Draft:
    """Let partitions follow other counts and other floors. Nothing moves to the candidate by that.

    A step that was reached stays reached, so that prefill and decode keep their proportion; what is paused,
    or stands between two steps, keeps the candidate's count, and stable keeps at least one (R24).
    """
    state, partition = draft.state, draft.state.partition or {}
    step = state.published.step or ""
    reached, coming = (_reached(state, land).get(step, {}) for land in (before, after))
    turn = _Turn(before, after, reached, coming, gates.everything_approved(state))
    found = {name: turn.partition(name, number) for name, number in partition.items()}
    raised = [
        f"{name} {partition[name]} → {number} of {after.counts[name]}"
        for name, number in sorted(found.items())
        if number > partition[name] and before.counts.get(name) == after.counts.get(name)
    ]
    if raised:
        draft = draft.note("PARTITION_RAISED", _RAISED.format(", ".join(raised)))
    return draft.at_partition(found, state.lowest or found)


def _reached(state: State, land: Ground) -> Mapping[str, Thresholds]:
    """Give where every step ends; what is paused does not, however long it stands still."""
    land = replace(land, held={})
    return {one.step.name: land.floored(one.partition) for one in stages(gates.steps_of(state), land.counts)}


@dataclass(frozen=True, slots=True)
class _Turn:
    """Controls before and after, and what the step in force reaches under either; `done`: it is the last."""

    before: Ground
    after: Ground
    reached: Thresholds
    coming: Thresholds
    done: bool

    def partition(self, name: str, number: int) -> int:
        """Give the partition of a component that had `number`."""
        count = self.after.counts.get(name)
        if count is None:
            return number
        had = self.before.counts.get(name, count)
        floor = self.after.floors.get(name, 0)
        if not self.done:
            # A floor that is lowered approves nothing.
            floor = max(floor, min(self.before.floors.get(name, 0), count))
        elif number == 0:
            return floor  # stable has lost it all: what is added is the candidate's
        if self._at_step(name, number, had):
            follows = max(self.coming[name], floor)
            return follows if self.done or count != had else max(number, follows)
        return max(number if count == had else self._rest(number, had, count), floor)

    def _at_step(self, name: str, number: int, had: int) -> bool:
        """Say whether a component stands where its step ends; where nothing ran, it stands there again."""
        known = name in self.coming and name not in self.after.held
        return known and (number == self.reached.get(name) or had == 0)

    @staticmethod
    def _rest(number: int, had: int, count: int) -> int:
        """Give what is left to stable when the candidate keeps its count, as far as stable keeps one."""
        least = min(number, 1)
        return count - min(max(0, had - number), max(0, count - least))
