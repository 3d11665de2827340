"""Kthena at hand: the controller of the simulation, driven by a test ordinal by ordinal."""

from typing import Self

from gitops_rollout.api.values import Object
from gitops_rollout.simulate.controllers import Death
from gitops_rollout.simulate.kthena import Group, template
from gitops_rollout.simulate.kthena import Kthena as Controller
from gitops_rollout.simulate.manifests import Manifest

__all__ = ["Death", "Group", "Kthena", "template"]


class Kthena(Controller):
    """The controller with one published object; a group is ready at the tick after its birth."""

    def __init__(self, published: Object) -> None:
        super().__init__(start=1)
        self.apply(published)

    @property
    def partition(self) -> int:
        return self._understood(self.published.value).partition

    def revisions(self) -> list[str]:
        """Give the revision of every ordinal that exists, in their order."""
        return [self.groups[ordinal].revision for ordinal in sorted(self.groups)]

    def apply(self, published: Object) -> Self:
        self.published = Manifest(b"", published)
        return self

    def kill(self, ordinal: int) -> Self:
        if ordinal in self.groups:
            self.die(self.groups[ordinal].uid)
        return self

    def settle(self) -> Self:
        """Reconcile until nothing changes."""
        for _ in range(100):
            if not self.act():
                return self
        raise AssertionError("the controller comes to no end")

    def act(self) -> bool:
        """Reconcile once; says whether anything happened."""
        return self.tick([self.published])
