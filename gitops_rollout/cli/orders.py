"""Commands with which people decide: gate list, approve, decline, retry, and abort."""

from datetime import UTC, datetime
from typing import Annotated

import typer

from gitops_rollout.approve import approve as merge
from gitops_rollout.cli import as_json, screen
from gitops_rollout.cli.passes import find, ordered, show_done, standing
from gitops_rollout.cli.settings import Aim, Form, Output, Where, aimed, somewhere
from gitops_rollout.cli.voice import voice
from gitops_rollout.conclude import Tense
from gitops_rollout.errors import Refused
from gitops_rollout.kinds.registry import typed
from gitops_rollout.rollout.draft import Order
from gitops_rollout.wiring import opened

gate = typer.Typer(
    help="The questions that are open: list, approve, decline, ask again.", no_args_is_help=True
)


def listed(where: Where, form: Output = Form.TEXT) -> None:
    """List the open gates, and what each of them asks."""
    with opened(where.settings, where.pipeline) as pipeline, screen.working("Reading both repositories"):
        report = standing(pipeline)
    asked = [one for one in report.workloads if one.gate is not None and one.branch]
    speak = voice(where, Tense.STANDS)
    if form is Form.JSON:
        as_json.show([as_json.workload_json(one, speak) for one in asked])
        return
    for one in asked:
        screen.show_workload(one, speak, long=True)
    if not asked:
        screen.out.print("No gate is open.")
    if not report.settled:
        screen.out.print(f"A pass is due, which may ask something else: gitops-rollout once{where.options}")


def approved(
    aim: Aim,
    step: Annotated[str | None, typer.Option("--step", help="Only if this is the step that is asked")] = None,
    form: Output = Form.TEXT,
) -> None:
    """Approve the open step: merge its gate branch, then do a pass that acts on it."""
    where = aim.where
    with opened(where.settings, where.pipeline) as pipeline, screen.working("Approving, and doing a pass"):
        found = find(standing(pipeline), aim)
        name, gate = typed(found.key), found.gate
        if gate is None or found.gate_from is not None:
            waits = voice(where, Tense.STANDS)(found).waiting
            raise Refused(f"{name} has no open gate" + (f": it {waits}" if waits else ""))
        if not found.branch:
            raise Refused(
                f"{name}: what it asks changes with the next pass: gitops-rollout once{where.options}"
            )
        if step is not None and step != gate.step:
            raise Refused(f"{name} asks for step {gate.step}, not for {step}")
        merge(pipeline.output, pipeline.pipeline, found, pipeline.us)
        report = pipeline.once(datetime.now(UTC))
    show_done(report, where, form)


def declined(aim: Aim, form: Output = Form.TEXT) -> None:
    """Decline the open step: stay here. The same revision is not asked about again until `retry`."""
    ordered(aim, Order.DECLINE, form)


def retried(aim: Aim, form: Output = Form.TEXT) -> None:
    """Offer a declined or aborted revision again."""
    ordered(aim, Order.RETRY, form)


def aborted(aim: Aim, form: Output = Form.TEXT) -> None:
    """Go back to stable. The revision is not offered again until the source wants another one, or `retry`."""
    ordered(aim, Order.ABORT, form)


gate.command("list")(somewhere(listed))
gate.command("approve")(aimed(approved))
gate.command("decline")(aimed(declined))
gate.command("retry")(aimed(retried))
