"""What differs between two free values, and how its path is written."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from gitops_rollout.api.values import Json, mapping
from gitops_rollout.api.verdict import Change
from gitops_rollout.semantics.canonical import canonical_bytes


@dataclass(frozen=True, slots=True)
class Edits:
    """Changed values of one update, by what they do."""

    revision: tuple[Change, ...]
    inactive: tuple[Change, ...]
    """Values of the text that no pod follows: workers without replicas, what the operator does not read."""
    controls: tuple[Change, ...]

    def all(self) -> tuple[Change, ...]:
        return (*self.revision, *self.inactive, *self.controls)


def same(old: Json, new: Json) -> bool:
    """Say whether two forms are one value; Python alone takes 1, 1.0 and true for equal."""
    return canonical_bytes(old) == canonical_bytes(new)


def leaves(old: Json, new: Json, path: str) -> list[Change]:
    """Compare free JSON down to its leaves; lists are leaves."""
    if same(old, new):
        return []
    found: list[Change] = []
    if isinstance(old, dict) and isinstance(new, dict):
        for key in in_order(old, new):
            found += leaves(old.get(key), new.get(key), below(path, key))
    return found or [Change(path, old, new)]


def flat(path: str, value: Json) -> Iterator[tuple[str, Json]]:
    """Give path and value of every leaf; an empty mapping on its own is nothing."""
    if isinstance(value, dict) and value:
        for key, part in value.items():
            yield from flat(below(path, key), part)
    elif value != {} or "/" in path:
        yield path, value


def below(path: str, key: str) -> str:
    """Write one more step; keys that hold a slash themselves (annotations) go into brackets."""
    if "/" in key:
        return f"{path}[{key}]"
    return f"{path}/{key}" if path else key


def in_order(old: Mapping[str, object], new: Mapping[str, object]) -> list[str]:
    """Give the keys of both, in the order in which they stand, the old ones first."""
    return [*old, *(key for key in new if key not in old)]


def differing(old: Mapping[str, Json], new: Mapping[str, Json]) -> Iterator[Change]:
    """Compare values by published path, ordered by path."""
    for path in sorted(old.keys() | new.keys()):
        if not same(old.get(path), new.get(path)):
            yield Change(path, old.get(path), new.get(path))


def listed(value: Json, field: str) -> list[Json]:
    """Give a list below a pod template's spec."""
    found = mapping(mapping(value).get("spec")).get(field)
    return found if isinstance(found, list) else []
