"""Kthena's ordinals in small: what its controller does with the objects that we publish.

By whole groups, with the absolute ordinal rule, as Kthena #1797 and #1799 say: a missing ordinal below
the partition is created on the current revision, one above it on the update revision; a raised
partition pulls nothing back; without any group the current revision is the update revision.
"""

import json
from dataclasses import dataclass, field
from itertools import count

from gitops_rollout.api.values import Object, at
from gitops_rollout.kinds.modelserving.amounts import resolve_down, resolve_up

_ROLLING = ("spec", "rolloutStrategy", "rollingUpdateConfiguration")


@dataclass
class Group:
    """One serving group; `uid` names this very incarnation."""

    revision: str
    uid: int
    ready: bool = False


@dataclass(frozen=True)
class Death:
    """A group that went: `why` is rolled, scaled or died."""

    ordinal: int
    revision: str
    why: str


def template(published: Object) -> str:
    """Name what the pods of an object are made from."""
    roles = at(published, "spec", "template", "roles")
    assert isinstance(roles, list)
    return json.dumps([[at(role, "name"), at(role, "entryTemplate")] for role in roles], sort_keys=True)


@dataclass
class Kthena:
    """The controller with its groups; `deaths` tells what it did."""

    published: Object
    groups: dict[int, Group] = field(default_factory=dict)
    current: str = ""
    deaths: list[Death] = field(default_factory=list)
    uids: "count[int]" = field(default_factory=count)

    @property
    def replicas(self) -> int:
        wanted = at(self.published, "spec", "replicas")
        return wanted if isinstance(wanted, int) else 1

    @property
    def partition(self) -> int:
        return resolve_up(at(self.published, *_ROLLING, "partition"), self.replicas)

    @property
    def update(self) -> str:
        return template(self.published)

    def revisions(self) -> list[str]:
        """Give the revision of every ordinal that exists, in their order."""
        return [self.groups[ordinal].revision for ordinal in sorted(self.groups)]

    def apply(self, published: Object) -> "Kthena":
        self.published = published
        return self

    def kill(self, ordinal: int) -> "Kthena":
        if ordinal in self.groups:
            self._delete(ordinal, "died")
        return self

    def settle(self) -> "Kthena":
        """Reconcile until nothing changes."""
        for _ in range(100):
            before = {ordinal: (group.uid, group.ready) for ordinal, group in self.groups.items()}
            self.tick()
            if before == {ordinal: (group.uid, group.ready) for ordinal, group in self.groups.items()}:
                return self
        raise AssertionError("the controller comes to no end")

    def tick(self) -> None:
        """Reconcile once."""
        for group in self.groups.values():
            group.ready = True
        self._scale()
        self._roll()
        self._promote()

    def _scale(self) -> None:
        for ordinal in range(self.replicas):
            if ordinal not in self.groups and len(self.groups) < self.replicas:
                below = ordinal < self.partition
                revision = self.current if below and self.current else self.update
                self.groups[ordinal] = Group(revision, next(self.uids))
        order = sorted(self.groups, key=lambda one: (one >= self.partition, not self.groups[one].ready, one))
        for ordinal in order[::-1][: max(0, len(order) - self.replicas)]:
            self._delete(ordinal, "scaled")

    def _roll(self) -> None:
        eligible = [ordinal for ordinal in sorted(self.groups) if ordinal >= self.partition]
        outdated = [ordinal for ordinal in eligible if self.groups[ordinal].revision != self.update]
        unready = sum(not self.groups[ordinal].ready for ordinal in eligible if ordinal not in outdated)
        written = at(self.published, *_ROLLING, "maxUnavailable")
        unavailable = 1 if written is None else resolve_down(written, self.replicas)
        budget = len(self.groups) - (self.replicas - unavailable) - unready
        worst_last = sorted(outdated, key=lambda one: (not self.groups[one].ready, one))
        for ordinal in worst_last[::-1][: max(0, budget)]:
            self._delete(ordinal, "rolled")

    def _promote(self) -> None:
        complete = len(self.groups) == self.replicas and all(
            group.ready and group.revision == self.update for group in self.groups.values()
        )
        if complete or not self.current:
            self.current = self.update

    def _delete(self, ordinal: int, why: str) -> None:
        self.deaths.append(Death(ordinal, self.groups.pop(ordinal).revision, why))
