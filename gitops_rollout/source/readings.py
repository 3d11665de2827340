"""Reads files and builds once in their life; what they hold is kept in the cache by content."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeAlias
from zlib import crc32

from gitops_rollout.api.problems import Problem
from gitops_rollout.documents.load import Document, Limits, Unreadable, load
from gitops_rollout.ports import Trees
from gitops_rollout.source.build import Builder
from gitops_rollout.source.cache import Cache
from gitops_rollout.source.discover import File
from gitops_rollout.source.identify import Terms, identify
from gitops_rollout.source.item import Item, Reading, decode, encode
from gitops_rollout.source.kustomization import NotBuilt
from gitops_rollout.source.kustomize import Folder, Kustomizations, built

Parsed: TypeAlias = tuple[Reading, Mapping[str, bytes]]
"""What was read, and the bodies of its items by digest."""
_BATCH = 64
_MISSING = "kubectl or kustomize is needed to build this folder; install one, or name it in the settings"


@dataclass(frozen=True)
class Readings:
    """Gives what files and folders hold. Without `builder` no folder is built."""

    repository: Trees
    terms: Terms
    cache: Cache
    limits: Limits = field(default_factory=Limits)
    builder: Builder | None = None

    def files(self, files: Sequence[File]) -> list[Reading]:
        """Read files, or remember what they hold: batch by batch where a whole batch is unchanged."""
        return [reading for batch in _batches(files) for reading in self._batch(batch)]

    def folder(self, kustomizations: Kustomizations, folder: Folder) -> Reading:
        """Build a folder, or remember what came out. What was not built is tried again every time."""
        if self.builder is None:
            return Reading(problem=Problem(file=folder.file, code="KUSTOMIZE_MISSING", message=_MISSING))
        try:
            told = f"{kustomizations.key(folder)} {self.builder.version} {self.builder.most}"
            key = f"build-{self._told}-{hashlib.sha256(told.encode()).hexdigest()}"
            raw = self.cache.get(key)
            if raw is not None:
                return decode(raw, [folder.file])[0]
            return self._keep(key, folder.file, self.build(kustomizations, folder, self.builder))
        except NotBuilt as error:
            return Reading(problem=replace(error.problem, file=folder.file))

    def parse(self, file: File) -> Parsed:
        """Read a file, whatever the cache knows."""
        raw = self.repository.blob(file.oid)
        try:
            documents = load(raw, self.limits)
        except Unreadable as error:
            return Reading(problem=replace(error.problem, file=file.path)), {}
        return self._identified((document, file.path) for document in documents)

    def build(self, kustomizations: Kustomizations, folder: Folder, builder: Builder) -> Parsed:
        """Build a folder and read the output, whatever the cache knows. Raises NotBuilt."""
        try:
            documents = load(kustomizations.build(folder, builder), self.limits)
        except Unreadable as error:
            raise NotBuilt(error.problem.code, f"what was built cannot be read: {error.problem}") from None
        reading, bodies = self._identified(built(document, folder) for document in documents)
        via = folder.path or "."
        return Reading(tuple(replace(item, via=via) for item in reading.items)), bodies

    @cached_property
    def _told(self) -> str:
        return f"{self.terms.key}-{hashlib.sha256(repr(self.limits).encode()).hexdigest()[:8]}"

    def _identified(self, documents: Iterable[tuple[Document, str]]) -> Parsed:
        items = []
        bodies = {}
        for document, file in documents:
            item, body = identify(document, file, self.terms)
            items.append(item)
            if item.body:
                bodies[item.body] = body
        return Reading(tuple(items)), bodies

    def _batch(self, batch: Sequence[File]) -> list[Reading]:
        paths = [file.path for file in batch]
        told = "\n".join(f"{file.oid} {file.path}" for file in batch)
        key = f"batch-{self._told}-{hashlib.sha256(told.encode()).hexdigest()}"
        raw = self.cache.get(key)
        if raw is not None:
            return decode(raw, paths)
        readings = [self._file(file) for file in batch]
        self.cache.put(key, encode(readings, paths))
        return readings

    def _file(self, file: File) -> Reading:
        key = f"file-{self._told}-{file.oid}"
        raw = self.cache.get(key)
        return (
            decode(raw, [file.path])[0] if raw is not None else self._keep(key, file.path, self.parse(file))
        )

    def _keep(self, key: str, file: str, parsed: Parsed) -> Reading:
        reading, bodies = parsed
        # Bodies first: whoever finds the reading finds what it speaks of.
        for digest, body in bodies.items():
            self.cache.put(f"body-{digest}", body)
        self.cache.put(key, encode([reading], [file]))
        return reading


def _batches(files: Sequence[File]) -> Iterable[Sequence[File]]:
    """Part files by their paths, so that a change touches one batch and a new file moves no other."""
    mask = (1 << (len(files) // _BATCH).bit_length()) - 1
    batches: dict[int, list[File]] = {}
    for file in files:
        batches.setdefault(crc32(file.path.encode()) & mask, []).append(file)
    return batches.values()


@dataclass(frozen=True, slots=True)
class Bodies:
    """Gives the content of an item out of the cache, or by reading again where it was forgotten."""

    readings: Readings
    kustomizations: Kustomizations
    files: Mapping[str, File]
    folders: Mapping[str, Folder]

    def __call__(self, item: Item) -> bytes:
        kept = self.readings.cache.get(f"body-{item.body}")
        return kept if kept is not None else self._again(item)[item.body]

    def _again(self, item: Item) -> Mapping[str, bytes]:
        if not item.via or self.readings.builder is None:
            return self.readings.parse(self.files[item.file])[1]
        folder = self.folders["" if item.via == "." else item.via]
        return self.readings.build(self.kustomizations, folder, self.readings.builder)[1]
