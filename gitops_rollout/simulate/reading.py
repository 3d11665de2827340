"""Reading the output branch as a pass does, each commit once."""

from dataclasses import dataclass, field, replace

from gitops_rollout.api.problems import Problem
from gitops_rollout.output.heads import Absent, not_older, read_head
from gitops_rollout.output.ours import Ours
from gitops_rollout.output.versions import Place, Version
from gitops_rollout.rollout.draft import Head
from gitops_rollout.rollout.file import NAME
from gitops_rollout.simulate.branch import US


@dataclass(frozen=True, slots=True)
class ReadOnce(Place):
    """A workload's place whose versions are read once: what stands in a commit never changes."""

    seen: dict[str, Version] = field(default_factory=dict)
    heads: dict[str, Head | Absent | Problem] = field(default_factory=dict)

    def version(self, commit: str) -> Version:
        """Read the folder at a commit; equal folders are read once, whatever commits they stand in."""
        tree = self.repository.tree(commit, self.folder) or ""
        if tree not in self.seen:
            self.seen[tree] = Place.version(self, commit)
        found = self.seen[tree]
        return found if found.commit == commit else replace(found, commit=commit)

    def head(self, commit: str | None, past: str | None = None) -> Head | Absent | Problem:
        """Read what a plan goes on from; `past` is where the branch was before it was rewound."""
        if commit is None:
            return Absent()
        if commit not in self.heads:
            removed = self.repository.removed_on_first_parent(commit, self.root, NAME)
            ours = Ours(self.repository, self.root, US, commit)
            self.heads[commit] = read_head(self, commit, removed.get(f"{self.folder}/{NAME}"), ours)
        head = self.heads[commit]
        return head if past is None or isinstance(head, Problem) else not_older(self, head, past)
