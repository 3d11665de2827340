"""What applies the output: Argo CD or Flux, one for each half of the workload's folder (R5)."""

from dataclasses import dataclass, field
from random import Random

from gitops_rollout.simulate.branch import Branch
from gitops_rollout.simulate.cluster import Cluster
from gitops_rollout.simulate.faults import Faults
from gitops_rollout.simulate.manifests import Library, Manifest, Name

_REMEMBERED = 12  # so many commits back goes a sync that is tried again


@dataclass
class Consumer:
    """Brings the cluster to what stands in one folder of the branch, object by object.

    It deletes what it applied before and finds no more, unless `mark` protects that from it (R6).
    """

    folder: str
    mark: str
    branch: Branch
    cluster: Cluster
    library: Library
    at: str | None = None
    """The commit that it is working on."""
    inventory: set[Name] = field(default_factory=set)

    def sync(self, faults: Faults, rng: Random) -> bool:
        """Do one sync, as well as the faults of the day allow; says whether anything changed."""
        if self.branch.head is None or rng.random() < faults.lag:
            return False
        self.at = self._target(self.branch.head, faults, rng)
        commit = self.at
        if rng.random() < faults.retry_old:
            # Argo CD retries a sync that failed with the commit that it began with (argo-cd #11494).
            commit = rng.choice(list(self.branch.line(self.at))[:_REMEMBERED])
        wanted = self.library.below(self.branch.files_at(commit), self.folder)
        names = sorted(wanted)
        if rng.random() < faults.reorder:
            rng.shuffle(names)
        whole = rng.random() >= faults.partial
        if not whole:
            names = names[: rng.randrange(len(names) + 1)]
        changed = [self._applied(wanted[name]) for name in names]
        return (self._prune(set(wanted)) if whole else False) or any(changed)

    def _target(self, head: str, faults: Faults, rng: Random) -> str:
        """Give the commit to apply: the head; with lag one on the way to it, with skip not the next."""
        if not faults.lag or self.at is None or not self.branch.is_ancestor(self.at, head):
            return head
        ahead = self.branch.since(self.at, head) or [head]
        return rng.choice(ahead) if rng.random() < faults.skip else ahead[0]

    def _applied(self, manifest: Manifest) -> bool:
        self.inventory.add(manifest.name)
        return self.cluster.apply(manifest)

    def _prune(self, wanted: set[Name]) -> bool:
        pruned = False
        for name in sorted(self.inventory - wanted):
            live = self.cluster.live.get(name)
            if live is None or not live.is_protected(self.mark):
                self.inventory.discard(name)
                pruned = self.cluster.delete(name) or pruned
        return pruned
