"""What one document of a source turned out to be, before it is compared with the others."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from gitops_rollout.api.problems import Problem
from gitops_rollout.api.values import Json, Object


class Sort(StrEnum):
    """Where a document goes."""

    SPEC = "spec"
    REFUSED = "refused"
    """A workload whose identity is known and whose spec is refused."""
    OTHER = "other"
    KEPT = "kept"
    """Another object that is not published, such as a Secret: it is there, and not ours."""
    POLICY = "policy"
    ROLLOUT = "rollout"
    FREEZE = "freeze"
    UNKNOWN = "unknown"
    """It cannot be told what this is: nothing may be taken for deleted while it stands there."""
    NOTHING = "nothing"
    """Refused, and known to be nothing of ours."""


@dataclass(frozen=True, slots=True)
class Item:
    """One document; `body` is the digest of what is kept of its content, and its key in the cache.

    `namespace` is empty for cluster-scoped objects; `marks` are its annotations gitops-rollout.io/….
    """

    sort: Sort
    document: int
    group: str = ""
    kind: str = ""
    namespace: str = ""
    name: str = ""
    file: str = ""
    body: str = ""
    marks: Mapping[str, str] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()
    warnings: tuple[Problem, ...] = ()
    value: "Object | None" = None
    """The document itself, for policies only."""
    via: str = ""
    """The folder whose kustomization made the document; it then counts as document 0 of `file`."""

    @property
    def place(self) -> str:
        """Say where the document stands, in words."""
        return f"{self.file} (built by {self.via})" if self.via else f"{self.file} (document {self.document})"

    def refused(self, problem: Problem) -> "Item":
        """Give the same document, refused for one more reason."""
        sort = Sort.REFUSED if self.sort in (Sort.SPEC, Sort.REFUSED) else self.sort
        return replace(self, sort=sort, problems=(*self.problems, problem.within(self.file, self.document)))


@dataclass(frozen=True, slots=True)
class Reading:
    """What one file, or one build, holds. `problem` set: it could not be read at all."""

    items: tuple[Item, ...] = ()
    problem: Problem | None = None


def encode(readings: Sequence[Reading], files: Sequence[str]) -> bytes:
    """Write readings for the cache, without `files`: the same content may stand elsewhere one day."""
    written = [
        [
            _problem_row(reading.problem, file) if reading.problem else None,
            [_row(item, file) for item in reading.items],
        ]
        for reading, file in zip(readings, files, strict=True)
    ]
    return json.dumps(written, ensure_ascii=False, separators=(",", ":")).encode()


def decode(raw: bytes, files: Sequence[str]) -> list[Reading]:
    """Read what `encode` wrote; `files` is where the contents stand now."""
    return [
        Reading(tuple([_item(row, file) for row in rows]), _problem(problem, file) if problem else None)
        for (problem, rows), file in zip(json.loads(raw.decode()), files, strict=True)
    ]


def _row(item: Item, file: str) -> list[Json]:
    """Give the flat fields, then the rest where there is any: most documents have no rest."""
    flat: list[Json] = [item.sort.value, item.document, item.group, item.kind, item.namespace, item.name]
    flat += ["" if item.file == file else item.file, item.body]
    if not (item.via or item.marks or item.problems or item.warnings or item.value is not None):
        return flat
    problems: list[Json] = [_problem_row(problem, file) for problem in item.problems]
    warnings: list[Json] = [_problem_row(warning, file) for warning in item.warnings]
    return [*flat, dict(item.marks), problems, warnings, item.value, item.via]


def _item(row: Sequence[Any], file: str) -> Item:
    sort, document, group, kind, namespace, name, own, body, *rest = row
    item = Item(_SORTS[sort], document, group, kind, namespace, name, own or file, body)
    if not rest:
        return item
    marks, problems, warnings, value, via = rest
    return replace(
        item,
        marks=marks,
        problems=tuple(_problem(problem, file) for problem in problems),
        warnings=tuple(_problem(warning, file) for warning in warnings),
        value=value,
        via=via,
    )


def _problem_row(problem: Problem, file: str) -> list[Json]:
    own = "" if problem.file == file else problem.file
    return [own, problem.document, problem.path, problem.code, problem.message]


def _problem(row: Sequence[Any], file: str) -> Problem:
    own, *rest = row
    return Problem(own or file, *rest)


_SORTS = {sort.value: sort for sort in Sort}
