"""What the last passes found, kept to be faster and never to permit something (DESIGN 2, 11).

A memory is disposable: without it a pass reads and decides everything anew, with the same result. It
is written last, after a pass that found every ref as planned.
"""

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from gitops_rollout import __version__
from gitops_rollout.api.settings import Pipeline, Settings

Quiet = Mapping[str, str]
"""Workload → fingerprint of everything that its plan came from, for those with nothing left to do."""


_DAMAGED = (OSError, ValueError, KeyError, TypeError, RecursionError)
_OID = re.compile(r"[0-9a-f]{40}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Memory:
    """Heads at which there was nothing to do from `since` until `wake`; and the workloads that were quiet."""

    heads: str = ""
    since: datetime | None = None
    wake: datetime | None = None
    refused: bool = False
    quiet: Callable[[], Quiet] = dict
    """Reads which workloads were quiet; an idle pass never asks."""
    source: str = ""
    """The source commit that was processed last."""
    output: str = ""
    """The head of the output branch that was seen last: a branch that was rewound is noticed."""

    def idle(self, heads: str, now: datetime) -> bool:
        """Say whether nothing can have come up since; a clock that was set back is a reason to look."""
        if heads != self.heads or self.since is None or now < self.since:
            return False
        return self.wake is None or now < self.wake


def fingerprint(*parts: object) -> str:
    """Give one short text for all that something depends on."""
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:32]


def settings_print(settings: Settings, pipeline: Pipeline, builder: str) -> str:
    """Give what changes with the program, the settings, and the binary that builds."""
    limits = (settings.limits, settings.timeout, settings.identity)
    return fingerprint(__version__, pipeline, limits, builder)


def read_memory(path: Path, settings: str) -> Memory:
    """Read the memory; one that is damaged or was made under other settings is empty."""
    try:
        kept = _kept(path, settings)
        since, wake = _instant(kept["since"]), _instant(kept["wake"])
        heads, refused = str(kept["heads"]), bool(kept["refused"])
        quiet = partial(_read_quiet, _beside(path), settings)
        seen = (_commit(kept["source"]), _commit(kept["output"]))
        return Memory(heads, since, wake, refused, quiet, *seen)
    except _DAMAGED:
        return Memory()


def _kept(path: Path, settings: str) -> dict[str, Any]:
    """Read one of the two files; ValueError when it was made under other settings."""
    kept: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    if kept["settings"] != settings:
        raise ValueError(path)
    return kept


def _commit(written: object) -> str:
    """Read a commit id; anything else is none that was seen."""
    return written if isinstance(written, str) and _OID.fullmatch(written) else ""


def _beside(path: Path) -> Path:
    return path.with_name(f"quiet-{path.name}")


def _read_quiet(path: Path, settings: str) -> Quiet:
    """Read which workloads were quiet; each entry names what it came from, so an old one only is useless."""
    try:
        return dict(_kept(path, settings)["quiet"])
    except _DAMAGED:
        return {}


def _instant(written: str | None) -> datetime | None:
    """Read an instant; ValueError for one without its time zone, which cannot be compared."""
    if not written:
        return None
    instant = datetime.fromisoformat(written)
    if instant.tzinfo is None:
        raise ValueError(written)
    return instant


def write_memory(path: Path, settings: str, memory: Memory, quiet: Quiet) -> None:
    """Write the memory in one go; where that fails there is none, and the next pass is slower."""
    _write(_beside(path), {"settings": settings, "quiet": dict(quiet)})
    _write(
        path,
        {
            "settings": settings,
            "heads": memory.heads,
            "since": memory.since.isoformat() if memory.since else None,
            "wake": memory.wake.isoformat() if memory.wake else None,
            "refused": memory.refused,
            "source": memory.source,
            "output": memory.output,
        },
    )


def _write(path: Path, kept: Mapping[str, object]) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        aside = path.with_suffix(".new")
        aside.write_text(json.dumps(kept), encoding="utf-8")
        aside.replace(path)
    except OSError:
        with suppress(OSError):
            path.unlink()
