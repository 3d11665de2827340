"""Kthena's ordinals: what its controller does with the ModelServing that is live.

By whole groups, with the absolute ordinal rule, as Kthena #1797 and #1799 say: a missing ordinal below
the partition is created on the current revision, one above it on the update revision; a raised
partition pulls nothing back; without any group the current revision is the update revision.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Generic, TypeVar

from gitops_rollout.api.values import Json, Object, at, mapping, sequence, text
from gitops_rollout.kinds.modelserving.amounts import resolve_down, resolve_up
from gitops_rollout.kinds.modelserving.fields import KIND, ROLE_CONTROLS
from gitops_rollout.simulate.controllers import Death, Pod, Reach, Why
from gitops_rollout.simulate.manifests import Manifest

_ROLLING = ("spec", "rolloutStrategy", "rollingUpdateConfiguration")
_LABELS = "modelserving.volcano.sh"
_Place = TypeVar("_Place")
_Asked = TypeVar("_Asked")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a ModelServing asks for, read once. `labels` are those of the entry pods, by role."""

    name: str
    replicas: int
    partition: int
    unavailable: int
    update: str
    labels: Mapping[str, Mapping[str, Json]]


@dataclass(frozen=True, slots=True)
class Group:
    """One serving group; `uid` names this very incarnation, `left` are the ticks until it is ready."""

    revision: str
    uid: int
    left: int


def template(published: Object) -> str:
    """Name what the pods of an object are made from."""
    roles: Json = [
        {name: part for name, part in role.items() if name not in ROLE_CONTROLS}
        for role in roles_in(published)
    ]
    return json.dumps([roles, at(published, "spec", "plugins")], sort_keys=True)


@dataclass
class Ordinals(Generic[_Place, _Asked]):
    """What Kthena's controller has, whichever way a ModelServing rolls. `start`: ticks until pods are ready.

    `adopted`: the label that the pods of the first template carry, where people told us which; `scaled`: the
    groups that an autoscaler wants, where the object writes none.
    """

    start: int = 2
    adopted: tuple[str, str] | None = None
    scaled: int = 1
    kind: str = KIND
    prunes: bool = False
    deaths: list[Death] = field(default_factory=list)
    _dead: dict[_Place, str] = field(default_factory=dict)
    _born: int = 0
    _labels: dict[tuple[str, str], Mapping[str, Json]] = field(default_factory=dict)
    _known: dict[Manifest, _Asked] = field(default_factory=dict)

    @property
    def hurt(self) -> frozenset[str]:
        return frozenset(self._dead.values())

    def scale(self, replicas: int) -> None:
        self.scaled = replicas
        self._known.clear()

    @property
    def reach(self) -> tuple[Reach, ...]:
        return ()

    def labels(self, pod: Pod) -> Mapping[str, Json]:
        return self._labels[pod.made_from, pod.component]

    def _labelled(self, made_from: str, component: str, labels: Mapping[str, Json]) -> None:
        """Remember what pods of a template carry: the adopted label where they have none of ours."""
        ours = any(name.startswith("gitops-rollout.io/") for name in labels)
        adopted = {} if ours or self.adopted is None else dict([self.adopted])
        self._labels.setdefault((made_from, component), {**labels, **adopted})


