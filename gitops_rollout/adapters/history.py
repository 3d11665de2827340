"""Questions about the first-parent line of a branch: what a path's past on it was."""

import re
from typing import Protocol


class Run(Protocol):
    """Runs one git command on the clone and gives what it prints."""

    def __call__(self, *arguments: str) -> bytes: ...


def changed(run: Run, head: str, path: str, most: int) -> tuple[str, ...]:
    """Give at most `most` commits that change `path` against their first parent, newest first."""
    below = ["--", f":(top,literal){path}"] if path else []
    listed = run("rev-list", "--first-parent", f"--max-count={most:d}", head, *below)
    return tuple(listed.decode("ascii").split())


def removed(run: Run, head: str, path: str, name: str) -> dict[str, str]:
    """Give each file `name` below `path` that a commit removed, with the newest such commit."""
    pattern = "/".join(filter(None, (_literal(path), "**", _literal(name))))
    listed = run(
        *("log", "--first-parent", "--diff-merges=first-parent", "--no-renames", "--diff-filter=D"),
        *("--name-only", "-z", "--format=%x00%H", head, "--", f":(top,glob){pattern}"),
    )
    found: dict[str, str] = {}
    # A commit is an empty record, its id, and the paths; the first path comes after a newline.
    for record in listed.decode("utf-8", "surrogateescape").split("\0\0"):
        commit, *paths = record.strip("\0").split("\0")
        for file in paths:
            found.setdefault(file.removeprefix("\n"), commit)
    return found


def _literal(path: str) -> str:
    return re.sub(r"([*?\[\]\\])", r"\\\1", path)
