"""Commands that look at files only: diff and validate. No cluster, no forge, no network."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated, cast

import jsonpatch
import typer

from gitops_rollout.adapters.disk import CommitTree, DiskTree
from gitops_rollout.api.graph_terms import Strategy
from gitops_rollout.api.problems import Problem
from gitops_rollout.api.values import Json, Object
from gitops_rollout.api.verdict import Impact, Verdict
from gitops_rollout.api.workload import Spec, WorkloadKey
from gitops_rollout.cli import as_json, screen
from gitops_rollout.cli.exits import Exit
from gitops_rollout.cli.settings import Form, Output
from gitops_rollout.errors import BadSettings
from gitops_rollout.kinds.protocol import Kept, Kind
from gitops_rollout.kinds.registry import KINDS, kind_named, typed
from gitops_rollout.render.text import impact_lines, joined
from gitops_rollout.rollout.beside_birth import foretold
from gitops_rollout.source.build import Builder, find_binary
from gitops_rollout.source.cache import MemoryCache
from gitops_rollout.source.identify import Terms
from gitops_rollout.source.reader import Reader
from gitops_rollout.source.readings import Readings
from gitops_rollout.source.source import Source


class DiffForm(StrEnum):
    """How a diff is printed; `jsonpatch` is RFC 6902 against the old source text."""

    TEXT = "text"
    JSON = "json"
    JSONPATCH = "jsonpatch"
    MARKDOWN = "markdown"


@dataclass(frozen=True, slots=True)
class Side:
    """One side as it was read; `prefix` makes its files what people can open (or show with git)."""

    source: Source
    prefix: str

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Give what is refused."""
        return self._placed(self.source.problems)

    @property
    def policies(self) -> tuple[Problem, ...]:
        """Give what is wrong with the policies of the workloads here, once they are put together.

        A policy that is only named here may stand elsewhere.
        """
        source = self.source
        found = (problem for key in sorted(source.specs) for problem in source.policy(key).problems)
        return self._placed(one for one in found if one.code != "POLICY_UNKNOWN")

    @property
    def warnings(self) -> tuple[Problem, ...]:
        """Give what is accepted with a word."""
        return self._placed(self.source.warnings)

    def strategy(self, key: WorkloadKey) -> Strategy | None:
        """Give the strategy that the policies here give a workload."""
        return self.source.policy(key).policy.strategy

    def may_hold(self, key: WorkloadKey) -> bool:
        """Say whether a workload that was not accepted may stand here all the same."""
        return self.source.unreadable or key in self.source.refused

    def placed(self, impact: Impact, spec: Spec | None) -> Impact:
        """Say of what an update is refused for, and warned about, where it stands."""
        rejections = impact.rejections
        if spec is not None:
            rejections = tuple(one.within(spec.file, spec.document) for one in rejections)
        return replace(impact, warnings=self._placed(impact.warnings), rejections=self._placed(rejections))

    def _placed(self, problems: Iterable[Problem]) -> tuple[Problem, ...]:
        prefix = self.prefix.removeprefix("./")
        return tuple(replace(one, file=f"{prefix}{one.file}") if one.file else one for one in problems)


@dataclass(frozen=True, slots=True)
class Compared:
    """One workload on both sides."""

    key: WorkloadKey
    impact: Impact
    old: Spec | None
    new: Spec | None


def diff(
    old: Annotated[str, typer.Argument(metavar="A", help="A file, a folder, or a git revision")],
    new: Annotated[str, typer.Argument(metavar="B", help="What A becomes")],
    form: Annotated[DiffForm, typer.Option("-o", help="text, json, jsonpatch or markdown")] = DiffForm.TEXT,
    exit_code: Annotated[
        bool, typer.Option("--exit-code", help="Exit 4 when something would restart")
    ] = False,
    path: Annotated[str, typer.Option("--path", help="Folder to read of a revision")] = "",
) -> None:
    """Say what really changes between A and B: what restarts, how many pods, and what does not.

    Exit codes: 0 fine, 2 bad usage, 3 some input was refused, 4 (with --exit-code) something restarts.
    """
    with ExitStack() as stack, screen.working("Comparing"):
        before, after = read_side(stack, old, path), read_side(stack, new, path)
        compared = list(compare(before, after))
    rejected = (one for each in compared for one in each.impact.rejections)
    errors = tuple(dict.fromkeys((*before.problems, *after.problems, *rejected)))
    _SHOWN[form](compared, errors)
    if errors:
        raise typer.Exit(Exit.REFUSED)
    restarts = any(one.impact.restarts for one in compared)
    raise typer.Exit(Exit.RESTARTS if exit_code and restarts else Exit.FINE)


