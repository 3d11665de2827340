"""Symbolic links are followed by name inside the commit, never on a disk; what leads out is refused."""

from collections.abc import Sequence

from gitops_rollout.ports import Entry, Trees

SYMLINK = "120000"
REGULAR = ("100644", "100755")
MOST_LINKS = 8
_LONGEST_TARGET = 4096


class OutOfBounds(Exception):
    """The link leads to nothing that may be read; the message says why."""


def resolve(repository: Trees, commit: str, link: Entry) -> Entry:
    """Give the regular file of the repository that `link` leads to, or raise OutOfBounds.

    Folders on the way are real folders: a link to a folder is not followed.
    """
    entry = link
    for _ in range(MOST_LINKS):
        path = _target(repository, entry)
        found = _entry(repository, commit, path)
        if found is None:
            raise OutOfBounds("the link leads to nothing in the repository")
        if found.mode in REGULAR:
            return found
        if found.mode != SYMLINK:
            raise OutOfBounds("the link does not lead to a file")
        entry = found
    raise OutOfBounds(f"more than {MOST_LINKS} links in a row, or a circle of them")


def _target(repository: Trees, link: Entry) -> str:
    raw = repository.blob(link.oid)
    if len(raw) > _LONGEST_TARGET or raw.startswith(b"/"):
        raise OutOfBounds("the link leads out of the repository")
    parts = link.path.split("/")[:-1]
    for part in raw.decode("utf-8", "replace").split("/"):
        if part == ".." and not parts:
            raise OutOfBounds("the link leads out of the repository")
        if part == "..":
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


def _entry(repository: Trees, commit: str, path: str) -> Entry | None:
    folder, _, _ = path.rpartition("/")
    entries: Sequence[Entry] = repository.folder(commit, folder)
    return next((entry for entry in entries if entry.path == path), None)
