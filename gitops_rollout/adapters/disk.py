"""Trees over folders of the disk and over a repository at hand: what `diff` and `validate` read.

A folder reads like one commit whose name is empty: the same discovery, the same refusals. Links are
never followed here; whoever reads decides what a link means.
"""

import os
from collections.abc import Iterator
from pathlib import Path

from gitops_rollout.adapters.command import GitCommand
from gitops_rollout.adapters.objects import Objects
from gitops_rollout.errors import BadSettings
from gitops_rollout.ports import FOLDER, Entry

_LOCAL_SECONDS = 60.0
_SKIPPED = {".git", ".venv", "node_modules"}


class DiskTree:
    """The files below `root`; with `only`, just that one file."""

    def __init__(self, root: Path, only: str | None = None) -> None:
        self._root = root
        self._only = only

    def tree(self, commit: str, path: str = "") -> str | None:
        """Give a name for what is at `path`; it is not known by content."""
        return f"disk:{path}" if os.path.lexists(self._root / path) else None

    def folder(self, commit: str, path: str = "") -> tuple[Entry, ...]:
        """List one level."""
        place = self._root / path
        if place.is_symlink() or not place.is_dir():
            return ()
        found = sorted(os.scandir(place), key=lambda one: one.name)
        prefix = f"{path}/" if path else ""
        return tuple(self._entry(f"{prefix}{one.name}") for one in found if one.name not in _SKIPPED)

    def walk(self, commit: str, path: str = "") -> Iterator[Entry]:
        """List every file below `path`, sorted."""
        for entry in self.folder(commit, path):
            if entry.is_folder:
                yield from self.walk(commit, entry.path)
            elif self._only is None or entry.path == self._only:
                yield entry

    def blob(self, oid: str) -> bytes:
        """Read a file; a link gives its target's name."""
        place = self._root / oid
        return os.fsencode(os.readlink(place)) if place.is_symlink() else place.read_bytes()

    def read(self, commit: str, path: str) -> bytes | None:
        """Give a file's bytes, None when there is no file at `path`."""
        place = self._root / path
        return self.blob(path) if place.is_symlink() or place.is_file() else None

    def _entry(self, path: str) -> Entry:
        place = self._root / path
        if place.is_symlink():
            return Entry(path, "120000", path)
        if place.is_dir():
            return Entry(path, FOLDER, path)
        return Entry(path, "100644", path, place.stat().st_size)


class CommitTree:
    """One commit of a repository at hand, named by any revision that git knows."""

    def __init__(self, repository: Path, revision: str) -> None:
        command = GitCommand(_git_dir(repository), _LOCAL_SECONDS)
        found = command.run("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
        if found.status:
            raise BadSettings(f"{revision!r} is neither a file, nor a folder, nor a revision of {repository}")
        self.commit = found.output.decode().strip()
        self._objects = Objects(command)

    def tree(self, commit: str, path: str = "") -> str | None:
        """Give the object id of what is at `path`."""
        found = self._objects.entry(self.commit, path)
        return found.oid if found else None

    def folder(self, commit: str, path: str = "") -> tuple[Entry, ...]:
        """List one level."""
        return self._objects.folder(self.commit, path)

    def walk(self, commit: str, path: str = "") -> Iterator[Entry]:
        """List every file below `path`, with sizes."""
        return self._objects.walk(self.commit, path)

    def blob(self, oid: str) -> bytes:
        """Give a file's bytes."""
        return self._objects.blob(oid)

    def read(self, commit: str, path: str) -> bytes | None:
        """Give a file's bytes, None when there is no file at `path`."""
        return self._objects.read(self.commit, path)

    def close(self) -> None:
        """End the process that reads."""
        self._objects.close()


def _git_dir(repository: Path) -> str:
    place = repository.resolve()
    for folder in (place, *place.parents):
        if (folder / ".git").exists():
            return str(folder / ".git")
        if (folder / "HEAD").is_file() and (folder / "objects").is_dir():
            return str(folder)
    raise BadSettings(f"{repository} is in no git repository")
