"""What a workload's report means: conditions (kstatus), and what it waits for. Pure.

Waiting for people is Ready=True: nothing is wrong. Reasons are stable words; messages are for people.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from gitops_rollout.api.policy import Policy
from gitops_rollout.api.workload import WorkloadKey
from gitops_rollout.conditions import Condition, specific
from gitops_rollout.kinds.registry import kind_named, typed
from gitops_rollout.report import WorkloadReport
from gitops_rollout.revision.words import named
from gitops_rollout.rollout.draft import instant
from gitops_rollout.rollout.gate import BACK, COMPLETE, DRAINED
from gitops_rollout.rollout.state import State

_AT_REST = {"Stable", "Held", "Gone", "Blocked", "Refused", "Aborted", "Failed", "Kept", "DeletionHeld"}
_NOT_RECORDED = {"PassDue", "Blocked", "Refused", "DeletionHeld"}
"""What begins without a commit of ours: nobody knows since when it stands so."""
_REVIEWER = "a reviewer of the output branch"


class Tense(StrEnum):
    """How a report is spoken of: a pass did it, the next one would, or how things stand before that."""

    DID = "did"
    WOULD = "would"
    STANDS = "stands"


@dataclass(frozen=True, slots=True)
class Waiting:
    """What a workload waits for, since when (RFC 3339), and who can move it.

    `how` says it in words, `command` is what can be typed; each may be empty.
    """

    what: str
    since: str
    who: str
    how: str
    command: str

    def __str__(self) -> str:
        since = f" since {self.since}" if self.since else ""
        ways = ", or ".join(way for way in (self.how, self.command) if way)
        return f"waits for {self.what}{since}; {self.who}{': ' if ways else ''}{ways}"


@dataclass(frozen=True, slots=True)
class Conclusion:
    """Where a workload stands."""

    reason: str
    message: str
    conditions: tuple[Condition, ...]
    waiting: Waiting | None


def conclude(report: WorkloadReport, tense: Tense = Tense.DID, options: str = "") -> Conclusion:
    """Say where a workload stands: the only place where states become words.

    `options` name the pipeline in every command that is told.
    """
    reason, message = _reason(report, tense)
    stalled = reason == "Blocked" or bool(report.problems) or bool(report.stuck)
    moving = reason not in _AT_REST
    return Conclusion(
        reason,
        message,
        (
            Condition("Ready", _word(not stalled), reason, message),
            Condition("Progressing", _word(moving), reason, message),
            Condition("Stalled", _word(stalled), reason, message),
            *specific(report),
        ),
        _waiting(report, reason, options),
    )


def longest(waits: Iterable[tuple[WorkloadKey, Waiting]]) -> tuple[WorkloadKey, Waiting] | None:
    """Give what has waited longest for somebody; what only time can move is never that."""
    theirs = [one for one in waits if one[1].how or one[1].command]
    return min(theirs, key=lambda one: (one[1].since or "~", one[0]), default=None)


def _word(holds: bool) -> str:
    return "True" if holds else "False"


def _reason(report: WorkloadReport, tense: Tense) -> tuple[str, str]:
    state = report.state
    if report.blocked:
        return "Blocked", "nothing is written and nothing is asked"
    if tense is Tense.STANDS and (report.words or report.removed):
        return "PassDue", f"the next pass: {report.words or 'remove it'}"
    if state is None:
        if report.problems:
            return "Refused", "its spec is refused; nothing of it is published"
        return ("Gone", "it was removed") if report.removed else ("Refused", "it was never accepted")
    reason = _standing(report, state)
    return reason, _words(reason, report, state)


def _standing(report: WorkloadReport, state: State) -> str:
    """The table of where a rollout stands; the first row that holds counts."""
    rejected, offered = state.rejected, state.offered is not None
    told = {note.code for note in report.notes}
    rows = (
        (state.withdraw is not None, "Withdrawing"),
        (state.candidate is not None and not offered, "RollingBack"),
        (rejected is not None and rejected.why == "declined", "Declined"),
        (rejected is not None and rejected.why == "failed", "Failed"),
        (rejected is not None, "Aborted"),
        (offered and Policy.from_json(state.accepted.policy).suspend, "Suspended"),
        (bool(report.closed), "Closed"),
        (report.gate_from is not None, "Soaking"),
        (state.withdraw is None and report.gate is not None and bool(report.gate.route), "Attaching"),
        (offered and state.since.drain is not None, "Draining"),
        (offered and "TRAFFIC_REFUSED" in told, "TrafficRefused"),
        (bool(report.stuck), "ProgressDeadlineExceeded"),
        (bool(report.unproven), "WaitingForProof"),
        (report.follows, "Following"),
        (report.gate is not None, "WaitingForGate"),
        (offered and not _runs(report.key, state), "NothingRuns"),
        (offered, "PausedByPartition"),
        (bool(report.problems), "Refused"),
        ("DELETION_HELD" in told, "DeletionHeld"),
        ("KEPT" in told, "Kept"),
        (state.held is not None, "Held"),
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
        "Failed": f"{stable} stays; {rejected} did not answer within its progress deadline",
        "ProgressDeadlineExceeded": f"{offered} is stuck: {report.stuck}",
        "Following": f"{offered} goes on with step {step}: everything that it stands on is seen",
        "WaitingForProof": f"{offered} waits for {', '.join(map(str, report.unproven))}",
        "Suspended": f"{offered} waits: its policy suspends it",
        "Soaking": f"{offered} soaks at step {state.published.step}",
        "Closed": f"{offered} waits: {report.closed}",
        "Attaching": f"its route changes when somebody agrees; {stable} answers",
        "Draining": f"{candidate} gets no more requests; its pods go when those have ended",
        "TrafficRefused": f"{offered} waits: its requests could not follow, as the note says",
        "WaitingForGate": f"{offered} may take step {step} when approved"
        if step != COMPLETE
        else f"everything may run {offered}; it is stable when somebody confirms that it does",
        "NothingRuns": f"{offered} cannot be proven while nothing runs",
        "PausedByPartition": f"the source holds {offered} back, by a partition or a pause",
        "Refused": f"its spec is refused; {stable} and the last accepted settings stay in force",
        "DeletionHeld": f"its spec is not in the source, and deletions are held; {stable} stays",
        "Held": f"{stable} is held by a rollback, whatever the source wants now",
        "Kept": f"its spec is gone; {stable} stays, as its policy says",
    }.get(reason, f"everything is on {stable}")


def _runs(key: WorkloadKey, state: State) -> bool:
    """Say whether anything is to run; of a kind that nobody knows, that something does."""
    kind = kind_named(key.kind)
    return kind is None or any(kind.under(state.strategy).counts(state.accepted.controls).values())


def _waiting(report: WorkloadReport, reason: str, options: str) -> Waiting | None:
    state, name = report.state, f"{typed(report.key)}{options}"
    step = state.published.step if state else ""
    until = instant(report.gate_from) if report.gate_from else ""
    retry, abort = f"gitops-rollout gate retry {name}", f"gitops-rollout abort {name}"
    resume, gate = f"gitops-rollout resume {name}", _for_gate(report, options)
    opens = f"nobody: it opens at {until}" if until else "who owns the freeze"
    closed = (report.closed, opens, "" if until else "end it, or remove its file", "")
    rows = {
        "PassDue": ("the next pass", "the service, or anybody", "", f"gitops-rollout once{options}"),
        "WaitingForGate": gate,
        "Attaching": gate,
        "Draining": gate,
        "Closed": closed,
        "TrafficRefused": ("the policy", "who owns the policy", "change it as the note says", ""),
        "Withdrawing": gate,
        "RollingBack": gate,
        "Soaking": (f"the soak of step {step}", f"nobody: it ends at {until}", "", ""),
        "Declined": ("somebody to go on or back", "anybody", abort, retry),
        "Aborted": ("another revision in the source", "who owns the spec", "merge one", retry),
        "Failed": ("another revision in the source", "who owns the spec", "merge one", retry),
        "ProgressDeadlineExceeded": ("what it is stuck at", "who runs the cluster", "mend it", abort),
        "Following": ("the next pass", "the service, or anybody", "", f"gitops-rollout once{options}"),
        "WaitingForProof": ("the cluster", "nobody: it goes on when this is seen", "", abort),
        "Suspended": ("its policy", "who owns the policy", "set suspend: false", ""),
        "PausedByPartition": ("the source", "who owns the spec", "lower the partition, or end the pause", ""),
        "NothingRuns": ("replicas", "who owns the spec", "scale it up", ""),
        "Blocked": ("its record", "who owns the output branch", "put it right as the message says", ""),
        "Refused": ("the source", "who owns the spec", "mend the file", ""),
        "DeletionHeld": ("the source", "who owns the spec", "mend or put back its file", ""),
        "Held": ("another revision in the source", "who owns the spec", "merge one", resume),
    }
    if reason not in rows:
        return None
    what, who, how, command = rows[reason]
    since = state.since.changed if state is not None and reason not in _NOT_RECORDED else ""
    return Waiting(what, since, who, how, command)


def _for_gate(report: WorkloadReport, options: str) -> tuple[str, str, str, str]:
    """Say who answers the open question; one that is not open yet is asked by the next pass."""
    if report.gate is None:
        return ("the source", "who owns the spec", "put its file back, or mend what cannot be read", "")
    what = f"gate {report.gate.step}"
    if not report.branch:
        once = f"gitops-rollout once{options}"
        return (what, "the service, or anybody", "the next pass asks it", once)
    approve = f"gitops-rollout gate approve {typed(report.key)}{options}"
    until = report.look_again if _ends_alone(report) else None
    alone = f" (or nobody: it goes on at {instant(until)})" if until is not None else ""
    return (f"{what}{alone}", _REVIEWER, f"merge {report.branch}", approve)


def _ends_alone(report: WorkloadReport) -> bool:
    """Say whether the wait for this gate has a deadline: those of the way down have."""
    return report.gate is not None and report.gate.step in (DRAINED, BACK)
