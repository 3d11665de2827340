"""What of the output branch stands as our own last commit left it.

A whole older folder that people put back fits its own fence and seal: nothing in it tells that it is old.
The line tells. Everything below a commit of ours was judged when that commit was made; what came later was
not. The committer's name only ever makes us more careful here: who writes under ours is believed as before.
"""

from dataclasses import dataclass
from functools import cached_property

from gitops_rollout.ports import Repository

_FAR = 10_000  # commits of others on top of our last one: beyond that every folder is looked at


@dataclass(frozen=True)
class Ours:
    """The output branch at `head`, below `root`; `us` is the committer that we write as."""

    repository: Repository
    root: str
    us: str
    head: str | None

    def wrote(self, commit: str) -> bool:
        """Say whether a commit carries our name."""
        return self.repository.info(commit).committer == self.us

    def left(self, folder: str) -> bool:
        """Say whether nobody wrote to a folder since our last commit, not even to put it back again."""
        if self._since is None or self.head is None:
            return False
        now = self.repository.tree(self.head, folder) if self._since else None
        return all(self.repository.tree(commit, folder) == now for commit in self._since)

    @cached_property
    def _since(self) -> tuple[str, ...] | None:
        """Give the commits to compare the head with, down to our last one; None where that is not found.

        Other pipelines may write to the same branch, elsewhere: only what changes our root was judged by us.
        """
        found: list[str] = []
        commit, below = self.head, self._below(self.head)
        for _ in range(_FAR):
            if commit is None:
                return None
            info = self.repository.info(commit)
            parent = info.parents[0] if info.parents else None
            under = self._below(parent)
            if under != below and info.committer == self.us:
                return tuple(found)
            if under != below and parent is not None:
                found.append(parent)
            commit, below = parent, under
        return None

    def _below(self, commit: str | None) -> str | None:
        return self.repository.tree(commit, self.root) if commit is not None else None
