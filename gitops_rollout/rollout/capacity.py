"""How far a step reaches: shares of replicas become ordinal thresholds. Whole numbers only.

A threshold is an ordinal: everything below it is protected, whether it exists or not (Kthena #1797).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from gitops_rollout.api.policy import Step
from gitops_rollout.api.workload import Thresholds


@dataclass(frozen=True, slots=True)
class Ground:
    """What a rollout moves: desired replicas, and the floor that people wrote, by component.

    `kept` is what stable keeps besides: 1 of what answers its requests (DESIGN 5); `held` is what is paused.
    `together`: requests pass through all of it, so that stable keeps one of each until the last step.
    """

    counts: Thresholds
    floors: Thresholds
    kept: Thresholds = field(default_factory=dict)
    held: Thresholds = field(default_factory=dict)
    together: bool = False

    @property
    def empty(self) -> bool:
        """Say that nothing runs, so nothing can be proven (R24: N = 0 freezes pointers)."""
        return bool(self.counts) and not any(self.counts.values())

    def floored(self, partition: Thresholds) -> Thresholds:
        """Keep to the floor: a rollout moves towards it, never past it."""
        ends = self.ends
        # A step that leaves anything to stable is not the last one.
        least = 1 if self.together and any(partition.values()) else 0
        return {
            name: max(number, ends.get(name, 0), min(least, self.counts.get(name, 0)))
            for name, number in partition.items()
        }

    @property
    def ends(self) -> Thresholds:
        """Give the thresholds that steps end at: the floor, and what stable keeps for its requests."""
        found: dict[str, int] = {}
        for one in (self.floors, self.kept, self.held):
            found |= {name: max(number, found.get(name, 0)) for name, number in one.items()}
        return found

    def protecting_all(self) -> Thresholds:
        """Give the thresholds under which nothing has moved."""
        return dict(self.counts)


@dataclass(frozen=True, slots=True)
class Stage:
    """A step with the thresholds that it allows, before the floor."""

    step: Step
    partition: Thresholds


def stages(steps: Sequence[Step], counts: Thresholds) -> tuple[Stage, ...]:
    """Give the steps that move replicas or requests; of equal ones the last stands for all (case 46).

    Thresholds fall from stage to stage and end at 0. Where nothing runs only the last step is left.
    """
    found: list[Stage] = []
    before: Thresholds = dict(counts)
    for step in steps:
        reached = {name: min(before[name], count - step.replicas.of(count)) for name, count in counts.items()}
        other = bool(found) and step.traffic != found[-1].step.traffic
        if found and reached == found[-1].partition and not other:
            found[-1] = Stage(step, reached)
        elif lower(reached, before) or other or not any(counts.values()):
            found.append(Stage(step, reached))
        before = reached
    return tuple(found)


def lower(new: Thresholds, old: Thresholds) -> bool:
    """Say whether a threshold falls: something would move."""
    return any(number < old.get(name, number) for name, number in new.items())


def lowest(*shown: Thresholds | None) -> Thresholds:
    """Give the lowest threshold of each component that any of these shows."""
    found: dict[str, int] = {}
    for one in shown:
        for name, number in (one or {}).items():
            found[name] = min(number, found.get(name, number))
    return found


def rescaled(partition: Thresholds, before: Thresholds, after: Thresholds) -> Thresholds:
    """Follow a scaling while less than everything is approved (DESIGN 5).

    Scaling up protects all of the new ordinals, so that they are born on stable; scaling down leaves
    the threshold where it is.
    """
    return {
        name: after[name] if name in after and after[name] > before.get(name, after[name]) else number
        for name, number in partition.items()
    }


def under_floor(partition: Thresholds, before: Thresholds, after: Thresholds) -> Thresholds:
    """Follow a floor that people raised. One that stands as it was raises nothing: it bounds only the
    way towards a candidate, and a threshold may lie below it (R12).
    """
    return {
        name: max(number, after[name]) if after.get(name, 0) > before.get(name, 0) else number
        for name, number in partition.items()
    }


def reaches(partition: Thresholds, limit: Mapping[str, int]) -> bool:
    """Say whether no threshold stands above its limit."""
    return all(number <= limit.get(name, number) for name, number in partition.items())
