"""A repository in memory: first-parent lines of commits, and refs that move by compare-and-swap.

What is written stays; nothing but refs ever changes, so whatever was read of a commit may be kept.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from gitops_rollout.errors import PushRejected
from gitops_rollout.ports import FOLDER, CommitInfo, Entry, NewCommit, RefUpdate, Repository

MAIN = "refs/heads/main"
US = "gitops-rollout <gitops-rollout@localhost>"
PEOPLE = "people <people@localhost>"
Files = Mapping[str, bytes]
Changes = Mapping[str, bytes | None]


def changed(files: Files, changes: Changes) -> dict[str, bytes]:
    """Apply changes; None removes."""
    after = {**files, **changes}
    return {path: content for path, content in after.items() if content is not None}


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit with all of its files; `depth` counts the commits below it."""

    parent: str | None
    files: Files
    committer: str
    message: str
    date: int
    depth: int

    @property
    def subject(self) -> str:
        """Give the first line of its message."""
        return self.message.partition("\n")[0]


@dataclass
class Branch(Repository):
    """The repository; `writer` is the committer of what is written through this hand of it."""

    writer: str = US
    commits: dict[str, Commit] = field(default_factory=dict)
    at: dict[str, str] = field(default_factory=dict)
    _oids: dict[bytes, str] = field(default_factory=dict)
    _blobs: dict[str, bytes] = field(default_factory=dict)
    trees: dict[tuple[str, str], str | None] = field(default_factory=dict)

    @property
    def head(self) -> str | None:
        """Give the head of the main line."""
        return self.at.get(MAIN)

    @property
    def files(self) -> Files:
        """Give the head's files."""
        return self.files_at(self.head)

    def files_at(self, commit: str | None) -> Files:
        """Give the files of a commit; there are none where there is no commit."""
        return self.commits[commit].files if commit is not None else {}

    def commit(self, changes: Changes, message: str = "change files\n", ref: str = MAIN) -> str:
        """Put a commit on top of a ref and move it."""
        parent = self.at.get(ref)
        commit = self.write(NewCommit((parent,) if parent else (), changes, message, 0))
        self.at[ref] = commit
        return commit

    def line(self, commit: str | None) -> Iterator[str]:
        """Give the first-parent line, the newest first."""
        while commit is not None:
            yield commit
            commit = self.commits[commit].parent

    def since(self, old: str | None, new: str | None) -> list[str]:
        """Give the commits of the line of `new` that came after `old`, the oldest first."""
        found = []
        for commit in self.line(new):
            if commit == old:
                break
            found.append(commit)
        return found[::-1]

    def tree(self, commit: str, path: str = "") -> str | None:
        if (commit, path) not in self.trees:
            files = self.commits[commit].files
            if path in files:
                told = self._oid(files[path])
            else:
                below = sorted((name, self._oid(raw)) for name, raw in files.items() if _is_in(name, path))
                told = hashlib.sha1(repr(below).encode()).hexdigest() if below else ""  # noqa: S324
            self.trees[commit, path] = told or None
        return self.trees[commit, path]

    def folder(self, commit: str, path: str = "") -> tuple[Entry, ...]:
        start = f"{path}/" if path else ""
        below = list(self.walk(commit, path))
        inner = sorted({start + one.path[len(start) :].partition("/")[0] for one in below})
        files = {one.path: one for one in below}
        return tuple(files.get(name) or Entry(name, FOLDER, name) for name in inner)

    def walk(self, commit: str, path: str = "") -> Iterator[Entry]:
        for name, raw in sorted(self.commits[commit].files.items()):
            if _is_in(name, path):
                yield Entry(name, "100644", self._oid(raw), len(raw))

    def blob(self, oid: str) -> bytes:
        return self._blobs[oid]

    def read(self, commit: str, path: str) -> bytes | None:
        return self.commits[commit].files.get(path)

    def refs(self, *patterns: str) -> Mapping[str, str]:
        return {
            ref: commit for ref, commit in self.at.items() if any(fnmatchcase(ref, one) for one in patterns)
        }

    def fetch(self, refs: Mapping[str, str]) -> None:
        """Everything is at hand."""

    def info(self, commit: str) -> CommitInfo:
        one = self.commits[commit]
        parents = (one.parent,) if one.parent else ()
        tree = self.tree(commit) or ""
        return CommitInfo(commit, parents, tree, one.committer, one.committer, one.date, one.message)

    def changed_on_first_parent(self, head: str, path: str, most: int) -> tuple[str, ...]:
        found: list[str] = []
        for commit in self.line(head):
            parent = self.commits[commit].parent
            if self.tree(commit, path) != (self.tree(parent, path) if parent else None):
                found.append(commit)
            if len(found) == most:
                break
        return tuple(found)

    def removed_on_first_parent(self, head: str, path: str, name: str) -> Mapping[str, str]:
        found: dict[str, str] = {}
        for commit in self.line(head):
            gone = self.files_at(self.commits[commit].parent).keys() - self.files_at(commit).keys()
            for file in gone:
                if file.endswith(f"/{name}") and _is_in(file, path):
                    found.setdefault(file, commit)
        return {file: commit for file, commit in found.items() if file not in self.files_at(head)}

    def has(self, commit: str) -> bool:
        return commit in self.commits

    def is_ancestor(self, old: str, new: str) -> bool:
        return old in self.line(new)

    def write(self, commit: NewCommit) -> str:
        parent = commit.parents[0] if commit.parents else None
        files = changed(self.files_at(parent), commit.changes)
        depth = self.commits[parent].depth + 1 if parent else 0
        name = f"{len(self.commits):07x}"
        self.commits[name] = Commit(parent, files, self.writer, commit.message, commit.date, depth)
        return name

    def push(self, updates: Sequence[RefUpdate]) -> None:
        if any(self.at.get(one.ref) != one.old for one in updates):
            raise PushRejected("a ref has moved")
        for one in updates:
            if one.new is None:
                self.at.pop(one.ref, None)
            else:
                self.at[one.ref] = one.new

    def close(self) -> None:
        """Nothing is open."""

    def _oid(self, raw: bytes) -> str:
        if raw not in self._oids:
            oid = hashlib.sha1(raw).hexdigest()  # noqa: S324  # a name, as git gives it
            self._oids[raw], self._blobs[oid] = oid, raw
        return self._oids[raw]


def _is_in(name: str, folder: str) -> bool:
    return not folder or name.startswith(f"{folder}/")


@dataclass
class Hand(Branch):
    """The same repository, as somebody sees it whose pushes are not sent at once."""

    waiting: list[RefUpdate] = field(default_factory=list)

    @classmethod
    def of(cls, branch: Branch) -> "Hand":
        """Give a hand on `branch`: it reads and writes there, its pushes wait."""
        return cls(US, branch.commits, branch.at, branch._oids, branch._blobs, branch.trees)

    def push(self, updates: Sequence[RefUpdate]) -> None:
        self.waiting += updates
