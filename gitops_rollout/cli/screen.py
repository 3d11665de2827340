"""What people see: colours and tables on a terminal, plain text in a pipe."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager

from rich.console import Console
from rich.markup import escape
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from gitops_rollout.api.policy_merge import Origin
from gitops_rollout.api.problems import Problem
from gitops_rollout.api.verdict import Impact, Verdict
from gitops_rollout.api.workload import WorkloadKey
from gitops_rollout.cli.voice import Voice
from gitops_rollout.conclude import Conclusion, Tense, longest
from gitops_rollout.kinds.registry import typed
from gitops_rollout.render.text import change_line, component_line, requests_text
from gitops_rollout.report import Report, WorkloadReport, shared_notes

out = Console(highlight=False, soft_wrap=True)
err = Console(stderr=True, highlight=False, soft_wrap=True)

_MOST = 30
"""So many workloads are shown one by one on a terminal; a pipe gets all."""

COLOURS = {
    "Stable": "green",
    "WaitingForGate": "yellow",
    "Soaking": "yellow",
    "RollingBack": "magenta",
    "Withdrawing": "magenta",
    "Declined": "magenta",
    "Aborted": "magenta",
    "Blocked": "red",
    "Refused": "red",
}

_VERDICTS = {
    Verdict.NO_CHANGE: "green",
    Verdict.CONTROL_ONLY: "green",
    Verdict.SCALE_ONLY: "cyan",
    Verdict.NEW: "cyan",
    Verdict.RESTART: "yellow",
    Verdict.TOPOLOGY: "magenta",
    Verdict.DELETED: "magenta",
    Verdict.REJECT: "red",
    Verdict.BLOCK: "red",
}


@contextmanager
def working(on: str) -> Iterator[None]:
    """Show on a terminal that something is being done, and for how long; elsewhere say nothing."""
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=err, transient=True, disable=not err.is_terminal) as progress:
        progress.add_task(on, total=None)
        yield


def show_pass(report: Report, voice: Voice) -> None:
    """Print a pass: workloads that moved or wait, what is refused, what was written."""
    if report.idle:
        out.print("Nothing new since the last pass.")
        if report.still_refused:
            again = f"gitops-rollout plan{voice.options}"
            err.print(f"[red]refused[/] something is refused still; to see it: {escape(again)}")
        return
    told = [one for one in report.workloads if _tells(one, voice(one))]
    most = _MOST if out.is_terminal else len(told)
    for one in told[:most]:
        show_workload(one, voice, long=voice.tense is Tense.WOULD or bool(one.words))
    if told[most:]:
        more = f"gitops-rollout status{voice.options}"
        out.print(f"… and {len(told) - most} more workloads; all of them: {escape(more)}")
    _show_rest(len(report.workloads) - len(told))
    show_problems(report.problems, report.warnings, shown=_problems(told[:most]), notes=told)
    _show_written(report, voice)


def _tells(report: WorkloadReport, concluded: Conclusion) -> bool:
    """Say whether there is anything to tell about a workload but that nothing happens to it."""
    return bool(report.words or report.notes or report.problems or concluded.reason not in {"Stable", "Kept"})


def _show_rest(count: int) -> None:
    if count:
        out.print(f"{count} workload{'s are' if count > 1 else ' is'} stable and unchanged.", style="dim")


def _show_written(report: Report, voice: Voice) -> None:
    """Say what was written, or would be; last, where people look."""
    if voice.tense is Tense.DID:
        commits = ", ".join(commit[:10] for commit in report.commits)
        out.print(
            f"Committed {commits}." if commits else "Gates brought up to date." if report.asked else _IDLE
        )
        return
    counted = [(len(report.commits), "commit"), (report.asked, "gate")]
    many = " and ".join(f"{count} {word}{'s' * (count > 1)}" for count, word in counted if count)
    if many:
        out.print(f"The next pass writes {many}: {escape(f'gitops-rollout once{voice.options}')}")
    else:
        out.print("The next pass writes nothing.")


_IDLE = "Nothing to write."


def show_workload(report: WorkloadReport, voice: Voice, *, long: bool = False) -> None:
    """Print one workload; `long`: what the offered revision changes, too."""
    concluded = voice(report)
    colour = COLOURS.get(concluded.reason, "cyan")
    words = f"next pass: {report.words}" if voice.tense is Tense.WOULD else report.words
    done = f" ({escape(words)})" if report.words and concluded.reason != "PassDue" else ""
    name = f"[bold]{typed(report.key)}[/]"
    out.print(f"{name}: [{colour}]{concluded.reason}[/], {escape(concluded.message)}{done}")
    if report.impact is not None and long:
        show_impact(report.impact)
    if report.state is not None and (answered := requests_text(report.state)):
        out.print(f"  requests: {escape(answered)}")
    for problem in report.problems:
        err.print(f"  [red]refused[/] {escape(str(problem))}")
    for problem in report.blocked:
        err.print(f"  [red]blocked[/] {escape(str(problem))}")
    if concluded.waiting is not None:
        out.print(f"  [bold]→[/] {escape(str(concluded.waiting))}")


def show_policies(origins: Mapping[WorkloadKey, Iterable[Origin]]) -> None:
    """Print each value of the policies, and where it comes from."""
    for key, fields in origins.items():
        out.print(f"\n[bold]{typed(key)}[/] policy")
        for field in fields:
            out.print(f"  {escape(field.field)}: {escape(field.value)}  [dim]({escape(field.origin)})[/]")


def show_impact(impact: Impact) -> None:
    """Print what a change does: components, values old → new, warnings."""
    for one in impact.components:
        if one.verdict is not Verdict.NO_CHANGE:
            out.print(f"  [{_VERDICTS[one.verdict]}]{escape(component_line(one))}[/]")
    for change in impact.changes:
        out.print(f"  {escape(change_line(change))}")
    for warning in impact.warnings:
        out.print(f"  [yellow]warning[/] {escape(str(warning))}")


def verdict_words(verdict: Verdict) -> str:
    """Give a verdict in its colour."""
    return f"[{_VERDICTS[verdict]}]{verdict}[/]"


def show_closing(report: Report, voice: Voice) -> None:
    """Print the line that ends a status: what is waited for, since when, who can move it, how."""
    waits = [(one.key, waiting) for one in report.workloads if (waiting := voice(one).waiting) is not None]
    first = longest(waits)
    theirs = sum(1 for _, waiting in waits if waiting.how or waiting.command)
    if not report.workloads:
        out.print("There is no workload in this pipeline yet.")
    elif first is not None:
        others = f"{theirs} workloads wait; the longest: " if theirs > 1 else ""
        out.print(f"{others}{typed(first[0])} {escape(str(first[1]))}")
    elif waits:
        out.print(f"{typed(waits[0][0])} {escape(str(waits[0][1]))}")
    else:
        out.print("Nothing waits for anybody.")


def show_problems(
    problems: Iterable[Problem],
    warnings: Iterable[Problem],
    *,
    shown: frozenset[Problem] = frozenset(),
    notes: Iterable[WorkloadReport] = (),
) -> None:
    """Print warnings and refusals to standard error, each once; `notes`: those of workloads, first."""
    _show_notes(notes)
    for warning in dict.fromkeys(warnings):
        err.print(f"[yellow]warning[/] {escape(str(warning))}")
    for problem in dict.fromkeys(problems):
        if problem not in shown:
            err.print(f"[red]refused[/] {escape(str(problem))}")


def _show_notes(reports: Iterable[WorkloadReport]) -> None:
    for note, keys in shared_notes(reports).items():
        names = [typed(key) for key in keys]
        more = f" and {len(names) - 3} more" if len(names) > 3 else ""
        err.print(f"[yellow]warning[/] {', '.join(names[:3])}{more}: {escape(str(note))}")


def _problems(reports: Iterable[WorkloadReport]) -> frozenset[Problem]:
    return frozenset(problem for one in reports for problem in one.problems)