def validate(
    paths: Annotated[list[str], typer.Argument(metavar="PATH…", help="Files or folders (or git revisions)")],
    form: Output = Form.TEXT,
) -> None:
    """Check specs and policies as a pass would, every problem of every file at once.

    Exit codes: 0 fine, 2 bad usage, 3 something is refused.
    """
    with ExitStack() as stack, screen.working("Checking"):
        sides = [read_side(stack, path) for path in paths]
    problems = tuple(problem for side in sides for problem in (*side.problems, *side.policies))
    warnings = tuple(warning for side in sides for warning in side.warnings)
    count = sum(len(side.source.specs) for side in sides)
    if form is Form.JSON:
        as_json.show(
            {
                "workloads": [as_json.key_json(key) for side in sides for key in sorted(side.source.specs)],
                "errors": as_json.problems_json(problems),
                "warnings": as_json.problems_json(warnings),
            }
        )
    else:
        screen.show_problems(problems, warnings)
        many = f"{len(problems)} problem{'s' if len(problems) != 1 else ''}"
        screen.out.print(f"{count} workload{'s' if count != 1 else ''} fine, {many}.")
    raise typer.Exit(Exit.REFUSED if problems else Exit.FINE)


def read_side(stack: ExitStack, place: str, below: str = "") -> Side:
    """Read a file, a folder or a git revision the way a pass reads its source."""
    path = Path(place)
    if path.is_dir():
        return Side(_reader(DiskTree(path), "").read(""), f"{path}/")
    if path.is_file():
        return Side(_reader(DiskTree(path.parent, path.name), "").read(""), f"{path.parent}/")
    try:
        tree = stack.enter_context(closing(CommitTree(Path(), place)))
    except BadSettings as error:
        raise BadSettings(f"{place!r} is neither a file nor a folder, nor a git revision: {error}") from None
    return Side(_reader(tree, below).read(tree.commit), f"{place}:")


def compare(before: Side, after: Side) -> Iterator[Compared]:
    """Compare every workload that stands on either side.

    What one side refuses is compared with nothing, and where a file cannot be read nothing is told
    new or deleted: it may stand in there.
    """
    for key in sorted({*before.source.specs, *after.source.specs}):
        old, new = before.source.specs.get(key), after.source.specs.get(key)
        kind = kind_named(key.kind)
        if old is not None and new is not None and kind is not None:
            impact = kind.under(after.strategy(key)).impact(old, new)
            impact = replace(impact, warnings=(*impact.warnings, *_routers(kind, key, before, after)))
            yield Compared(key, after.placed(impact, new), old, new)
        elif not (after if new is None else before).may_hold(key):
            verdict = Verdict.NEW if old is None else Verdict.DELETED
            warnings = new.warnings if new else ()
            yield Compared(key, after.placed(Impact(verdict, warnings=warnings), new), old, new)


def _routers(kind: Kind, key: WorkloadKey, before: Side, after: Side) -> tuple[Problem, ...]:
    """Say whether a rollout from one side to the other would be of routers alone."""
    declared, policy = before.source.policy(key).policy.contracts, after.source.policy(key).policy
    beside = kind.under(policy.strategy).beside
    if beside is None or policy.gateway is None:
        return ()
    was, spec = before.source.specs[key].text, after.source.specs[key]
    old = Kept(was, beside.router_contracts(was, declared))
    new = Kept(spec.text, beside.router_contracts(spec.text, policy.contracts))
    found = beside.routers_alone(old, new, spec.controls, policy.gateway.component)
    return foretold(found, "a rollout of it", "stable")


def patch(old: Spec, new: Spec) -> list[Object]:
    """Give the RFC 6902 patch of the source text, tried out before it is given."""
    made = jsonpatch.make_patch(old.text, new.text)
    if made.apply(old.text) != new.text:
        raise AssertionError("a patch must give what it was made from")
    return cast("list[Object]", made.patch)


def _reader(tree: DiskTree | CommitTree, path: str) -> Reader:
    binary = find_binary(None)
    readings = Readings(tree, Terms(KINDS), MemoryCache(), builder=Builder(binary) if binary else None)
    return Reader(readings, (path,))


def _text(compared: list[Compared], errors: tuple[Problem, ...]) -> None:
    for one in compared:
        screen.out.print(f"[bold]{typed(one.key)}[/]: {screen.verdict_words(one.impact.verdict)}")
        screen.show_impact(one.impact)
    if not compared and not errors:
        screen.out.print("No workload on either side.")
    screen.show_problems(errors, ())


def _json(compared: list[Compared], errors: tuple[Problem, ...]) -> None:
    workloads: Json = [{**as_json.key_json(one.key), **as_json.impact_json(one.impact)} for one in compared]
    as_json.show({"workloads": workloads, "errors": as_json.problems_json(errors)})


def _jsonpatch(compared: list[Compared], errors: tuple[Problem, ...]) -> None:
    patches = {str(one.key): patch(one.old, one.new) for one in compared if one.old and one.new}
    alone = next(iter(patches.values()), []) if len(compared) <= 1 else patches
    typer.echo(json.dumps(alone, indent=2, ensure_ascii=False))
    screen.show_problems(errors, ())


def _markdown(compared: list[Compared], errors: tuple[Problem, ...]) -> None:
    for one in compared:
        typer.echo(f"### {one.key}: {one.impact.verdict}\n\n{joined(impact_lines(one.impact))}")
    screen.show_problems(errors, ())


_SHOWN: Mapping[DiffForm, Callable[[list[Compared], tuple[Problem, ...]], None]] = {
    DiffForm.TEXT: _text,
    DiffForm.JSON: _json,
    DiffForm.JSONPATCH: _jsonpatch,
    DiffForm.MARKDOWN: _markdown,
}
