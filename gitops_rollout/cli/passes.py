"""Commands that look at both repositories: once, plan, status."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Annotated

import typer

from gitops_rollout.cli import as_json, screen
from gitops_rollout.cli.exits import Exit
from gitops_rollout.cli.settings import Aim, Form, Namespace, Output, Where, workload_key
from gitops_rollout.cli.table import show_table
from gitops_rollout.cli.voice import only_asked, voice
from gitops_rollout.conclude import Tense
from gitops_rollout.errors import Refused
from gitops_rollout.kinds.registry import typed
from gitops_rollout.publish import GATES
from gitops_rollout.report import Report, WorkloadReport
from gitops_rollout.rollout.draft import Order
from gitops_rollout.wiring import Opened, opened

Only = Annotated[str | None, typer.Argument(help="Only this workload: ms/chat")]


def once(where: Where, form: Output = Form.TEXT) -> None:
    """Do exactly one pass: read both repositories, commit what follows, ask what is due.

    Exit codes: 0 fine, 1 an error, 2 bad settings, 3 some input was refused and the rest went on.
    """
    with opened(where.settings, where.pipeline) as pipeline, screen.working("Doing a pass"):
        report = pipeline.once(datetime.now(UTC))
    show_done(report, where, form)


def plan(
    where: Where,
    form: Output = Form.TEXT,
    explain_policy: Annotated[
        bool, typer.Option("--explain-policy", help="Print every value of each policy and where it came from")
    ] = False,
) -> None:
    """Say what the next pass would write and ask, and write nothing.

    Exit codes: 0 fine, 1 an error, 2 bad settings, 3 some input is refused.
    """
    with opened(where.settings, where.pipeline) as pipeline, screen.working("Planning the next pass"):
        report = pipeline.preview(datetime.now(UTC))
        origins = pipeline.explained() if explain_policy else {}
    speak = voice(where, Tense.WOULD)
    if form is Form.JSON:
        told = as_json.report_json(report, speak)
        as_json.show({**told, "policies": as_json.policies_json(origins)} if explain_policy else told)
    else:
        screen.show_pass(report, speak)
        screen.show_policies(origins)
    raise typer.Exit(Exit.REFUSED if report.refused else Exit.FINE)


def status(
    where: Where, workload: Only = None, namespace: Namespace = None, form: Output = Form.TEXT
) -> None:
    """Say where every rollout stands; the last line says what it waits for and who can move it.

    Exit codes: 0 whatever is found, 1 an error, 2 bad settings.
    """
    with opened(where.settings, where.pipeline) as pipeline, screen.working("Reading both repositories"):
        report = standing(pipeline)
    if workload is not None:
        aim = Aim(where, workload_key(workload, namespace, where.pipeline))
        report = replace(report, workloads=(find(report, aim),))
    speak = voice(where, Tense.STANDS)
    if form is Form.JSON:
        as_json.show(as_json.report_json(report, speak))
        return
    if workload is None:
        show_table(report, speak)
        screen.show_problems(report.problems, report.warnings, notes=report.workloads)
        screen.show_closing(report, speak)
    else:
        screen.show_problems((), (), notes=report.workloads)
        screen.show_workload(report.workloads[0], speak, long=True)


def show_done(report: Report, where: Where, form: Form) -> None:
    """Show a pass that was done, and exit as it ended."""
    speak = voice(where, Tense.DID)
    if form is Form.JSON:
        as_json.show(as_json.report_json(report, speak))
    else:
        screen.show_pass(report, speak)
    raise typer.Exit(Exit.REFUSED if report.refused else Exit.FINE)


def standing(pipeline: Opened) -> Report:
    """Give how things stand: what a pass foresees, with only those gates that can be merged now."""
    report = pipeline.preview(datetime.now(UTC))
    asked = pipeline.output.refs(GATES)
    return only_asked(report, frozenset(ref.removeprefix("refs/heads/") for ref in asked))


def ordered(aim: Aim, order: Order, form: Form) -> None:
    """Do a pass that follows the order of a person about one workload, and show it."""
    with opened(aim.where.settings, aim.where.pipeline) as pipeline, screen.working("Doing a pass"):
        find(pipeline.preview(datetime.now(UTC)), aim)
        report = pipeline.once(datetime.now(UTC), {aim.key: order})
    show_done(report, aim.where, form)


def find(report: Report, aim: Aim) -> WorkloadReport:
    """Find a workload of a report; Refused when the pipeline has none of this name."""
    key = aim.key
    found = next((one for one in report.workloads if one.key == key), None)
    if found is None:
        alike = [typed(one.key) for one in report.workloads if one.key.name == key.name]
        hint = f"is it {' or '.join(alike)}?" if alike else f"see gitops-rollout status{aim.where.options}"
        raise Refused(f"there is no {typed(key)} in this pipeline; {hint}")
    return found