@dataclass
class Kthena(Ordinals[int, Wanted]):
    """The controller of a ModelServing that rolls by whole groups."""

    groups: dict[int, Group] = field(default_factory=dict)
    current: str = ""
    _wanted: Wanted | None = None
    _pods: tuple[Pod, ...] | None = None

    def tick(self, objects: Sequence[Manifest]) -> bool:
        self._wanted = self._read(objects[0]) if objects else None
        before = (dict(self.groups), self.current)
        if self._wanted is None:
            for ordinal in list(self.groups):
                self._delete(ordinal, Why.SCALED)
            return before[0] != self.groups
        for ordinal, group in self.groups.items():
            self.groups[ordinal] = replace(group, left=max(0, group.left - 1))
        self._scale(self._wanted)
        self._roll(self._wanted)
        self._promote(self._wanted)
        self._heal()
        self._pods = None
        return before != (self.groups, self.current)

    @property
    def pods(self) -> tuple[Pod, ...]:
        if self._pods is None:
            self._pods = tuple(
                pod for ordinal in sorted(self.groups) for pod in self._of(ordinal, self.groups[ordinal])
            )
        return self._pods

    def die(self, uid: int) -> None:
        for ordinal, group in list(self.groups.items()):
            if group.uid == uid:
                self._dead[ordinal] = group.revision
                self._delete(ordinal, Why.DIED)

    def made_from(self, published: Object) -> Mapping[str, str]:
        made = template(published)
        return {text(role.get("name")): made for role in roles_in(published)}

    def wanted(self, manifest: Manifest) -> Mapping[str, int]:
        wanted = self._read(manifest)
        return dict.fromkeys(wanted.labels, wanted.replicas)

    def kept(self, manifest: Manifest) -> Mapping[str, int]:
        wanted = self._read(manifest)
        return dict.fromkeys(wanted.labels, min(wanted.partition, wanted.replicas))

    def _of(self, ordinal: int, group: Group) -> list[Pod]:
        graph = self._wanted.name if self._wanted is not None else ""
        components = [role for made, role in self._labels if made == group.revision]
        return [
            Pod(group.uid, graph, component, group.revision, group.left == 0, ordinal)
            for component in components
        ]

    def _read(self, manifest: Manifest) -> Wanted:
        if manifest not in self._known:
            self._known[manifest] = self._understood(manifest.value)
        return self._known[manifest]

    def _understood(self, value: Object) -> Wanted:
        written = at(value, "spec", "replicas")
        replicas = written if isinstance(written, int) else self.scaled
        limit = at(value, *_ROLLING, "maxUnavailable")
        name = text(at(value, "metadata", "name"))
        wanted = Wanted(
            name,
            replicas,
            resolve_up(at(value, *_ROLLING, "partition"), replicas),
            1 if limit is None else resolve_down(limit, replicas),
            template(value),
            {text(at(role, "name")): entry_labels(name, role) for role in roles_in(value)},
        )
        for role, labels in wanted.labels.items():
            self._labelled(wanted.update, role, labels)
        return wanted

    def _scale(self, wanted: Wanted) -> None:
        for ordinal in range(wanted.replicas):
            if ordinal not in self.groups and len(self.groups) < wanted.replicas:
                below = ordinal < wanted.partition
                revision = self.current if below and self.current else wanted.update
                self.groups[ordinal] = Group(revision, self._born, self.start)
                self._born += 1
        order = sorted(self.groups, key=lambda one: (one >= wanted.partition, self.groups[one].left > 0, one))
        for ordinal in order[::-1][: max(0, len(order) - wanted.replicas)]:
            self._delete(ordinal, Why.SCALED)

    def _roll(self, wanted: Wanted) -> None:
        eligible = [ordinal for ordinal in sorted(self.groups) if ordinal >= wanted.partition]
        outdated = [ordinal for ordinal in eligible if self.groups[ordinal].revision != wanted.update]
        unready = sum(self.groups[ordinal].left > 0 for ordinal in eligible if ordinal not in outdated)
        budget = len(self.groups) - (wanted.replicas - wanted.unavailable) - unready
        worst_last = sorted(outdated, key=lambda one: (self.groups[one].left > 0, one))
        for ordinal in worst_last[::-1][: max(0, budget)]:
            self._delete(ordinal, Why.ROLLED)

    def _promote(self, wanted: Wanted) -> None:
        complete = len(self.groups) == wanted.replicas and all(
            group.left == 0 and group.revision == wanted.update for group in self.groups.values()
        )
        if complete or not self.current:
            self.current = wanted.update

    def _heal(self) -> None:
        replicas = self._wanted.replicas if self._wanted is not None else 0
        for ordinal in list(self._dead):
            group = self.groups.get(ordinal)
            if ordinal >= replicas or (group is not None and group.left == 0):
                del self._dead[ordinal]

    def _delete(self, ordinal: int, why: Why) -> None:
        group = self.groups[ordinal]
        self.deaths += [Death(pod, why) for pod in self._of(ordinal, group)]
        del self.groups[ordinal]
        self._pods = None


def roles_in(value: Object) -> list[Object]:
    """Give the roles of an object."""
    return [mapping(role) for role in sequence(at(value, "spec", "template", "roles"))]


def entry_labels(name: str, role: Object) -> Mapping[str, Json]:
    """Give the labels that the entry pods of a role carry."""
    written = mapping(at(role, "entryTemplate", "metadata", "labels"))
    told = {"name": name, "role": text(role.get("name")), "entry": "true"}
    return {**written, **{f"{_LABELS}/{label}": value for label, value in told.items()}}
