"""What a pass found and did, as one value: the terminal, JSON and exit codes are made from it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from gitops_rollout.api.problems import Problem
from gitops_rollout.api.verdict import Impact
from gitops_rollout.api.workload import WorkloadKey
from gitops_rollout.revision.history import History
from gitops_rollout.rollout.facts import Fact
from gitops_rollout.rollout.gate import Gate
from gitops_rollout.rollout.state import State


@dataclass(frozen=True, slots=True)
class WorkloadReport:
    """One workload after a pass. `words` say what was committed, empty when nothing was.

    `gate` is the question that stands or comes, `branch` where it stands in the output repository,
    `gate_from` when it may be asked. `impact` is what the offered revision does against stable.
    """

    key: WorkloadKey
    state: State | None = None
    history: History | None = None
    words: str = ""
    gate: Gate | None = None
    branch: str = ""
    gate_from: datetime | None = None
    look_again: datetime | None = None
    closed: str = ""
    """Why the gate is not asked now: a freeze, or no window."""
    unproven: tuple[Fact, ...] = ()
    """What is not observed yet of what the gate stands on."""
    follows: bool = False
    """The gate is taken by itself, when its facts are observed."""
    stuck: str = ""
    """What it has waited for longer than its progress deadline."""
    impact: Impact | None = None
    notes: tuple[Problem, ...] = ()
    problems: tuple[Problem, ...] = ()
    blocked: tuple[Problem, ...] = ()
    removed: bool = False

    @property
    def quiet(self) -> bool:
        """Say that nothing is on its way, nothing was written and there is nothing to tell."""
        told = (
            self.notes
            or self.problems
            or self.blocked
            or self.words
            or self.gate_from
            or self.look_again
            or self.closed
            or self.unproven
        )
        waiting = self.gate is not None and not self.branch
        if self.state is None or told or waiting:
            return False
        # What leaves may go on by itself at another head of the source (R6).
        return self.state.candidate is None and self.state.withdraw is None


@dataclass(frozen=True, slots=True)
class Report:
    """One pass over one pipeline."""

    pipeline: str
    source: str
    output: str | None
    workloads: tuple[WorkloadReport, ...]
    problems: tuple[Problem, ...] = ()
    warnings: tuple[Problem, ...] = ()
    commits: tuple[str, ...] = ()
    asked: int = 0
    """How many gate branches were made, rebuilt or removed."""
    quiet: Mapping[str, str] = field(default_factory=dict)
    """What needs no look until it changes: workload → fingerprint (memory.py)."""
    idle: bool = False
    """Nothing had changed since a pass that found nothing to do: nothing was looked at."""
    still_refused: bool = False
    heads: str = ""
    """The print of the heads that were read."""

    @property
    def refused(self) -> bool:
        """Say whether some input was refused (exit code 3); the rest went on."""
        found = bool(self.problems) or any(one.problems for one in self.workloads)
        return found or self.still_refused

    @property
    def settled(self) -> bool:
        """Say that nothing was written: every ref is as planned."""
        return not self.commits and not self.asked

    @property
    def lasting(self) -> bool:
        """Say that the same heads give the same answer: a failed build may be the machine's fault."""
        return self.settled and all(problem.code != "KUSTOMIZE_FAILED" for problem in self.problems)

    @property
    def wake(self) -> datetime | None:
        """Give the earliest instant at which something is due without anybody doing anything."""
        whens = (when for one in self.workloads for when in (one.gate_from, one.look_again))
        return min((when for when in whens if when is not None), default=None)


def shared_notes(reports: Iterable[WorkloadReport]) -> dict[Problem, list[WorkloadKey]]:
    """Give whose each note is: what is told of many alike is said once."""
    whose: dict[Problem, list[WorkloadKey]] = {}
    for one in reports:
        for note in one.notes:
            whose.setdefault(note, []).append(one.key)
    return whose
