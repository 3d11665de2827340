"""Branches that others rendered say which commit they were made from, in a file `hydrator.metadata`."""

import json
import re
from collections.abc import Sequence

from gitops_rollout.api.values import Json, mapping, text
from gitops_rollout.ports import Trees
from gitops_rollout.source.source import Dry

_NAME = "hydrator.metadata"
_COMMIT = re.compile(r"[0-9a-f]{40}([0-9a-f]{24})?", re.ASCII)
_LONGEST_AUTHOR = 200


def read_dry(repository: Trees, commit: str, paths: Sequence[str]) -> Dry | None:
    """Give what the file in one of `paths`, else at the root, says; None when none says a commit."""
    for folder in (*paths, ""):
        raw = repository.read(commit, f"{folder}/{_NAME}".removeprefix("/"))
        dry = _read(raw) if raw is not None else None
        if dry is not None:
            return dry
    return None


def _read(raw: bytes) -> Dry | None:
    try:
        value: Json = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    fields = mapping(value)
    commit = text(fields.get("drySha"))
    author = "".join(letter for letter in text(fields.get("author")) if letter.isprintable())
    return Dry(commit, author[:_LONGEST_AUTHOR]) if _COMMIT.fullmatch(commit) else None
