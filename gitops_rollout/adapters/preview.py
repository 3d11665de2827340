"""A repository that publishes nothing: `plan` and `status` are a pass over it."""

from collections.abc import Iterator, Mapping, Sequence

from gitops_rollout.ports import CommitInfo, Entry, NewCommit, RefUpdate, Repository


class Preview:
    """Reads like the repository behind it; a push moves nothing."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository

    def refs(self, *patterns: str) -> Mapping[str, str]:
        return self._repository.refs(*patterns)

    def fetch(self, refs: Mapping[str, str]) -> None:
        self._repository.fetch(refs)

    def info(self, commit: str) -> CommitInfo:
        return self._repository.info(commit)

    def tree(self, commit: str, path: str = "") -> str | None:
        return self._repository.tree(commit, path)

    def folder(self, commit: str, path: str = "") -> tuple[Entry, ...]:
        return self._repository.folder(commit, path)

    def walk(self, commit: str, path: str = "") -> Iterator[Entry]:
        return self._repository.walk(commit, path)

    def blob(self, oid: str) -> bytes:
        return self._repository.blob(oid)

    def read(self, commit: str, path: str) -> bytes | None:
        return self._repository.read(commit, path)

    def changed_on_first_parent(self, head: str, path: str, most: int) -> tuple[str, ...]:
        return self._repository.changed_on_first_parent(head, path, most)

    def removed_on_first_parent(self, head: str, path: str, name: str) -> Mapping[str, str]:
        return self._repository.removed_on_first_parent(head, path, name)

    def has(self, commit: str) -> bool:
        return self._repository.has(commit)

    def is_ancestor(self, old: str, new: str) -> bool:
        return self._repository.is_ancestor(old, new)

    def write(self, commit: NewCommit) -> str:
        return self._repository.write(commit)

    def push(self, updates: Sequence[RefUpdate]) -> None:
        """Publish nothing."""

    def close(self) -> None:
        self._repository.close()
