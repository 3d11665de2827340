"""An output branch in memory, with every version of its files at hand."""

from dataclasses import dataclass
from typing import cast

from gitops_rollout.simulate.branch import PEOPLE, US, Branch, Changes, Files, changed

__all__ = ["Changes", "Files", "Line", "changed"]


@dataclass
class Line(Branch):
    """The simulated branch, as a list of versions; people commit to it, and the service publishes."""

    writer: str = PEOPLE

    def publish(self, changes: Changes) -> str:
        """Commit as the service does."""
        self.writer = US
        commit = self.commit(changes)
        self.writer = PEOPLE
        return commit

    @property
    def versions(self) -> list[dict[str, bytes]]:
        """Give all versions of the files, the oldest first; who edits one clears `trees`."""
        return [cast("dict[str, bytes]", self.files_at(commit)) for commit in self.line(self.head)][::-1]
