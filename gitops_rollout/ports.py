"""The outside world on one page."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

FOLDER, SUBMODULE = "040000", "160000"


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a commit's tree; `path` is relative to the repository, `oid` is its object id."""

    path: str
    mode: str
    """"100644", "100755", "120000" (symlink), "040000" (folder), "160000" (submodule)."""
    oid: str
    size: int | None = None
    """Bytes of a blob, where it was asked for."""

    @property
    def is_folder(self) -> bool:
        """Say whether it is a tree; what is none may still be no file (a submodule)."""
        return self.mode == FOLDER


@dataclass(frozen=True, slots=True)
class CommitInfo:
    """What a commit says about itself; dates are Unix seconds and decide nothing (R16)."""

    commit: str
    parents: tuple[str, ...]
    tree: str
    author: str
    """`Name <mail>`"""
    committer: str
    committed: int
    message: str


@dataclass(frozen=True, slots=True)
class NewCommit:
    """A commit to write: `changes` on top of the first parent's tree (None as value: removed).

    Author and committer are the configured identity of the repository; both dates are `date`.
    """

    parents: tuple[str, ...]
    changes: Mapping[str, bytes | None]
    message: str
    date: int


@dataclass(frozen=True, slots=True)
class RefUpdate:
    """A compare-and-swap of one ref; None: the ref is not there (before) or is removed (after)."""

    ref: str
    old: str | None
    new: str | None
    fast_forward: bool = True
    """False only for our own gate branches, which are rebuilt under an explicit lease."""


class Trees(Protocol):
    """Commits that are at hand, read file by file; a folder of the disk reads like one commit, too."""

    def tree(self, commit: str, path: str = "") -> str | None:
        """Give the object id of the folder or file at `path`, None when nothing is there."""
        ...

    def folder(self, commit: str, path: str = "") -> tuple[Entry, ...]:
        """List one level; empty when there is no such folder."""
        ...

    def walk(self, commit: str, path: str = "") -> Iterator[Entry]:
        """List everything below `path` that is not a folder, with sizes, sorted by path."""
        ...

    def blob(self, oid: str) -> bytes: ...

    def read(self, commit: str, path: str) -> bytes | None:
        """Give a file's bytes, None when there is no file at `path`."""
        ...


class Repository(Trees, Protocol):
    """One remote repository, read and written without a work tree.

    Every method raises RemoteUnavailable, CredentialsRefused or CloneDamaged where the world is in
    the way; none leaves anything behind that the next pass could trip over.
    """

    def refs(self, *patterns: str) -> Mapping[str, str]:
        """Ask the remote (one round trip) which refs match, full name → commit id."""
        ...

    def fetch(self, refs: Mapping[str, str]) -> None:
        """Make the commits of these refs readable; a ref that moved meanwhile is no error."""
        ...

    def info(self, commit: str) -> CommitInfo: ...

    def changed_on_first_parent(self, head: str, path: str, most: int) -> tuple[str, ...]:
        """Give the commits of the first-parent line that change `path`, newest first."""
        ...

    def removed_on_first_parent(self, head: str, path: str, name: str) -> Mapping[str, str]:
        """Give each file called `name` below `path` that was removed on the first-parent line, with
        the newest commit that removed it.
        """
        ...

    def has(self, commit: str) -> bool:
        """Say whether a commit is at hand, without asking the remote."""
        ...

    def is_ancestor(self, old: str, new: str) -> bool: ...

    def write(self, commit: NewCommit) -> str:
        """Write a commit into the local store and give its id; nothing is published."""
        ...

    def push(self, updates: Sequence[RefUpdate]) -> None:
        """Move refs on the remote, all or none, each only if it still is at `old`.

        Raises PushRejected when a ref has moved, BranchProtected when the server takes no push.
        """
        ...

    def close(self) -> None: ...
