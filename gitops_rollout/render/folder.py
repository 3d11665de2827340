"""Where a workload stands in the output."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from gitops_rollout.api.workload import WorkloadKey
from gitops_rollout.kinds.protocol import Kind
from gitops_rollout.rollout.state import State


@dataclass(frozen=True, slots=True)
class Folder:
    """A workload's place in the output: `before` are its files as they stand in the head."""

    key: WorkloadKey
    kind: Kind
    before: Mapping[str, bytes]
    stale: frozenset[str] = frozenset()
    """Files of objects whose number does not go on, whatever they say."""

    def numbered(self, path: str) -> bytes | None:
        """Give the file of an object whose number goes on where it says the same."""
        return None if path in self.stale else self.before.get(path)

    def under(self, state: State) -> "Folder":
        """Take the kind as it is under the strategy that `state` says is in force."""
        return replace(self, kind=self.kind.under(state.strategy))
