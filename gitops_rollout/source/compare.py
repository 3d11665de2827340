"""Documents side by side: what stands twice is refused everywhere it stands, in whatever order it is read.

Codes: DUPLICATE one object in two places; NAME_SHARED two workload kinds with one name in one
namespace; POLICY_INVALID two policies for one folder. Warning: POLICY_UNUSED a RevisionRollout whose
workload is not in the source.
"""

import json
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from gitops_rollout.api.calendar import Freeze
from gitops_rollout.api.calendar_document import UNREADABLE, read_freeze
from gitops_rollout.api.policy_document import (
    FOLDER_ANNOTATION,
    RevisionRollout,
    RolloutPolicy,
    read_policy,
    read_rollout,
)
from gitops_rollout.api.problems import Problem
from gitops_rollout.api.workload import Spec, WorkloadKey
from gitops_rollout.source.identify import Terms
from gitops_rollout.source.item import Item, Sort
from gitops_rollout.source.source import Content, ObjectKey, Policies

_Key = TypeVar("_Key", bound=Hashable)
_SHARED = "NAME_SHARED"


@dataclass(frozen=True, slots=True)
class Compared:
    """The documents by what they are. Who shares an identity is refused, and its items stay together."""

    workloads: Mapping[WorkloadKey, Sequence[Item]]
    others: Mapping[ObjectKey, Sequence[Item]]
    fleet: Mapping[str, Sequence[Item]]
    own: Mapping[WorkloadKey, Sequence[Item]]
    freezes: Mapping[str, Sequence[Item]]
    rest: Sequence[Item]

    @property
    def items(self) -> list[Item]:
        """Give every document."""
        groups = (self.workloads, self.others, self.fleet, self.own, self.freezes)
        return [item for group in groups for same in group.values() for item in same] + [*self.rest]

    @property
    def specs(self) -> Mapping[WorkloadKey, Item]:
        """Give the accepted specs."""
        return {key: same[0] for key, same in self.workloads.items() if same[0].sort is Sort.SPEC}

    @property
    def refused(self) -> Mapping[WorkloadKey, tuple[Problem, ...]]:
        """Give the reasons of those that are not accepted."""
        return {
            key: tuple(sorted({problem for item in same for problem in item.problems}))
            for key, same in self.workloads.items()
            if same[0].sort is Sort.REFUSED
        }

    @property
    def published(self) -> Mapping[ObjectKey, Item]:
        """Give the other objects that are accepted."""
        return {key: same[0] for key, same in self.others.items() if not same[0].problems}

    @property
    def held(self) -> frozenset[ObjectKey]:
        """Give the other objects that are there and refused."""
        return frozenset(key for key, same in self.others.items() if same[0].problems)

    def excusing(self, terms: Terms, content: Content) -> "Compared":
        """Accept what is refused for nothing but what the contracts of its policy excuse."""
        excused = dict(self.workloads)
        for key, same in self.workloads.items():
            if same[0].sort is Sort.REFUSED and same[0].body and len(same) == 1 and key in self.own:
                excused[key] = [_excused(same[0], _rollout(self.own[key][0], terms), content, terms)]
        return replace(self, workloads=excused)

    def policies(self, terms: Terms) -> Policies:
        """Give the policies; one that is refused has no fields."""
        fleet = {name: _policy(same[0]) for name, same in self.fleet.items()}
        own = {key: _rollout(same[0], terms) for key, same in self.own.items()}
        freezes = tuple(_freeze(item) for same in self.freezes.values() for item in same)
        rollouts = {key: rollout for key, rollout in own.items() if rollout is not None}
        return Policies(fleet, rollouts, freezes, _sharing(rollouts))


def compare(items: Iterable[Item], terms: Terms) -> Compared:
    """Sort the documents of a source and refuse what is there twice."""
    by_sort: dict[Sort, list[Item]] = {sort: [] for sort in Sort}
    for item in items:
        by_sort[item.sort].append(item)
    workloads = _unshared(_unique([*by_sort[Sort.SPEC], *by_sort[Sort.REFUSED]], _workload_key))
    fleet = _one_a_folder(_unique(by_sort[Sort.POLICY], lambda item: item.name))
    own = _unique(by_sort[Sort.ROLLOUT], lambda item: _target(item, terms))
    return Compared(
        workloads,
        _unique(by_sort[Sort.OTHER], _object_key),
        fleet,
        {key: [_used(item, key, workloads) for item in same] for key, same in own.items()},
        _unique(by_sort[Sort.FREEZE], lambda item: item.name),
        [*by_sort[Sort.KEPT], *by_sort[Sort.UNKNOWN], *by_sort[Sort.NOTHING]],
    )


def _object_key(item: Item) -> ObjectKey:
    """Give the identity of another object."""
    return ObjectKey(item.namespace, item.group, item.kind, item.name)


def _workload_key(item: Item) -> WorkloadKey:
    return WorkloadKey(item.namespace, item.kind, item.name)


