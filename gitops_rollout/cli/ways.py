"""Commands for the ways back and forward: rollback, resume, promote, import-history."""

from pathlib import Path
from typing import Annotated

import typer

from gitops_rollout.api.values import Json
from gitops_rollout.cli.passes import ordered
from gitops_rollout.cli.settings import Aim, Form, Output
from gitops_rollout.documents.load import Limits, load
from gitops_rollout.documents.unreadable import Unreadable
from gitops_rollout.errors import BadSettings
from gitops_rollout.rollout.draft import Order, Word


def rollback(
    aim: Aim,
    to: Annotated[str, typer.Option("--to", help="The recorded revision to go back to, see history")],
    form: Output = Form.TEXT,
) -> None:
    """Go to an earlier revision and stay there until the source wants something else, or `resume`.

    It is let in by the policy's steps, or through one gate within the policy's rollbackWindow.
    """
    ordered(aim, Order(Word.ROLLBACK, revision=to), form)


def resume(aim: Aim, form: Output = Form.TEXT) -> None:
    """End a rollback that is held: the source is followed again."""
    ordered(aim, Order.RESUME, form)


def promote(
    aim: Aim,
    to: Annotated[str, typer.Option("--to", help="The step to go to at once")],
    skip_soak: Annotated[
        bool, typer.Option("--skip-soak", help="Do not wait for the soak that is on")
    ] = False,
    reason: Annotated[str, typer.Option("--reason", help="Why; needed with --skip-soak")] = "",
    form: Output = Form.TEXT,
) -> None:
    """Approve every step up to one of them by command, as merging its gate would."""
    ordered(aim, Order(Word.PROMOTE, step=to, reason=reason, skip_soak=skip_soak), form)


def import_history(
    aim: Aim,
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE…", help="From kubectl get controllerrevisions -o yaml")
    ],
    form: Output = Form.TEXT,
) -> None:
    """Keep ControllerRevisions of an older Kthena as baselines. Nothing that runs is touched.

    A baseline holds the historical roles with the scheduler and the plugins of today's spec; it is
    pinned, and never rebuilt. Files may hold anything else beside: it is passed over.
    """
    values = tuple(value for file in files for value in _objects(file))
    ordered(aim, Order(Word.IMPORT, legacy=values), form)


def _objects(file: Path) -> list[Json]:
    """Read a file of objects, a kubectl List too."""
    try:
        documents = load(file.read_bytes(), Limits())
    except OSError as error:
        raise BadSettings(f"{file}: {error.strerror}") from None
    except Unreadable as error:
        raise BadSettings(f"{file}: {error.problem.message}") from None
    found: list[Json] = []
    for document in documents:
        value = document.value
        items = value.get("items") if isinstance(value, dict) else None
        found += items if isinstance(items, list) else [value]
    return found
