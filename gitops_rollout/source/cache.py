"""What reading a file once gives, kept by what the file holds: unchanged files are not read again.

A cache is disposable. It may forget anything at any time, and it may be shared and kept for ever: a
key names the content (git's object id), this program's way of reading and what it was told.
"""

from collections.abc import MutableMapping
from dataclasses import dataclass, field
from typing import Protocol


class Cache(Protocol):
    """Bytes by key; keys are short and of plain characters."""

    def get(self, key: str) -> bytes | None:
        """Give what was put, or None when it was forgotten or never there."""
        ...

    def put(self, key: str, value: bytes) -> None: ...


@dataclass(frozen=True, slots=True)
class MemoryCache:
    """A cache for the life of one process."""

    entries: MutableMapping[str, bytes] = field(default_factory=dict)

    def get(self, key: str) -> bytes | None:
        """Give what was put, None when nothing was."""
        return self.entries.get(key)

    def put(self, key: str, value: bytes) -> None:
        """Keep `value` until the process ends."""
        self.entries[key] = value
