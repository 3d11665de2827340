"""Commands that look at both repositories: once, plan, status, history."""

from datetime import UTC, datetime
from typing import Annotated

import typer

from gitops_rollout.cli import as_json, screen
from gitops_rollout.cli.exits import Exit
from gitops_rollout.cli.settings import Form, Namespace, Output, Where, Workload, workload_key
from gitops_rollout.conclude import conclude
from gitops_rollout.errors import Refused
from gitops_rollout.report import Report, WorkloadReport
from gitops_rollout.revision.words import named
from gitops_rollout.wiring import opened

Only = Annotated[str | None, typer.Argument(help="Only this workload: ms/chat")]


def once(where: Where, form: Output = Form.TEXT) -> None:
    """Do exactly one pass: read both repositories, commit what follows, ask what is due.

    Exit codes: 0 fine, 1 an error, 2 bad settings, 3 some input was refused and the rest went on.
    """
    with opened(where.settings, where.pipeline) as pipeline:
        report = pipeline.once(datetime.now(UTC))
    _show(report, form)
    raise typer.Exit(Exit.REFUSED if report.refused else Exit.FINE)


def plan(
    where: Where,
    form: Output = Form.TEXT,
    explain_policy: Annotated[
        bool, typer.Option("--explain-policy", help="Print every value of each policy and where it came from")
    ] = False,
) -> None:
    """Say what the next pass would write and ask, and write nothing."""
    with opened(where.settings, where.pipeline) as pipeline:
        report = pipeline.preview(datetime.now(UTC))
        origins = pipeline.explained() if explain_policy else {}
    if form is Form.JSON:
        policies = {
            str(key): [{"field": one.field, "value": one.value, "from": one.origin} for one in fields]
            for key, fields in origins.items()
        }
        as_json.show({**as_json.report_json(report), **({"policies": policies} if origins else {})})  # type: ignore[dict-item]
    else:
        for one in report.workloads:
            screen.show_workload(one, long=True)
        screen.show_problems(report.problems, report.warnings)
        for key, fields in origins.items():
            screen.out.print(f"\n[bold]{key}[/] policy")
            for field in fields:
                screen.out.print(f"  {field.field}: {field.value}  [dim]({field.origin})[/]")
    raise typer.Exit(Exit.REFUSED if report.refused else Exit.FINE)


def status(
    where: Where, workload: Only = None, namespace: Namespace = None, form: Output = Form.TEXT
) -> None:
    """Say where every rollout stands; the last line says what it waits for and who can move it."""
    report = _read(where)
    if workload is not None:
        report = _only(report, find(report, where, workload, namespace))
    if form is Form.JSON:
        as_json.show(as_json.report_json(report))
        return
    if workload is None:
        screen.show_table(report)
        screen.show_problems(report.problems, report.warnings)
    else:
        screen.show_workload(report.workloads[0], long=True)
    waiting = [waits for one in report.workloads if (waits := conclude(one).waiting) is not None]
    if workload is None:
        screen.out.print(f"{waiting[0]}" if len(waiting) == 1 else _summary(len(waiting)))


def history(where: Where, workload: Workload, namespace: Namespace = None, form: Output = Form.TEXT) -> None:
    """List the recorded revisions of a workload, the newest first."""
    report = _read(where)
    found = find(report, where, workload, namespace)
    if found.history is None:
        raise Refused(f"{found.key} has no history yet")
    rows = as_json.history_json(found.history, found)
    if form is Form.JSON:
        as_json.show({**as_json.key_json(found.key), "revisions": rows})
        return
    for row in rows if isinstance(rows, list) else []:
        if isinstance(row, dict):
            role = f"  [green]{row['role']}[/]" if row["role"] else ""
            screen.out.print(f"{row['number']:>4}  {named(found.history, str(row['revision']))}{role}")


def find(report: Report, where: Where, words: str, namespace: str | None) -> WorkloadReport:
    """Find a workload of a report; Refused when the pipeline has none of this name."""
    key = workload_key(words, namespace, where.pipeline)
    found = next((one for one in report.workloads if one.key == key), None)
    if found is None:
        raise Refused(f"there is no {key} in this pipeline")
    return found


def _read(where: Where) -> Report:
    with opened(where.settings, where.pipeline) as pipeline:
        return pipeline.preview(datetime.now(UTC))


def _only(report: Report, one: WorkloadReport) -> Report:
    return Report(report.pipeline, report.source, report.output, (one,))


def _summary(waiting: int) -> str:
    return f"{waiting} workloads wait for somebody." if waiting else "Nothing waits for anybody."


def _show(report: Report, form: Form) -> None:
    if form is Form.JSON:
        as_json.show(as_json.report_json(report))
    else:
        screen.show_pass(report)
