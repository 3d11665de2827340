"""Kthena's RoleRollingUpdate: every role of every serving group moves by itself, down to its own partition.

As Kthena #1799 says: in each group and role the instances at the lowest ordinals are protected, the others
are replaced from the highest one down, as many at once as the role's maxUnavailable allows. A role that did
not change is left alone. A missing instance below the partition is made from the current revision, or from
the one that its protected siblings run; a role that the object has no more goes at once.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from gitops_rollout.api.values import Json, Object, at, sequence, text
from gitops_rollout.kinds.modelserving.amounts import resolve_down, resolve_up
from gitops_rollout.kinds.modelserving.fields import (
    DEFAULT_MAX_UNAVAILABLE,
    DEFAULT_REPLICAS,
    ROLE_CONTROLS,
)
from gitops_rollout.simulate.controllers import Death, Pod, Why
from gitops_rollout.simulate.kthena import Ordinals, entry_labels, roles_in
from gitops_rollout.simulate.manifests import Manifest

Place: TypeAlias = tuple[int, str, int]
"""Ordinal of the group, role, ordinal in it."""


@dataclass(frozen=True, slots=True)
class Role:
    """What an object asks for of one role, in each group. `update`: what its pods are to be made from."""

    replicas: int
    partition: int
    unavailable: int
    update: str
    labels: Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class Wanted:
    """What an object asks for, read once."""

    name: str
    groups: int
    roles: Mapping[str, Role]


@dataclass(frozen=True, slots=True)
class Instance:
    """One instance of a role, its entry pod and its workers; `left` are the ticks until it is ready."""

    made_from: str
    uid: int
    left: int


def role_template(published: Object, role: Object) -> str:
    """Name what the pods of a role are made from: its template, and the plugins that apply to it."""
    applied: list[Json] = []
    for plugin in sequence(at(published, "spec", "plugins")):
        only = sequence(at(plugin, "scope", "roles"))
        applied += [plugin] if not only or role.get("name") in only else []
    kept: Json = {name: part for name, part in role.items() if name not in ROLE_CONTROLS}
    return json.dumps([kept, applied], sort_keys=True)


@dataclass
class KthenaRoles(Ordinals[Place, Wanted]):
    """The controller of a ModelServing that rolls by role."""

    instances: dict[Place, Instance] = field(default_factory=dict)
    current: dict[str, str] = field(default_factory=dict)
    """What the pods of the current revision are made from, by role."""
    _graph: str = ""

    def tick(self, objects: Sequence[Manifest]) -> bool:
        wanted = self._read(objects[0]) if objects else Wanted(self._graph, 0, {})
        self._graph = wanted.name
        before = (dict(self.instances), dict(self.current))
        self.instances = {
            place: replace(one, left=max(0, one.left - 1)) for place, one in self.instances.items()
        }
        self._shrink(wanted)
        self._fill(wanted)
        for group in self._groups:
            for name, role in wanted.roles.items():
                self._roll(role, self._listed(group, name))
        self._promote(wanted)
        self._heal(wanted)
        return before != (self.instances, self.current)

    @property
    def pods(self) -> tuple[Pod, ...]:
        return tuple(self._pod(place) for place in sorted(self.instances))

    def die(self, uid: int) -> None:
        for place, one in list(self.instances.items()):
            if one.uid == uid:
                self._dead[place] = one.made_from
                self._delete(place, Why.DIED)

    def made_from(self, published: Object) -> Mapping[str, str]:
        return {text(role.get("name")): role_template(published, role) for role in roles_in(published)}

    def wanted(self, manifest: Manifest) -> Mapping[str, int]:
        wanted = self._read(manifest)
        return {name: wanted.groups * role.replicas for name, role in wanted.roles.items()}

    def kept(self, manifest: Manifest) -> Mapping[str, int]:
        wanted = self._read(manifest)
        return {
            name: wanted.groups * min(role.partition, role.replicas) for name, role in wanted.roles.items()
        }

    def _read(self, manifest: Manifest) -> Wanted:
        if manifest not in self._known:
            value = manifest.value
            name, groups = text(at(value, "metadata", "name")), at(value, "spec", "replicas")
            roles = {text(role.get("name")): _understood(name, value, role) for role in roles_in(value)}
            self._known[manifest] = Wanted(name, groups if isinstance(groups, int) else self.scaled, roles)
        for component, role in self._known[manifest].roles.items():
            self._labelled(role.update, component, role.labels)
        return self._known[manifest]

    def _pod(self, place: Place) -> Pod:
        one, (_, role, ordinal) = self.instances[place], place
        return Pod(one.uid, self._graph, role, one.made_from, one.left == 0, ordinal)

    def _listed(self, group: int, role: str) -> list[Place]:
        return sorted(place for place in self.instances if place[:2] == (group, role))

    @property
    def _groups(self) -> list[int]:
        return sorted({place[0] for place in self.instances})

    def _shrink(self, wanted: Wanted) -> None:
        """Delete what is too much: whole groups, roles that are no more, then instances."""
        groups = sorted(self._groups, key=lambda one: (self._waits(one), one))
        gone = groups[::-1][: max(0, len(groups) - wanted.groups)]
        for place in list(self.instances):
            if place[0] in gone or place[1] not in wanted.roles:
                self._delete(place, Why.SCALED)
        for group in groups:
            for name, role in wanted.roles.items():
                listed = self._listed(group, name)
                order = sorted(
                    listed, key=lambda one: (one[2] >= role.partition, self.instances[one].left > 0, one)
                )
                for place in order[::-1][: max(0, len(order) - role.replicas)]:
                    self._delete(place, Why.SCALED)

    def _waits(self, group: int) -> bool:
        return any(one.left > 0 for place, one in self.instances.items() if place[0] == group)

    def _fill(self, wanted: Wanted) -> None:
        """Make what is missing, at the lowest ordinals that are free; what stands higher up stays there."""
        groups = self._groups
        free = [one for one in range(wanted.groups) if one not in groups]
        for group in [*groups, *free[: max(0, wanted.groups - len(groups))]]:
            for name, role in wanted.roles.items():
                missing = role.replicas - len(self._listed(group, name))
                open_ = [one for one in range(role.replicas) if (group, name, one) not in self.instances]
                for ordinal in open_[: max(0, missing)]:
                    made_from = self._protected(name, role) if ordinal < role.partition else role.update
                    self.instances[group, name, ordinal] = Instance(made_from, self._born, self.start)
                    self._born += 1

    def _protected(self, name: str, role: Role) -> str:
        """Give what a protected instance is made from; what its siblings run, where the current revision is
        the new one already.
        """
        current = self.current.get(name, role.update)
        siblings = {
            one.made_from
            for (_, other, ordinal), one in self.instances.items()
            if other == name and ordinal < role.partition and one.made_from != role.update
        }
        return next(iter(siblings)) if current == role.update and len(siblings) == 1 else current

    def _roll(self, role: Role, listed: list[Place]) -> None:
        eligible = listed[role.partition :]
        outdated = [place for place in eligible if self.instances[place].made_from != role.update]
        unready = sum(self.instances[place].left > 0 for place in eligible if place not in outdated)
        budget = len(listed) - max(0, role.replicas - role.unavailable) - unready
        worst_last = sorted(outdated, key=lambda one: (self.instances[one].left > 0, one))
        for place in worst_last[::-1][: max(0, budget)]:
            self._delete(place, Why.ROLLED)

    def _promote(self, wanted: Wanted) -> None:
        """The current revision is the new one when all of it is updated, and answers."""
        complete = len(self._groups) == wanted.groups and all(
            self._answer(group, name, role.update) == role.replicas
            for group in self._groups
            for name, role in wanted.roles.items()
        )
        if complete or not self.current:
            self.current = {name: role.update for name, role in wanted.roles.items()}

    def _heal(self, wanted: Wanted) -> None:
        for place in list(self._dead):
            group, name, _ = place
            role = wanted.roles.get(name)
            if role is None or group not in self._groups or self._answer(group, name) >= role.replicas:
                del self._dead[place]

    def _answer(self, group: int, role: str, made_from: str = "") -> int:
        """Count the instances of a role in a group that are ready, of one template or of all."""
        listed = [self.instances[place] for place in self._listed(group, role)]
        return sum(one.left == 0 and made_from in ("", one.made_from) for one in listed)

    def _delete(self, place: Place, why: Why) -> None:
        self.deaths.append(Death(self._pod(place), why))
        del self.instances[place]


def _understood(name: str, value: Object, role: Object) -> Role:
    written, limit = role.get("replicas"), role.get("maxUnavailable")
    replicas = written if isinstance(written, int) else DEFAULT_REPLICAS
    return Role(
        replicas,
        resolve_up(role.get("partition"), replicas),
        DEFAULT_MAX_UNAVAILABLE if limit is None else resolve_down(limit, replicas),
        role_template(value, role),
        entry_labels(name, role),
    )
