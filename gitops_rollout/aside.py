"""The part of a pass that is beside the workloads: other objects, aggregates (DESIGN 3, 6)."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from gitops_rollout.api.problems import Problem
from gitops_rollout.output.listing import AGGREGATES, Output
from gitops_rollout.render.root import (
    Listing,
    OtherObject,
    kept_kind,
    listed,
    render_aggregates,
    render_others,
    taken,
)
from gitops_rollout.rollout.deletion import Item
from gitops_rollout.source.source import ObjectKey, Source


@dataclass(frozen=True, slots=True)
class Aside:
    """Other objects as published and as wanted, by folder below the root."""

    listings: Mapping[str, Listing] = field(default_factory=dict)
    wanted: Mapping[str, tuple[OtherObject, ...]] = field(default_factory=dict)
    refused: frozenset[str] = frozenset()
    """Files, as folder/name, of objects that are in the source and cannot be used."""
    frozen: frozenset[str] = frozenset()
    """Folders that stay as they are."""
    warnings: tuple[Problem, ...] = ()

    def published(self) -> dict[Item, bool]:
        """Give every object that is published, and whether it is wanted still (or never removed)."""
        return {
            (folder.partition("/")[0], f"{folder}/{name}"): self._stays(folder, name, listing.files[name])
            for folder, listing in self.listings.items()
            for name in listing.ours
            if name in listing.files
        }

    def _stays(self, folder: str, name: str, raw: bytes) -> bool:
        wanted = any(one.filename == name for one in self.wanted.get(folder, ()))
        return wanted or f"{folder}/{name}" in self.refused or kept_kind(raw)


def read_aside(source: Source, output: Output) -> Aside:
    """Read what stands beside the workloads; nothing is written where people are in the way."""
    wanted: dict[str, list[OtherObject]] = {}
    in_the_way: set[str] = set()
    names: set[str] = set()
    for key, other in sorted(source.others.items()):
        one = _object(key, other.raw)
        name = f"{one.folder}/{one.filename}"
        # Two groups may give one name: the first keeps it, whatever the order in the source.
        path = output.path(name) if name in names else output.obstacle(name)
        names.add(name)
        in_the_way |= {path} if path else set()
        wanted.setdefault(one.folder, []).extend([] if path else [one])
    refused = frozenset(f"{(one := _object(key, b'')).folder}/{one.filename}" for key in source.held)
    listings = {folder: output.listing(folder) for folder in sorted({*wanted, *output.other_folders()})}
    frozen = {
        folder: path for folder, listing in listings.items() if (path := _people_s(output, folder, listing))
    }
    in_the_way |= {path for folder, path in frozen.items() if folder in wanted}
    return Aside(
        {folder: listing for folder, listing in listings.items() if folder not in frozen},
        {folder: tuple(objects) for folder, objects in wanted.items()},
        refused,
        frozenset(frozen),
        tuple(taken(path) for path in sorted(in_the_way)),
    )


def leave_aside(output: Output) -> Aside:
    """Leave everything beside the workloads as it is."""
    return Aside(frozen=frozenset(output.other_folders()))


def _people_s(output: Output, folder: str, listing: Listing) -> str:
    """Name what people have where this folder's kustomization belongs; empty: nothing."""
    path = f"{folder}/kustomization.yaml"
    return output.obstacle(path) or (output.path(path) if listing.theirs else "")


def _object(key: ObjectKey, raw: bytes) -> OtherObject:
    return OtherObject(key.namespace, key.group, key.kind, key.name, raw)


@dataclass(frozen=True, slots=True)
class After:
    """What stands after this pass: the workloads' folders by half, and the files of `_others` folders
    (as folder/name) whose place an owned route has taken. `held`: nothing else is removed.
    """

    halves: Mapping[str, Collection[str]]
    replaced: Collection[str]
    held: bool


def aside_changes(
    aside: Aside, output: Output, after: After
) -> tuple[dict[str, bytes | None], tuple[Problem, ...]]:
    """Give the files to change below the root, and warnings."""
    files: dict[str, bytes | None] = {}
    warnings: list[Problem] = []
    folders: list[str] = []
    for folder, listing in aside.listings.items():
        stays = {name.rpartition("/")[2] for name in aside.refused if name.startswith(f"{folder}/")}
        gone = {name.rpartition("/")[2] for name in after.replaced if name.startswith(f"{folder}/")}
        wanted, kept = aside.wanted.get(folder, ()), None if after.held else stays
        rendered = render_others(folder, wanted, listing, kept, gone)
        files.update(rendered.files)
        warnings += rendered.warnings
        if rendered.listed:
            folders.append(folder)
    before = output.aggregates()
    folders += aside.frozen & set(listed(before.get("kustomization.yaml")))
    aggregates = render_aggregates(after.halves, folders, before)
    in_the_way = {path for name in AGGREGATES if (path := output.obstacle(name)) is not None}
    warnings += [*aggregates.warnings, *map(taken, sorted(in_the_way))]
    return {**files, **aggregates.files}, (*aside.warnings, *warnings)
