"""The table of a status: one line a workload, what needs somebody last, next to the closing line."""

from collections.abc import Sequence

import typer
from rich.console import Console
from rich.markup import escape
from rich.measure import Measurement
from rich.table import Table

from gitops_rollout.cli.screen import COLOURS, out
from gitops_rollout.cli.voice import Voice
from gitops_rollout.kinds.registry import typed
from gitops_rollout.report import Report, WorkloadReport
from gitops_rollout.rollout.state import State

_WIDE = 10_000
_COLUMNS = ("WORKLOAD", "STATE", "STABLE", "CANDIDATE", "PARTITION", "REQUESTS", "WAITS FOR")
_FEWER = (
    (),
    ("WAITS FOR",),
    ("WAITS FOR", "STABLE"),
    ("WAITS FOR", "STABLE", "CANDIDATE", "PARTITION", "REQUESTS"),
)
"""What is left out, less first, where the terminal is too narrow: the lines below the table say it."""


def show_table(report: Report, voice: Voice) -> None:
    """Print all workloads; a terminal gets whole columns or none of them, a pipe every column."""
    rows = [_row(one, voice) for one in sorted(report.workloads, key=lambda one: _order(one, voice))]
    if not rows:
        return
    unused = () if any(row["REQUESTS"] for row in rows) else ("REQUESTS",)
    tables = [_table(rows, (*without, *unused)) for without in _FEWER]
    fitting = [one for one in tables if _width(one) <= out.width]
    if out.is_terminal and fitting:
        out.print(fitting[0])
    else:
        typer.echo(_plain(tables[-1] if out.is_terminal else tables[0]))


def _plain(table: Table) -> str:
    """Give the text of a table that nothing limits, without blanks at the ends of lines."""
    wide = Console(width=_WIDE, color_system=None)
    with wide.capture() as captured:
        wide.print(table)
    return "\n".join(line.rstrip() for line in captured.get().splitlines())


def _order(report: WorkloadReport, voice: Voice) -> tuple[bool, str, str]:
    concluded = voice(report)
    return concluded.waiting is not None, report.key.namespace, report.key.name


def _row(report: WorkloadReport, voice: Voice) -> dict[str, str]:
    concluded, state = voice(report), report.state
    colour = COLOURS.get(concluded.reason, "cyan")
    due = concluded.reason == "PassDue"
    partition = state.published.partition if state and not due else None
    return {
        "WORKLOAD": typed(report.key),
        "STATE": f"[{colour}]{concluded.reason}[/]",
        "STABLE": state.stable if state and not due else "",
        "CANDIDATE": (state.candidate or state.offered or "") if state and not due else "",
        "PARTITION": "" if partition is None else escape(_partition(partition)),
        "REQUESTS": "" if state is None or due else _requests(state),
        "WAITS FOR": escape(concluded.waiting.what) if concluded.waiting else "",
    }


def _partition(partition: int | dict[str, int]) -> str:
    if isinstance(partition, int):
        return str(partition)
    return " ".join(f"{role}={number}" for role, number in partition.items())


def _requests(state: State) -> str:
    """Say what reaches the candidate."""
    weight = f"{state.published.weight} %" if state.published.weight else ""
    return " + ".join(part for part in (weight, "header" if state.published.header else "") if part)


def _table(rows: Sequence[dict[str, str]], without: Sequence[str]) -> Table:
    columns = [name for name in _COLUMNS if name not in without]
    table = Table(box=None, pad_edge=False)
    for name in columns:
        table.add_column(name, no_wrap=True)
    for row in rows:
        table.add_row(*(row[name] for name in columns))
    return table


def _width(table: Table) -> int:
    return Measurement.get(out, out.options.update(max_width=_WIDE), table).maximum