def _target(item: Item, terms: Terms) -> WorkloadKey:
    rollout = _rollout(item, terms)
    return rollout.workload if rollout is not None else _workload_key(item)


def _unique(items: Iterable[Item], key: Callable[[Item], _Key]) -> dict[_Key, list[Item]]:
    groups: dict[_Key, list[Item]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    for name, same in groups.items():
        if len(same) > 1:
            places = ", ".join(sorted(item.place for item in same))
            message = f"{same[0].kind} {same[0].name} stands in {len(same)} places: {places}; keep one"
            groups[name] = _refuse(same, Problem(path="metadata.name", code="DUPLICATE", message=message))
    return groups


def _unshared(workloads: dict[WorkloadKey, list[Item]]) -> dict[WorkloadKey, list[Item]]:
    """Refuse workloads of different kinds that share a name: their output would share a folder."""
    sharing: dict[tuple[str, str], list[WorkloadKey]] = {}
    for key in workloads:
        sharing.setdefault((key.namespace, key.name), []).append(key)
    for keys in sharing.values():
        if len(keys) > 1:
            sharers = [item for key in keys for item in workloads[key]]
            names = ", ".join(sorted(f"{item.kind} in {item.place}" for item in sharers))
            message = f"the name is shared by {names}; give each a name of its own"
            problem = Problem(path="metadata.name", code=_SHARED, message=message)
            workloads |= {key: _refuse(workloads[key], problem) for key in keys}
    return workloads


def _one_a_folder(fleet: dict[str, list[Item]]) -> dict[str, list[Item]]:
    by_folder: dict[str, list[str]] = {}
    for name, same in fleet.items():
        for folder in {_folder(item) for item in same if _for_folder(item)}:
            by_folder.setdefault(folder, []).append(name)
    for folder, names in by_folder.items():
        if len(names) > 1:
            message = f"{', '.join(sorted(names))} are all for the folder {folder or '.'}; keep one"
            path = f"metadata.annotations[{FOLDER_ANNOTATION}]"
            problem = Problem(path=path, code="POLICY_INVALID", message=message)
            fleet |= {name: _refuse(fleet[name], problem) for name in names}
    return fleet


def _excused(item: Item, own: RevisionRollout | None, content: Content, terms: Terms) -> Item:
    kind = terms.kinds.get((item.group, item.kind))
    contracts = own.fields.contracts if own is not None and own.fields is not None else None
    shared = any(one.code == _SHARED for one in item.problems)
    if kind is None or not contracts or shared:
        return item
    text, controls = json.loads(content(item))
    if not kind.excused(Spec(_workload_key(item), text, controls), contracts):
        return item
    return replace(item, sort=Sort.SPEC, problems=())


def _used(item: Item, key: WorkloadKey, workloads: Mapping[WorkloadKey, object]) -> Item:
    if key in workloads:
        return item
    message = f"there is no {key.kind} {key.name} in namespace {key.namespace}"
    warning = Problem(item.file, item.document, "spec.workload", "POLICY_UNUSED", message)
    return replace(item, warnings=(*item.warnings, warning))


def _refuse(items: Iterable[Item], problem: Problem) -> list[Item]:
    return [item.refused(problem) for item in items]


def _folder(item: Item) -> str:
    return item.file.rpartition("/")[0]


def _for_folder(item: Item) -> bool:
    return item.marks.get(FOLDER_ANNOTATION) == "true"


def _policy(item: Item) -> RolloutPolicy:
    policy, _ = read_policy(item.value or {})
    fields = None if item.problems else policy.fields
    return replace(policy, fields=fields, file=item.file, document=item.document)


def _sharing(own: Mapping[WorkloadKey, RevisionRollout]) -> dict[WorkloadKey, tuple[RevisionRollout, ...]]:
    """Find the workloads that ask to answer the same requests, as far as it is written."""
    asking: dict[tuple[str, str], list[RevisionRollout]] = {}
    for key, one in own.items():
        if one.routing is not None:
            terms = one.routing.gateway
            requests = one.routing.route or repr((terms.parent_refs, terms.hostnames, terms.matches))
            asking.setdefault((key.namespace, requests), []).append(one)
    groups = [group for group in asking.values() if len(group) > 1]
    return {
        one.workload: tuple(other for other in group if other is not one) for group in groups for one in group
    }


def _freeze(item: Item) -> Freeze:
    """Give a freeze; one that is refused for any reason freezes everything: unknown is never a yes."""
    freeze, _ = read_freeze(item.value or {})
    return Freeze(freeze.name, reason=UNREADABLE) if item.problems else freeze


def _rollout(item: Item, terms: Terms) -> RevisionRollout | None:
    rollout, _ = read_rollout(item.value or {}, terms.default_namespace, terms.words)
    if rollout is None:
        return None
    fields = None if item.problems else rollout.fields
    return replace(rollout, fields=fields, file=item.file, document=item.document)
