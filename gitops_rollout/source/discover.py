"""Which files of a commit are read: *.yaml and *.yml below the configured folders.

Left out in silence: other names, and everything in folders whose name begins with a dot. Left out with
a word: Helm charts (Chart.yaml beside values.yaml), submodules. A folder with a kustomization is built
and never read file by file, nor is anything below it.

Codes: OUT_OF_BOUNDS a link that may not be followed; NAME a name that cannot be said; LIMIT a file
that is too large, judged before it is read. Warnings: CHART_SKIPPED, SUBMODULE_SKIPPED.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from gitops_rollout.api.problems import Problem
from gitops_rollout.errors import BadSettings
from gitops_rollout.ports import SUBMODULE, Entry, Trees
from gitops_rollout.source.links import REGULAR, SYMLINK, OutOfBounds, resolve

KUSTOMIZATIONS = ("kustomization.yaml", "kustomization.yml", "Kustomization")
_YAML = (".yaml", ".yml")


@dataclass(frozen=True, slots=True)
class File:
    """One file to read: `path` is where people see it, `oid` what it holds."""

    path: str
    oid: str


@dataclass(frozen=True, slots=True)
class Discovered:
    """What stands below the configured folders; every problem is content that nobody has seen."""

    files: tuple[File, ...]
    kustomizations: Mapping[str, Entry]
    """The kustomization file of each folder that has one."""
    problems: tuple[Problem, ...]
    warnings: tuple[Problem, ...]


def discover(repository: Trees, commit: str, paths: Sequence[str], file_bytes: int) -> Discovered:
    """Find what is to be read below `paths`; BadSettings when there is nothing at one of them."""
    everything = [entry for path in paths for entry in _below(repository, commit, path)]
    entries = [entry for entry in everything if entry.path.isprintable()]
    charts = _charts(entries)
    entries = [entry for entry in entries if not within(entry.path, charts)]
    kustomizations = {
        parent(entry.path): entry
        for entry in entries
        if entry.mode in (*REGULAR, SYMLINK) and _name(entry.path) in KUSTOMIZATIONS
    }
    plain = [entry for entry in entries if not within(entry.path, kustomizations)]
    warnings = [_skipped_chart(chart) for chart in sorted(charts)]
    warnings += [_skipped_submodule(entry) for entry in plain if entry.mode == SUBMODULE]
    files, problems = _files(repository, commit, [entry for entry in plain if entry.path.endswith(_YAML)])
    problems += [_unspeakable(entry) for entry in everything if not entry.path.isprintable()]
    oversized = [entry for entry in files if (entry.size or 0) > file_bytes]
    problems += [_too_large(entry, file_bytes) for entry in oversized]
    kept = tuple(File(entry.path, entry.oid) for entry in files if (entry.size or 0) <= file_bytes)
    return Discovered(kept, kustomizations, tuple(problems), tuple(warnings))


def _below(repository: Trees, commit: str, path: str) -> Iterator[Entry]:
    found = False
    skip = len(path) + 1 if path else 0
    for entry in repository.walk(commit, path):
        found = True
        if "/." not in f"/{entry.path[skip:]}":
            yield entry
    if not found:
        message = f"there is nothing in folder {path or '.'} of the source at {commit[:12]}; see source.paths"
        raise BadSettings(message)


def _files(repository: Trees, commit: str, entries: Sequence[Entry]) -> tuple[list[Entry], list[Problem]]:
    """Follow links; one to a file that is read anyway, or already was, is not read again."""
    files = [entry for entry in entries if entry.mode in REGULAR]
    known = {entry.path for entry in files}
    problems: list[Problem] = []
    for link in (entry for entry in entries if entry.mode == SYMLINK):
        try:
            target = resolve(repository, commit, link)
        except OutOfBounds as error:
            problems.append(Problem(file=link.path, code="OUT_OF_BOUNDS", message=str(error)))
            continue
        if target.path not in known:
            known.add(target.path)
            files.append(Entry(link.path, target.mode, target.oid, _size(repository, commit, target)))
    return files, problems


def _size(repository: Trees, commit: str, target: Entry) -> int | None:
    """Give the size of a link's target: one level of a tree does not say it."""
    listed = repository.walk(commit, parent(target.path))
    return next((entry.size for entry in listed if entry.path == target.path), None)


def _charts(entries: Sequence[Entry]) -> dict[str, None]:
    names: dict[str, set[str]] = {}
    for entry in entries:
        if entry.path.endswith(("Chart.yaml", "values.yaml")):
            names.setdefault(parent(entry.path), set()).add(_name(entry.path))
    found = {folder for folder, held in names.items() if {"Chart.yaml", "values.yaml"} <= held}
    return {folder: None for folder in found if not within(folder, dict.fromkeys(found))}


def within(path: str, folders: Mapping[str, object]) -> bool:
    """Say whether `path` stands somewhere below one of `folders`."""
    if not folders:
        return False
    while path:
        path = parent(path)
        if path in folders:
            return True
    return False


def parent(path: str) -> str:
    return path.rpartition("/")[0]


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _skipped_chart(folder: str) -> Problem:
    message = "this folder is a Helm chart and is not read; commit what it renders"
    return Problem(file=folder or ".", code="CHART_SKIPPED", message=message)


def _skipped_submodule(entry: Entry) -> Problem:
    return Problem(file=entry.path, code="SUBMODULE_SKIPPED", message="a submodule is not read")


def _unspeakable(entry: Entry) -> Problem:
    """Refuse a name that no message could repeat: control characters, or no UTF-8."""
    shown = "".join(letter if letter.isprintable() else "?" for letter in entry.path)
    message = "a name with control characters, or that is not UTF-8, is not read; rename it"
    return Problem(file=shown, code="NAME", message=message)


def _too_large(entry: Entry, limit: int) -> Problem:
    message = f"{entry.size} bytes are more than {limit} (limits.fileBytes)"
    return Problem(file=entry.path, code="LIMIT", message=message)
