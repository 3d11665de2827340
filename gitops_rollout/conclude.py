"""What a workload's report means: conditions (kstatus), and what it waits for. Pure.

Waiting for people is Ready=True: nothing is wrong. Reasons are stable words; messages are for people.
"""

from dataclasses import dataclass

from gitops_rollout.api.policy import Policy
from gitops_rollout.api.workload import WorkloadKey
from gitops_rollout.kinds.registry import kind_named
from gitops_rollout.report import WorkloadReport
from gitops_rollout.revision.words import named
from gitops_rollout.rollout.gate import COMPLETE
from gitops_rollout.rollout.state import State

_AT_REST = {"Stable", "Gone", "Blocked", "Refused", "Aborted"}


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition as Kubernetes writes them."""

    type: str
    status: str
    reason: str
    message: str


@dataclass(frozen=True, slots=True)
class Waiting:
    """What a workload waits for, since when (RFC 3339), who can move it, and with which command."""

    what: str
    since: str
    who: str
    command: str

    def __str__(self) -> str:
        since = f" since {self.since}" if self.since else ""
        command = f": {self.command}" if self.command else ""
        return f"waits for {self.what}{since}; {self.who}{command}"


@dataclass(frozen=True, slots=True)
class Conclusion:
    """Where a workload stands."""

    reason: str
    message: str
    conditions: tuple[Condition, ...]
    waiting: Waiting | None


def conclude(report: WorkloadReport) -> Conclusion:
    """Say where a workload stands: the only place where states become words."""
    reason, message = _reason(report)
    stalled = reason == "Blocked" or bool(report.problems)
    moving = reason not in _AT_REST
    return Conclusion(
        reason,
        message,
        (
            Condition("Ready", _word(not stalled), reason, message),
            Condition("Progressing", _word(moving), reason, message),
            Condition("Stalled", _word(stalled), reason, message),
        ),
        _waiting(report, reason),
    )


def _word(holds: bool) -> str:
    return "True" if holds else "False"


def _reason(report: WorkloadReport) -> tuple[str, str]:
    state = report.state
    if report.blocked:
        return "Blocked", report.blocked[0].message
    if state is None:
        if report.problems:
            return "Refused", report.problems[0].message
        return ("Gone", "it was removed") if report.removed else ("Refused", "it was never accepted")
    reason = _standing(report, state)
    return reason, _words(reason, report, state)


def _standing(report: WorkloadReport, state: State) -> str:
    """The table of where a rollout stands; the first row that holds counts."""
    rejected, offered = state.rejected, state.offered is not None
    rows = (
        (state.withdraw is not None, "Withdrawing"),
        (state.candidate is not None and not offered, "RollingBack"),
        (rejected is not None and rejected.why == "declined", "Declined"),
        (rejected is not None, "Aborted"),
        (offered and Policy.from_json(state.accepted.policy).suspend, "Suspended"),
        (report.gate_from is not None, "Soaking"),
        (report.gate is not None, "WaitingForGate"),
        (offered and not any(_counts(report)), "NothingRuns"),
        (offered, "PausedByPartition"),
        (bool(report.problems), "Refused"),
    )
    return next((reason for holds, reason in rows if holds), "Stable")


def _words(reason: str, report: WorkloadReport, state: State) -> str:
    """Say a reason in a sentence, with the revisions that it is about."""
    offered = named(report.history, state.offered or state.candidate or state.stable)
    stable, candidate = named(report.history, state.stable), named(report.history, state.candidate)
    rejected = named(report.history, state.rejected.revision if state.rejected else None)
    step = report.gate.step if report.gate else ""
    return {
        "Withdrawing": "its spec is gone; it goes when people agree",
        "RollingBack": f"from {candidate} back to {stable}",
        "Declined": f"{offered} stays where it is: its step was declined",
        "Aborted": f"{stable} stays; {rejected} was aborted",
        "Suspended": f"{offered} waits: its policy suspends it",
        "Soaking": f"{offered} soaks at step {state.published.step}",
        "WaitingForGate": f"{offered} may take step {step} when approved",
        "NothingRuns": f"{offered} cannot be proven while nothing runs",
        "PausedByPartition": f"the source's partition holds {offered} back",
        "Refused": report.problems[0].message if report.problems else "",
    }.get(reason, f"everything is on {stable}")


def typed(key: WorkloadKey) -> str:
    """Give a workload as people type it: `ms/chat -n serving`."""
    kind = kind_named(key.kind)
    return f"{kind.short if kind else key.kind}/{key.name} -n {key.namespace}"


def _counts(report: WorkloadReport) -> list[int]:
    replicas = report.state.accepted.controls.get("replicas", 1) if report.state else 1
    return [replicas] if isinstance(replicas, int) else [1]


def _waiting(report: WorkloadReport, reason: str) -> Waiting | None:
    state = report.state
    name = typed(report.key)
    since = state.since.changed if state else ""
    gate = report.gate.step if report.gate else ""
    until = report.gate_from.strftime("%Y-%m-%dT%H:%M:%SZ") if report.gate_from else ""
    approve = f"merge {report.branch}, or gitops-rollout gate approve {name}"
    rows = {
        "WaitingForGate": (f"the gate {gate}", "a reviewer of the output branch", approve),
        "Withdrawing": (f"the gate {gate}", "a reviewer of the output branch", approve),
        "RollingBack": (f"the gate {COMPLETE}", "a reviewer of the output branch", approve),
        "Soaking": (
            f"the soak of step {state.published.step if state else ''}",
            f"nobody; until {until}",
            "",
        ),
        "Declined": (
            "somebody to go on or back",
            "anybody",
            f"gitops-rollout gate retry {name}, or abort {name}",
        ),
        "Aborted": ("another revision in the source", "anybody", f"gitops-rollout gate retry {name}"),
        "Suspended": ("its policy", "who owns the policy", "set suspend: false"),
        "PausedByPartition": ("the source", "who owns the spec", "lower the partition"),
        "NothingRuns": ("replicas", "who owns the spec", "scale it up"),
        "Blocked": ("its record", "who owns the output branch", ""),
        "Refused": ("the source", "who owns the spec", "mend the file"),
    }
    return Waiting(rows[reason][0], since, *rows[reason][1:]) if reason in rows else None
