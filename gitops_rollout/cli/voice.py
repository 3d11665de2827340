"""How a command speaks of a pass: as done, as foreseen, or as it stands; and with which commands."""

from dataclasses import dataclass, replace

from gitops_rollout.cli.settings import Where
from gitops_rollout.conclude import Conclusion, Tense, conclude
from gitops_rollout.report import Report, WorkloadReport


@dataclass(frozen=True, slots=True)
class Voice:
    """The tense, and the options that every command which is told to people needs."""

    tense: Tense
    options: str = ""

    def __call__(self, report: WorkloadReport) -> Conclusion:
        """Say where a workload stands."""
        return conclude(report, self.tense, self.options)

    def due(self, report: Report) -> bool:
        """Say that a pass would write something, when none was done."""
        return self.tense is not Tense.DID and not report.settled


def voice(where: Where, tense: Tense) -> Voice:
    """Speak of the pipeline that a command was given."""
    return Voice(tense, where.options)


def only_asked(report: Report, standing: frozenset[str]) -> Report:
    """Name only gates that stand: of a foreseen pass, the others are questions still to be asked."""
    workloads = [one if one.branch in standing else replace(one, branch="") for one in report.workloads]
    return replace(report, workloads=tuple(workloads))
