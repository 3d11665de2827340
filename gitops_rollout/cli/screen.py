"""What people see: colours and tables on a terminal, plain text in a pipe."""

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from gitops_rollout.api.problems import Problem
from gitops_rollout.conclude import conclude, typed
from gitops_rollout.render.text import impact_lines
from gitops_rollout.report import Report, WorkloadReport

out = Console(highlight=False, soft_wrap=True)
err = Console(stderr=True, highlight=False, soft_wrap=True)

_COLOURS = {
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


def show_pass(report: Report) -> None:
    """Print what a pass did: commits, workloads that moved or wait, refusals last."""
    if report.idle:
        out.print("Nothing new since the last pass.")
        return
    for one in report.workloads:
        show_workload(one)
    for warning in report.warnings:
        err.print(f"[yellow]warning[/] {escape(str(warning))}")
    for problem in report.problems:
        err.print(f"[red]refused[/] {escape(str(problem))}")
    if report.commits:
        out.print(f"Committed {', '.join(commit[:10] for commit in report.commits)}.")
    elif not report.asked:
        out.print("Nothing to write.")


def show_workload(report: WorkloadReport, *, long: bool = False) -> None:
    """Print one workload; `long`: what the offered revision changes, too."""
    concluded = conclude(report)
    colour = _COLOURS.get(concluded.reason, "cyan")
    done = f" ({escape(report.words)})" if report.words else ""
    out.print(
        f"[bold]{typed(report.key)}[/]: [{colour}]{concluded.reason}[/], {escape(concluded.message)}{done}"
    )
    if report.impact is not None and (long or report.words):
        for line in impact_lines(report.impact):
            out.print(f"  {escape(line)}")
    for note in report.notes:
        err.print(f"  [yellow]warning[/] {escape(str(note))}")
    for problem in (*report.problems, *report.blocked):
        err.print(f"  [red]refused[/] {escape(str(problem))}")
    if concluded.waiting is not None:
        out.print(f"  [bold]→[/] {escape(str(concluded.waiting))}")


def show_table(report: Report) -> None:
    """Print all workloads as a table, one line each."""
    table = Table("NAMESPACE", "WORKLOAD", "STATE", "STABLE", "CANDIDATE", "PARTITION", "WAITS FOR", box=None)
    for one in report.workloads:
        concluded, state = conclude(one), one.state
        colour = _COLOURS.get(concluded.reason, "cyan")
        table.add_row(
            one.key.namespace,
            typed(one.key).partition(" ")[0],
            f"[{colour}]{concluded.reason}[/]",
            state.stable if state else "",
            (state.candidate or state.offered or "") if state else "",
            "" if state is None or state.published.partition is None else str(state.published.partition),
            escape(concluded.waiting.what) if concluded.waiting else "",
        )
    out.print(table)


def show_problems(problems: tuple[Problem, ...], warnings: tuple[Problem, ...]) -> None:
    """Print warnings and refusals to standard error."""
    for warning in warnings:
        err.print(f"[yellow]warning[/] {escape(str(warning))}")
    for problem in problems:
        err.print(f"[red]refused[/] {escape(str(problem))}")
