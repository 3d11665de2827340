"""Commands that show what is recorded: history, and render, which restores it whole."""

from dataclasses import replace
from typing import Annotated

import typer

from gitops_rollout.api.workload import WHOLE, Spec
from gitops_rollout.cli import as_json, screen
from gitops_rollout.cli.records import recorded
from gitops_rollout.cli.settings import Aim, Form, Output
from gitops_rollout.documents.emit import emit
from gitops_rollout.errors import BadSettings, Refused
from gitops_rollout.kinds.protocol import Kind
from gitops_rollout.kinds.registry import kind_named, typed
from gitops_rollout.revision.record import Revision
from gitops_rollout.revision.words import named
from gitops_rollout.rollout.beside_birth import told
from gitops_rollout.rollout.counted import shown_controls
from gitops_rollout.rollout.draft import Head
from gitops_rollout.wiring import opened


def history(
    aim: Aim,
    show: Annotated[str | None, typer.Option("--show", help="Print the source text of this revision")] = None,
    diff: Annotated[
        tuple[str, str] | None, typer.Option("--diff", help="Say what changes from one revision to another")
    ] = None,
    form: Output = Form.TEXT,
) -> None:
    """List the recorded revisions of a workload, the newest first."""
    head = _head(aim)
    if show is not None:
        _printed(dict(_revision(head, show).text), form)
        return
    if diff is not None:
        _diff(aim, head, diff, form)
        return
    rows = as_json.history_json(head)
    if form is Form.JSON:
        as_json.show({**as_json.key_json(aim.key), "revisions": [*rows]})
        return
    for row in rows:
        role = f"  [green]{row['role']}[/]" if row["role"] else ""
        screen.out.print(f"{row['number']:>4}  {named(head.history, str(row['revision']))}{role}")


def render(
    aim: Aim,
    revision: Annotated[
        str | None, typer.Option("--revision", help="A recorded revision, see history")
    ] = None,
    ordinal: Annotated[
        int | None, typer.Option("--ordinal", min=0, help="What this ordinal is re-created as")
    ] = None,
    component: Annotated[
        str | None, typer.Option("--role", help="Whose ordinal, where roles roll on their own")
    ] = None,
    form: Output = Form.TEXT,
) -> None:
    """Print a workload as a recorded revision makes it, under today's replicas and rollout controls.

    The whole historical template: scheduler, plugins, entry and worker layout. A role that only
    history has comes with one replica; one that only today's spec has is left out (Kthena #1799).
    """
    if (revision is None) == (ordinal is None):
        raise BadSettings("name one of --revision and --ordinal")
    head = _head(aim)
    kind, state = _kind(aim).under(head.file.state.strategy), head.file.state
    name = revision if revision is not None else _of_ordinal(kind, head, ordinal or 0, component)
    found, controls = _revision(head, name), shown_controls(kind, state)
    value = kind.render(found.text, controls, found.injection, None)
    metadata = value.get("metadata")
    own = {"name": aim.key.name, "namespace": aim.key.namespace}
    _printed({**value, "metadata": {**(metadata if isinstance(metadata, dict) else {}), **own}}, form)


def _of_ordinal(kind: Kind, head: Head, ordinal: int, component: str | None) -> str:
    """Name the revision that Kthena makes an ordinal from: below the threshold it is stable."""
    state = head.file.state
    if kind.counted is not None:
        raise BadSettings("its partitions count replicas, and no replica has an ordinal: name a --revision")
    by_role = kind.by_component(state.accepted.controls)
    if by_role and component is None:
        raise BadSettings("its roles roll on their own: name one with --role")
    threshold = (state.partition or {}).get((component or WHOLE) if by_role else WHOLE, 0)
    serving = state.candidate if state.offered is not None else None
    return serving if serving is not None and ordinal >= threshold else state.stable


def _head(aim: Aim) -> Head:
    with opened(aim.where.settings, aim.where.pipeline) as pipeline:
        head = recorded(pipeline, aim.key)
    if head is None:
        every = f"gitops-rollout status{aim.where.options}"
        raise Refused(f"nothing of {typed(aim.key)} is published; what there is: {every}")
    return head


def _kind(aim: Aim) -> Kind:
    kind = kind_named(aim.key.kind)
    if kind is None:
        raise BadSettings(f"{aim.key.kind} is of a kind that is not known")
    return kind


def _revision(head: Head, name: str) -> Revision:
    found = head.history.get(name)
    if found is None:
        known = ", ".join(one.id for one in reversed(head.history.revisions))
        raise Refused(f"{name} is not recorded; known are {known}")
    return found


def _diff(aim: Aim, head: Head, names: tuple[str, str], form: Form) -> None:
    old, new = (
        Spec(aim.key, _revision(head, name).text, head.file.state.accepted.controls) for name in names
    )
    impact = _kind(aim).under(head.file.state.strategy).impact(old, new)
    impact = replace(impact, warnings=(*impact.warnings, *told(head.file.state, names[1])))
    if form is Form.JSON:
        as_json.show(
            {**as_json.key_json(aim.key), "from": names[0], "to": names[1], **as_json.impact_json(impact)}
        )
    else:
        screen.out.print(f"[bold]{typed(aim.key)}[/]: {screen.verdict_words(impact.verdict)}")
        screen.show_impact(impact)


def _printed(value: dict[str, object], form: Form) -> None:
    if form is Form.JSON:
        as_json.show(value)  # type: ignore[arg-type]
    else:
        typer.echo(emit(value), nl=False)  # type: ignore[arg-type]
