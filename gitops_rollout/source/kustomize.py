"""Folders with a kustomization: which are built, out of what, and what comes out.

Every kustomization below the configured folders that no other one there refers to is built; the others
are bases, and so are components. Codes besides those of kustomization.py: KUSTOMIZE_MISSING no binary.
"""

import hashlib
import json
import posixpath
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from gitops_rollout.api.problems import Problem
from gitops_rollout.api.values import Object, at, mapping, text
from gitops_rollout.documents.emit import emit
from gitops_rollout.documents.load import Document, Limits, load
from gitops_rollout.ports import Entry, Trees
from gitops_rollout.source.build import Builder
from gitops_rollout.source.discover import KUSTOMIZATIONS
from gitops_rollout.source.kustomization import Kustomization, NotBuilt, read_kustomization
from gitops_rollout.source.links import REGULAR

_ORIGIN = "config.kubernetes.io/origin"
_MOST_EXPORTED = 64 * 2**20


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder to build: its kustomization `file`, and the folders that the build may read, by the
    path of the kustomization file of each.
    """

    path: str
    file: str
    reads: Mapping[str, Kustomization]


@dataclass(frozen=True)
class Kustomizations:
    """The kustomizations of one commit; `entries` are the files of those below the configured folders."""

    repository: Trees
    commit: str
    entries: Mapping[str, Entry]
    limits: Limits

    def roots(self) -> tuple[tuple[Folder, ...], tuple[Problem, ...]]:
        """Give the folders to build, sorted, and what is refused: nobody knows what that holds."""
        read, problems, suspected = self._read_all()
        named = suspected.keys() | {
            place for one in read.values() for place in one.places if place != one.folder
        }
        roots = [kustomization for folder, kustomization in read.items() if folder not in named]
        folders = []
        for kustomization in roots:
            file = self.entries[kustomization.folder].path
            try:
                reads = {} if kustomization.refusal else self._closure(kustomization)
            except NotBuilt as error:
                problems.append(replace(error.problem, file=file))
                continue
            if reads and not kustomization.component:
                folders.append(Folder(kustomization.folder, file, reads))
        reached = _reached(read, [root.folder for root in roots])
        circles = read.keys() - reached - _reached(read, suspected)
        problems += [_circle(self.entries[folder]) for folder in sorted(circles)]
        problems += [
            _suspected(self.entries[base], file)
            for base, file in sorted(suspected.items())
            if base not in reached
        ]
        return tuple(folders), tuple(problems)

    def _read_all(self) -> tuple[dict[str, Kustomization], list[Problem], dict[str, str]]:
        """Read every kustomization file. The last value gives the folders that one which cannot be read
        may take objects from, with its path.
        """
        read: dict[str, Kustomization] = {}
        problems = []
        suspected: dict[str, str] = {}
        for folder, entry in sorted(self.entries.items()):
            try:
                read[folder] = self._read(folder, entry)
            except NotBuilt as error:
                problems.append(replace(error.problem, file=entry.path))
                suspected |= dict.fromkeys(self._perhaps_named(entry) - {folder}, entry.path)
                continue
            refusal = read[folder].refusal
            problems += [replace(refusal, file=entry.path)] if refusal else []
        return read, problems, {base: file for base, file in suspected.items() if base in read}

    def key(self, folder: Folder) -> str:
        """Give what changes with anything that the build may read."""
        trees = [[one.folder, self.repository.tree(self.commit, one.folder)] for one in folder.reads.values()]
        return hashlib.sha256(json.dumps([folder.path, trees]).encode()).hexdigest()

    def build(self, folder: Folder, builder: Builder) -> bytes:
        """Export what the build may read, links left out, and build it. Raises NotBuilt."""
        files: dict[str, bytes] = {}
        size = 0
        for kustomization in folder.reads.values():
            for entry in self.repository.walk(self.commit, kustomization.folder):
                if entry.mode not in REGULAR or entry.path in files or not _tame(entry.path):
                    continue
                size += entry.size or 0
                if size > _MOST_EXPORTED:
                    raise NotBuilt("LIMIT", f"a build reads at most {_MOST_EXPORTED} bytes")
                files[entry.path] = self.repository.blob(entry.oid)
        # What was checked is what is built, whatever a second YAML reader would make of the file.
        files |= {path: json.dumps(one.value).encode() for path, one in folder.reads.items()}
        return builder.build(files, folder.file, folder.reads[folder.file].value)

    def _read(self, folder: str, entry: Entry) -> Kustomization:
        if entry.mode not in REGULAR:
            raise NotBuilt("OUT_OF_BOUNDS", "a kustomization that is a link is not followed")
        if (entry.size or 0) > self.limits.file_bytes:
            raise NotBuilt("LIMIT", f"more than {self.limits.file_bytes} bytes (limits.fileBytes)")
        return read_kustomization(self.repository.blob(entry.oid), folder, self.limits)

    def _perhaps_named(self, entry: Entry) -> set[str]:
        """Give the folders whose names stand in a file that cannot be read: a base is not built alone."""
        if entry.mode not in REGULAR or (entry.size or 0) > self.limits.file_bytes:
            return set(self.entries)
        words = set(re.split(rb"[^-.\w]+", self.repository.blob(entry.oid)))
        return {folder for folder in self.entries if folder.rpartition("/")[2].encode() in words}

    def _closure(self, root: Kustomization) -> Mapping[str, Kustomization]:
        """Follow `root` to every kustomization that it takes objects from, wherever it stands."""
        reads: dict[str, Kustomization] = {}
        waiting = [(self.entries[root.folder].path, root)]
        while waiting:
            file, kustomization = waiting.pop()
            if file in reads:
                continue
            if kustomization.refusal is not None:
                raise NotBuilt(kustomization.refusal.code, f"its base {kustomization.folder} is refused")
            reads[file] = kustomization
            for place in kustomization.places:
                if self.repository.tree(self.commit, place) is None:
                    message = f"{place} is not in the repository, and nothing is fetched"
                    raise NotBuilt("KUSTOMIZE_REMOTE", message, "resources")
                entry = self._file_of(place)
                if entry is not None:
                    waiting.append((entry.path, self._read(place, entry)))
        return dict(sorted(reads.items()))

    def _file_of(self, folder: str) -> Entry | None:
        """Give the kustomization file of a folder; None when there is none, or it is no folder."""
        if folder in self.entries:
            return self.entries[folder]
        entries = self.repository.folder(self.commit, folder)
        return next((entry for entry in entries if entry.path.rpartition("/")[2] in KUSTOMIZATIONS), None)


def _reached(read: Mapping[str, Kustomization], starts: Iterable[str]) -> set[str]:
    """Give every folder that one of `starts` leads to, themselves too."""
    reached: set[str] = set()
    waiting = [*starts]
    while waiting:
        folder = waiting.pop()
        if folder in read and folder not in reached:
            reached.add(folder)
            waiting += read[folder].places
    return reached


def _circle(entry: Entry) -> Problem:
    message = "kustomizations that take objects from each other in a circle are not built"
    return Problem(file=entry.path, code="KUSTOMIZE_FAILED", message=message)


def _suspected(entry: Entry, refused: str) -> Problem:
    message = f"not built: {refused} cannot be read and may take objects from here"
    return Problem(file=entry.path, code="KUSTOMIZE_FAILED", message=message)


def _tame(path: str) -> bool:
    return not {"", ".", "..", ".git"} & set(path.split("/"))


def built(document: Document, folder: Folder) -> tuple[Document, str]:
    """Give a document of a build without the note of its origin, and the file that it comes from.

    It counts as document 0, and its bytes are those of our emitter.
    """
    value = document.value
    note = text(at(value, "metadata", "annotations", _ORIGIN))
    if not isinstance(value, dict) or not note:
        return replace(document, index=0), folder.file
    metadata = {**mapping(value["metadata"])}
    annotations = {name: kept for name, kept in mapping(metadata["annotations"]).items() if name != _ORIGIN}
    if annotations:
        metadata["annotations"] = annotations
    else:
        del metadata["annotations"]
    bare: Object = {**value, "metadata": metadata}
    return Document(0, 0, bare, emit(bare).encode()), _origin(note, folder)


def _origin(note: str, folder: Folder) -> str:
    """Read where kustomize says that an object comes from: a file, or the generator's kustomization."""
    said = load(note.encode(), Limits())
    value = said[0].value if said else None
    path = text(at(value, "path")) or text(at(value, "configuredIn"))
    return posixpath.normpath(posixpath.join(folder.path, path)) if path else folder.file
