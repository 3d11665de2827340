"""The command that plays a rollout before anybody merges it. No cluster, no git, no network."""

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, get_type_hints

import typer
from rich.markup import escape
from rich.table import Table

from gitops_rollout.api.values import Json, Object
from gitops_rollout.cli import as_json, screen
from gitops_rollout.cli.exits import Exit
from gitops_rollout.cli.settings import Form, Output
from gitops_rollout.errors import BadSettings
from gitops_rollout.simulate.faults import Faults, told
from gitops_rollout.simulate.invariants import INVARIANTS, OTHERS
from gitops_rollout.simulate.moments import Count
from gitops_rollout.simulate.picture import picture
from gitops_rollout.simulate.promises import Finding
from gitops_rollout.simulate.run import Played, played
from gitops_rollout.simulate.timeline import Row, percent, replicas_text, requests_text
from gitops_rollout.simulate.wishes import AFTER, BEFORE, NotPlayable, Wishes

_ACTORS = {
    "people": "yellow",
    "source": "cyan",
    "command": "magenta",
    "clock": "red",
    "pods": "red",
    "service": "green",
}
_FAULTS = "none, some (everyday ones), all, or names with commas between them: " + ", ".join(told())


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What stands on the command line."""

    before: Annotated[Path, typer.Argument(metavar="BEFORE", help="The manifest as it is published now")]
    after: Annotated[Path, typer.Argument(metavar="AFTER", help="What a merge would make of it")]
    policy: Annotated[
        list[Path] | None,
        typer.Option("--policy", help="File with its policy, or its route; may be repeated"),
    ] = None
    faults: Annotated[str, typer.Option("--faults", help=_FAULTS)] = "none"
    seed: Annotated[int, typer.Option("--seed", help="Faults are drawn from it: equal seeds, equal runs")] = 0
    form: Output = Form.TEXT
    svg: Annotated[Path | None, typer.Option("--svg", help="Write a picture of the run there")] = None


def simulate(**told: object) -> None:
    """Play a rollout to its end in a simulated world, and check every safety invariant after every step.

    The plan, the commits and the gates are the real ones; the cluster, its controller, the gateway, whoever
    applies the output and the people who merge are simulated. Start with the two manifests alone, add the
    policy, then `--faults some` and `--faults all` under several seeds.

    Exit codes: 0 fine, 1 an invariant broke or the rollout does not end, 2 bad usage, 3 input was refused.
    """
    asked = Asked(**told)  # type: ignore[arg-type]
    faults = _faults(asked.faults)
    try:
        with screen.working("Playing"):
            run = played(_wishes(asked), faults, asked.seed)
    except NotPlayable as error:
        screen.show_problems(error.problems, ())
        raise typer.Exit(Exit.REFUSED) from None
    if asked.svg is not None:
        title = f"{asked.before.name} → {asked.after.name}"
        _written(asked.svg, picture(title, run.timeline, run.revisions))
    if asked.form is Form.JSON:
        as_json.show(_json(run, faults, asked.seed))
    else:
        _text(run, faults, asked.seed)
    raise typer.Exit(Exit.FINE if run.fine else Exit.FAILED)


# Typer reads what a command takes from its signature.
vars(simulate)["__signature__"] = inspect.signature(Asked).replace(return_annotation=None)
simulate.__annotations__ = get_type_hints(Asked, include_extras=True)


def _faults(words: str) -> Faults:
    try:
        return Faults.named(words)
    except ValueError as error:
        raise BadSettings(f"--faults: {error}") from None


def _wishes(asked: Asked) -> Wishes:
    names = {BEFORE: _told(asked.before), AFTER: _told(asked.after)}
    manifests = {BEFORE: _read(asked.before), AFTER: _read(asked.after)}
    return Wishes(manifests, names, {_told(path): _read(path) for path in asked.policy or ()})


def _told(path: Path) -> str:
    """Name a file as a source does, where no path begins with a slash."""
    return str(path).removeprefix("./").lstrip("/")


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise BadSettings(f"{path}: {error.strerror}") from None


def _written(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise BadSettings(f"--svg {path}: {error.strerror}") from None


def _text(run: Played, faults: Faults, seed: int) -> None:
    for revision, file in run.revisions.items():
        screen.out.print(f"{revision}  {escape(file)}")
    if faults:
        screen.out.print(f"faults: {', '.join(faults.names)}; seed {seed}", style="dim")
    rows = run.timeline.rows
    if screen.out.is_terminal:
        screen.out.print(_table(rows))
    else:
        for row in rows:
            typer.echo("  ".join(part for part in (*_head(row), *_state(row)) if part))
    _verdict(run)


def _table(rows: tuple[Row, ...]) -> Table:
    table = Table(box=None, pad_edge=False)
    for name in ("STEP", "TIME", "WHO", "DOES", "REPLICAS", "REQUESTS"):
        table.add_column(name, no_wrap=name != "DOES")
    for row in rows:
        colour = _ACTORS.get(row.actor, "default")
        step, time, who, does = _head(row)
        table.add_row(step, time, f"[{colour}]{who}[/]", escape(does), *map(escape, _state(row)))
    return table


def _head(row: Row) -> tuple[str, str, str, str]:
    return f"{row.tick:>4}", f"{row.now:%d %b %H:%M:%S}", row.actor, row.did


def _state(row: Row) -> tuple[str, str]:
    requests = requests_text(row)
    return replicas_text(row), f"requests {requests}" if requests else ""


def _verdict(run: Played) -> None:
    checked = len(INVARIANTS) + len(OTHERS)
    for finding in run.findings:
        screen.err.print(f"[red]broken[/] {escape(str(finding))}")
    if run.fine:
        screen.out.print(f"[green]Fine[/]: {run.steps} steps, {checked} invariants held after each of them.")
    else:
        many = f"{len(run.findings)} finding{'s' if len(run.findings) > 1 else ''}"
        screen.out.print(f"[red]Not fine[/]: {many} in {run.steps} steps.")


def _json(run: Played, faults: Faults, seed: int) -> Object:
    return {
        "fine": run.fine,
        "steps": run.steps,
        "seed": seed,
        "faults": [*faults.names],
        "revisions": dict(run.revisions),
        "timeline": [_row_json(row) for row in run.timeline.rows],
        "findings": [_finding_json(one) for one in run.findings],
    }


def _row_json(row: Row) -> Json:
    return {
        "step": row.tick,
        "time": row.now.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "who": row.actor,
        "does": row.did,
        "replicas": _counts_json(row.replicas),
        "components": {name: _counts_json(parts) for name, parts in row.parts.items()},
        "requests": {name: percent(share) for name, share in row.plain.items()},
        "marked": {name: percent(share) for name, share in row.marked.items()},
    }


def _counts_json(counts: Mapping[str, Count]) -> Json:
    return {name: {"existing": count.existing, "ready": count.ready} for name, count in counts.items()}


def _finding_json(finding: Finding) -> Json:
    return {
        "step": finding.tick,
        "numbers": finding.invariant.numbers,
        "invariant": finding.invariant.sentence,
        "seen": finding.seen,
    }
