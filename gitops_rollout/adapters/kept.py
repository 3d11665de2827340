"""A cache in one SQLite file: what reading a file once gave, by content (source/cache.py).

Disposable like every cache: a file that cannot be used is made anew, and where nothing can be
written nothing is kept.
"""

import sqlite3
from contextlib import suppress
from pathlib import Path
from typing import cast
from zlib import crc32


class KeptCache:
    """Bytes by key, kept between processes. `close` writes what was put."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._database = _opened(path)

    def get(self, key: str) -> bytes | None:
        """Give what was put, None when nothing was or it cannot be read any more."""
        try:
            row = self._database.execute("SELECT value, sum FROM kept WHERE key = ?", (key,)).fetchone()
        except sqlite3.Error:
            self._forget()
            return None
        return cast(bytes, row[0]) if row is not None and row[1] == _sum(key, row[0]) else None

    def put(self, key: str, value: bytes) -> None:
        """Keep `value`, where that is possible."""
        try:
            self._database.execute(
                "INSERT OR REPLACE INTO kept VALUES (?, ?, ?)", (key, value, _sum(key, value))
            )
        except sqlite3.Error:
            self._forget()

    def close(self) -> None:
        """Write what was put; a full disk only makes the next pass slower."""
        with suppress(sqlite3.Error):
            self._database.commit()
        with suppress(sqlite3.Error):
            self._database.close()

    def _forget(self) -> None:
        """Go on with nothing kept."""
        with suppress(sqlite3.Error):
            self._database.close()
        _remove(self._path)
        self._database = _opened(self._path)


def _opened(path: Path) -> sqlite3.Connection:
    for place in (path, path, Path(":memory:")):
        try:
            if place == path:
                path.parent.mkdir(parents=True, exist_ok=True)
            database = sqlite3.connect(place)
            database.execute("PRAGMA synchronous = OFF")
            database.execute(
                "CREATE TABLE IF NOT EXISTS kept (key TEXT PRIMARY KEY, value BLOB, sum INT) WITHOUT ROWID"
            )
            return database
        except (sqlite3.Error, OSError):
            _remove(path)
    raise AssertionError("a database in memory can always be opened")


def _remove(path: Path) -> None:
    """Remove the file, and the journal that would be played back into its successor."""
    for file in (path, path.with_name(f"{path.name}-journal")):
        with suppress(OSError):
            file.unlink()


def _sum(key: str, value: bytes) -> int:
    # SQLite does not notice when a value is damaged on the disk.
    return crc32(value, crc32(key.encode()))
