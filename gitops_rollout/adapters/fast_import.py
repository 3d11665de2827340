"""A commit as one stream for `git fast-import`: cost follows the change, not the repository.

Equal input gives equal bytes, so equal ids: nothing in the stream comes from a clock or a machine.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from gitops_rollout.errors import BadSettings
from gitops_rollout.ports import NewCommit

# A name that no ref ever has: fast-import wants one while it runs, and the last command drops it.
_SCRATCH = "refs/gitops-rollout/writing"
_DOT_GIT = re.compile(r"\.git[ .]*(:.*)?|git~\d+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Identity:
    """Who commits; raises BadSettings for what git could not store as it is."""

    name: str
    mail: str

    def __post_init__(self) -> None:
        for value in (self.name, self.mail):
            if (
                not value.strip()
                or value != value.strip()
                or not value.isprintable()
                or set(value) & set("<>")
            ):
                raise BadSettings(f"not fit for a commit's author: {value!r}")

    def __str__(self) -> str:
        return f"{self.name} <{self.mail}>"


def stream(commit: NewCommit, identity: Identity) -> bytes:
    """Give the commands that write `commit` and print its id.

    Raises ValueError for a path that no file of ours may have: the caller has a bug.
    """
    return b"".join(_lines(commit, identity))


def _lines(commit: NewCommit, identity: Identity) -> Iterator[bytes]:
    signature = f"{identity} {commit.date:d} +0000\n".encode()
    yield f"commit {_SCRATCH}\nmark :1\n".encode()
    yield b"author " + signature + b"committer " + signature + _data(commit.message.encode())
    for word, parent in zip(("from", "merge"), commit.parents, strict=False):
        yield f"{word} {parent}\n".encode()
    # Removals first: a file may make room for a folder of its name.
    for path, content in sorted(commit.changes.items(), key=lambda change: change[1] is not None):
        name = quote(checked(path))
        yield b"D " + name + b"\n" if content is None else b"M 100644 inline " + name + b"\n" + _data(content)
    yield f"\nget-mark :1\nreset {_SCRATCH}\nfrom {'0' * 40}\n\ndone\n".encode()


def checked(path: str) -> str:
    """Give `path` back; raises ValueError unless every Git, on every system, takes it as a plain file."""
    for name in path.split("/"):
        visible = "".join(char for char in name if unicodedata.category(char) != "Cf")
        if name in ("", ".", "..") or _DOT_GIT.fullmatch(visible) or "\\" in name:
            raise ValueError(f"not a path for a file of ours: {path!r}")
    if any(unicodedata.category(char) in ("Cc", "Cs") for char in path):
        raise ValueError(f"not a path for a file of ours: {path!r}")
    return path


def quote(path: str) -> bytes:
    """Quote a checked path as fast-import reads it."""
    return b'"' + path.encode().replace(b'"', b'\\"') + b'"'


def _data(content: bytes) -> bytes:
    return f"data {len(content)}\n".encode() + content + b"\n"
