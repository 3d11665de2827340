"""An output branch in memory: one workload's folder along a first-parent line, read like a repository."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from gitops_rollout.ports import CommitInfo, Entry, NewCommit, RefUpdate, Repository

Files = Mapping[str, bytes]
Changes = Mapping[str, bytes | None]


def changed(files: Files, changes: Changes) -> dict[str, bytes]:
    """Apply changes, None removes."""
    after = {**files, **changes}
    return {path: content for path, content in after.items() if content is not None}


@dataclass
class Line(Repository):
    """Versions of all files, the oldest first; a commit's id is its place on the line."""

    versions: list[dict[str, bytes]] = field(default_factory=list)
    blobs: dict[str, bytes] = field(default_factory=dict)
    trees: dict[tuple[str, str], str | None] = field(default_factory=dict)

    @property
    def head(self) -> str | None:
        return str(len(self.versions) - 1) if self.versions else None

    @property
    def files(self) -> dict[str, bytes]:
        """Give the head's files."""
        return self.versions[-1] if self.versions else {}

    def commit(self, changes: Changes) -> None:
        self.versions.append(changed(self.files, changes))

    def tree(self, commit: str, path: str = "") -> str | None:
        if (commit, path) not in self.trees:
            files = self.versions[int(commit)].items()
            below = sorted(
                (name, content) for name, content in files if name == path or name.startswith(f"{path}/")
            )
            self.trees[commit, path] = hashlib.sha1(repr(below).encode()).hexdigest() if below else None
        return self.trees[commit, path]

    def folder(self, commit: str, path: str = "") -> tuple[Entry, ...]:
        below = list(self.walk(commit, path))
        inner = {path + "/" + one.path[len(path) + 1 :].partition("/")[0] for one in below}
        files = {one.path: one for one in below}
        return tuple(files.get(name) or Entry(name, "040000", name) for name in sorted(inner))

    def walk(self, commit: str, path: str = "") -> Iterator[Entry]:
        for name, content in sorted(self.versions[int(commit)].items()):
            if name.startswith(f"{path}/"):
                oid = hashlib.sha1(content).hexdigest()
                self.blobs[oid] = content
                yield Entry(name, "100644", oid, len(content))

    def blob(self, oid: str) -> bytes:
        return self.blobs[oid]

    def read(self, commit: str, path: str) -> bytes | None:
        return self.versions[int(commit)].get(path)

    def refs(self, *patterns: str) -> Mapping[str, str]:
        return {"refs/heads/main": self.head} if self.head else {}

    def fetch(self, refs: Mapping[str, str]) -> None:
        """Everything is at hand."""

    def info(self, commit: str) -> CommitInfo:
        parents = (str(int(commit) - 1),) if int(commit) else ()
        return CommitInfo(commit, parents, "", "", "", 0, "")

    def changed_on_first_parent(self, head: str, path: str, most: int) -> tuple[str, ...]:
        found = []
        for place in range(int(head), -1, -1):
            before = self.tree(str(place - 1), path) if place else None
            if self.tree(str(place), path) != before and (place or self.tree("0", path)):
                found.append(str(place))
        return tuple(found[:most])

    def removed_on_first_parent(self, head: str, path: str, name: str) -> Mapping[str, str]:
        found: dict[str, str] = {}
        for place in range(1, int(head) + 1):
            for gone in self.versions[place - 1].keys() - self.versions[place].keys():
                if gone.endswith(f"/{name}"):
                    found[gone] = str(place)
        return {file: place for file, place in found.items() if file not in self.versions[int(head)]}

    def has(self, commit: str) -> bool:
        return commit.isdigit() and int(commit) < len(self.versions)

    def is_ancestor(self, old: str, new: str) -> bool:
        return int(old) <= int(new)

    def write(self, commit: NewCommit) -> str:
        self.commit(commit.changes)
        return str(len(self.versions) - 1)

    def push(self, updates: Sequence[RefUpdate]) -> None:
        """What is written is there."""

    def close(self) -> None:
        """Nothing is open."""
