"""Commands with which people decide: gate list, approve, decline, retry, and abort."""

from datetime import UTC, datetime
from typing import Annotated

import typer

from gitops_rollout.approve import approve as merge
from gitops_rollout.cli import as_json, screen
from gitops_rollout.cli.exits import Exit
from gitops_rollout.cli.passes import find
from gitops_rollout.cli.settings import Form, Namespace, Output, Where, Workload, somewhere, workload_key
from gitops_rollout.errors import Refused
from gitops_rollout.report import Report
from gitops_rollout.rollout.draft import Order
from gitops_rollout.wiring import opened

gate = typer.Typer(
    help="The questions that are open: list, approve, decline, ask again.", no_args_is_help=True
)


def listed(where: Where, form: Output = Form.TEXT) -> None:
    """List the open gates, and what each of them asks."""
    with opened(where.settings, where.pipeline) as pipeline:
        report = pipeline.preview(datetime.now(UTC))
    asked = [one for one in report.workloads if one.gate is not None]
    if form is Form.JSON:
        as_json.show([as_json.workload_json(one) for one in asked])
        return
    for one in asked:
        screen.show_workload(one, long=True)
    if not asked:
        screen.out.print("No gate is open.")


def approved(
    where: Where,
    workload: Workload,
    namespace: Namespace = None,
    step: Annotated[str | None, typer.Option("--step", help="Only if this is the step that is asked")] = None,
    form: Output = Form.TEXT,
) -> None:
    """Approve the open step: merge its gate branch, then do a pass that acts on it."""
    with opened(where.settings, where.pipeline) as pipeline:
        found = find(pipeline.preview(datetime.now(UTC)), where, workload, namespace)
        if found.gate is None or not found.branch:
            raise Refused(f"{found.key} has no open gate")
        if step is not None and step != found.gate.step:
            raise Refused(f"{found.key} asks for step {found.gate.step}, not for {step}")
        merge(pipeline.output, pipeline.pipeline, found, pipeline.us)
        report = pipeline.once(datetime.now(UTC))
    _show(report, form)


def declined(where: Where, workload: Workload, namespace: Namespace = None, form: Output = Form.TEXT) -> None:
    """Decline the open step: stay here. The same revision is not asked about again until `retry`."""
    _ordered(where, workload, namespace, (Order.DECLINE, form))


def retried(where: Where, workload: Workload, namespace: Namespace = None, form: Output = Form.TEXT) -> None:
    """Offer a declined or aborted revision again."""
    _ordered(where, workload, namespace, (Order.RETRY, form))


def aborted(where: Where, workload: Workload, namespace: Namespace = None, form: Output = Form.TEXT) -> None:
    """Go back to stable. The revision is not offered again until the source wants another one, or `retry`."""
    _ordered(where, workload, namespace, (Order.ABORT, form))


def _ordered(where: Where, workload: str, namespace: str | None, order: tuple[Order, Form]) -> None:
    key = workload_key(workload, namespace, where.pipeline)
    with opened(where.settings, where.pipeline) as pipeline:
        report = pipeline.once(datetime.now(UTC), {key: order[0]})
    if all(one.key != key for one in report.workloads):
        raise Refused(f"there is no {key} in this pipeline")
    _show(report, order[1])


def _show(report: Report, form: Form) -> None:
    if form is Form.JSON:
        as_json.show(as_json.report_json(report))
    else:
        screen.show_pass(report)
    raise typer.Exit(Exit.REFUSED if report.refused else Exit.FINE)


gate.command("list")(somewhere(listed))
gate.command("approve")(somewhere(approved))
gate.command("decline")(somewhere(declined))
gate.command("retry")(somewhere(retried))
