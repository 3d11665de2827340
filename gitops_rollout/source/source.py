"""What people wrote, at one commit."""

import json
import re
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias, TypeVar

from gitops_rollout.api.calendar import Freeze
from gitops_rollout.api.graph_terms import Strategy
from gitops_rollout.api.policy import Proof
from gitops_rollout.api.policy_document import POLICY_ANNOTATION, RevisionRollout, RolloutPolicy
from gitops_rollout.api.policy_merge import Explained, Wish, merge_policy
from gitops_rollout.api.problems import Problem
from gitops_rollout.api.values import Object, mapping
from gitops_rollout.api.workload import Spec, WorkloadKey
from gitops_rollout.documents.load import Limits, load
from gitops_rollout.kinds.registry import kind_named
from gitops_rollout.source.item import Item
from gitops_rollout.traffic.asked import Asked
from gitops_rollout.traffic.explicit import GATEWAY_GROUP
from gitops_rollout.traffic.terms import route_name, routed

Content: TypeAlias = Callable[[Item], bytes]
"""Gives what is kept of a document's content."""
NO_CLUSTER = "no pipeline observes a cluster yet; write Manual, or leave it out"
_Key = TypeVar("_Key", bound=Hashable)
_Value = TypeVar("_Value")


@dataclass(frozen=True, slots=True, order=True)
class ObjectKey:
    """Identity of another object; `namespace` is empty for what belongs to none."""

    namespace: str
    group: str
    kind: str
    name: str


@dataclass(frozen=True, slots=True)
class Other:
    """An object beside the workloads; `raw` are its bytes exactly as written, published unchanged.

    `namespace` None: it belongs to none. Without a namespace of its own it counts to the default one.
    """

    namespace: str | None
    group: str
    kind: str
    name: str
    raw: bytes
    file: str
    document: int

    @property
    def value(self) -> Object:
        """Read it; what was accepted can be read."""
        (document,) = load(self.raw, Limits())
        return mapping(document.value)


@dataclass(frozen=True, slots=True)
class Dry:
    """The commit that a rendered branch was made from, as its hydrator.metadata says (empty: not said)."""

    commit: str
    author: str = ""


class _Kept(Mapping[_Key, _Value]):
    """Documents by identity. Each access reads one anew from what is kept of it: hold on to it while
    it is needed, and no longer.
    """

    def __init__(self, items: Mapping[_Key, Item], content: Content) -> None:
        self._items = items
        self._content = content

    def __iter__(self) -> Iterator[_Key]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __contains__(self, key: object) -> bool:
        return key in self._items

    def digest(self, key: _Key) -> str:
        """Tell, without reading: equal as long as what `[key]` holds is equal by every byte."""
        return self._items[key].body

    def file(self, key: _Key) -> str:
        """Tell, without reading, which file it stands in."""
        return self._items[key].file


class Specs(_Kept[WorkloadKey, Spec]):
    """The accepted specs."""

    def __getitem__(self, key: WorkloadKey) -> Spec:
        item = self._items[key]
        text, controls = json.loads(self._content(item))
        return Spec(key, text, controls, item.warnings, item.file, item.document)

    def warned(self) -> Iterator[tuple[WorkloadKey, tuple[Problem, ...]]]:
        """Give the warnings of those that have any, without reading one."""
        return ((key, item.warnings) for key, item in self._items.items() if item.warnings)

    def warning(self, warnings: Mapping[WorkloadKey, tuple[Problem, ...]]) -> "Specs":
        """Give the same specs with other warnings of some."""
        other = {key: replace(self._items[key], warnings=found) for key, found in warnings.items()}
        return Specs({**self._items, **other}, self._content)


class Others(_Kept[ObjectKey, Other]):
    """The other objects that are published."""

    def __getitem__(self, key: ObjectKey) -> Other:
        item = self._items[key]
        raw = self._content(item)
        return Other(key.namespace or None, key.group, key.kind, key.name, raw, item.file, item.document)


@dataclass(frozen=True, slots=True)
class Policies:
    """Every RolloutPolicy by name and every RevisionRollout by its workload, refused ones too.

    `freezes` are in force together; one that is refused freezes everything.
    """

    fleet: Mapping[str, RolloutPolicy] = field(default_factory=dict)
    own: Mapping[WorkloadKey, RevisionRollout] = field(default_factory=dict)
    freezes: tuple[Freeze, ...] = ()
    sharing: Mapping[WorkloadKey, tuple[RevisionRollout, ...]] = field(default_factory=dict)
    """Workloads that ask to answer the same requests, with the others that do."""


@dataclass(frozen=True, slots=True)
class Source:
    """One commit, read to its end.

    What is in `refused` or `held` is there and not usable: its last accepted state stays in force and
    it is never deleted. While `unreadable`, nothing at all may be taken for deleted, and a policy that
    is missing may only be out of sight.
    """

    commit: str
    specs: Specs
    refused: Mapping[WorkloadKey, tuple[Problem, ...]]
    others: Others
    publishes: bool
    """Whether the other objects are published from here (`others: Ignore`: somebody else sees to them)."""
    held: frozenset[ObjectKey]
    """Other objects that are refused, such as one that stands in two files."""
    policies: Policies
    marks: Mapping[WorkloadKey, Mapping[str, str]]
    """Annotations gitops-rollout.io/… of the specs that have any."""
    problems: tuple[Problem, ...]
    warnings: tuple[Problem, ...]
    unreadable: bool
    dry: Dry | None
    observes: bool = False
    """Whether whoever reads it sees the cluster, so that facts can be proven (`proof: Cluster`)."""

    def heeding(self) -> "Source":
        """Give the same source without the warnings that the strategies of its workloads make untrue."""
        untrue = {
            key: {one for one in warnings if not self._heeds(key, one)}
            for key, warnings in self.specs.warned()
        }
        kept = {
            key: tuple(one for one in warnings if one not in untrue[key])
            for key, warnings in self.specs.warned()
            if untrue[key]
        }
        if not kept:
            return self
        gone = {one for found in untrue.values() for one in found}
        warnings = tuple(one for one in self.warnings if one not in gone)
        return replace(self, specs=self.specs.warning(kept), warnings=warnings)

    def _heeds(self, key: WorkloadKey, warning: Problem) -> bool:
        kind = kind_named(key.kind)
        if kind is None or all(kind.under(one).heeds(warning) for one in Strategy):
            return True
        return kind.under(self.policy(key).policy.strategy).heeds(warning)

    def policy(self, key: WorkloadKey, default: str | None = None) -> Explained:
        """Give the policy of an accepted spec, and where each of its fields comes from."""
        annotation = self.marks.get(key, {}).get(POLICY_ANNOTATION)
        own = self.policies.own.get(key)
        wish = Wish(self.specs.file(key), own, annotation, default)
        found = self._routed(merge_policy(wish, self.policies.fleet), key, own)
        problems = (*found.problems, *self._impossible(found, key))
        file = own.file if own is not None else self.specs.file(key)
        return replace(found, problems=tuple(_placed(one, own, file) for one in problems))

    def route_key(self, key: WorkloadKey) -> ObjectKey | None:
        """Name the HTTPRoute of the source whose place this workload's route takes, where it says so."""
        own = self.policies.own.get(key)
        if own is None or own.routing is None or not own.routing.route:
            return None
        return ObjectKey(key.namespace, GATEWAY_GROUP, "HTTPRoute", own.routing.route)

    def own_route(self, key: WorkloadKey) -> ObjectKey | None:
        """Name the HTTPRoute that is written and owned for this workload, where it asks for one."""
        own = self.policies.own.get(key)
        if own is None or own.routing is None:
            return None
        return ObjectKey(key.namespace, GATEWAY_GROUP, "HTTPRoute", route_name(key, own.routing))

    def _impossible(self, explained: Explained, key: WorkloadKey) -> Iterator[Problem]:
        """Find what of a policy its workload, or a pipeline of this version, cannot do."""
        policy, kind = explained.policy, kind_named(key.kind)
        if policy.proof is Proof.CLUSTER and not self.observes:
            yield Problem(path="proof", code="NOT_YET", message=NO_CLUSTER)
        # The route of a policy with problems is left out: nothing can be said of it.
        if kind is not None and policy.particular and not explained.problems:
            yield from kind.strategy_faults(self.specs[key], policy)

    def _routed(self, explained: Explained, key: WorkloadKey, own: RevisionRollout | None) -> Explained:
        kind = kind_named(key.kind)
        if own is None or own.routing is None or kind is None:
            return routed(explained, None)
        not_own = self._not_its_own(key, own)
        if not_own is not None:
            return replace(explained, problems=(*explained.problems, not_own))
        named = self.route_key(key)
        written = self.others[named].value if named is not None and named in self.others else None
        where = f"RevisionRollout {own.name}"
        kind = kind.under(explained.policy.strategy)
        return routed(explained, Asked(key, kind, self.specs[key].text, own.routing, written, where))

    def _not_its_own(self, key: WorkloadKey, own: RevisionRollout) -> Problem | None:
        """Find why the terms of a route cannot be this workload's alone."""
        named = own.routing is not None and bool(own.routing.route)
        path, sharing = "spec.route" if named else "spec.gateway", self.policies.sharing.get(key, ())
        if sharing:
            names = ", ".join(f"{one.workload.name} ({one.file})" for one in sharing)
            message = f"{names} asks for the same requests; only one of two routes would ever answer"
            return Problem(own.file, own.document, path, "ROUTE_NOT_OWNED", message)
        if named and not self.publishes:
            message = "others: Ignore leaves that route to somebody else; write its terms under gateway"
            return Problem(own.file, own.document, path, "POLICY_INVALID", message)
        return None


def _placed(problem: Problem, own: RevisionRollout | None, file: str) -> Problem:
    """Say where a problem of put-together policies stands: a field may come from a policy that is named."""
    if problem.file:
        return problem
    fields = own.fields if own is not None else None
    name = _SHARED.get(re.split(r"[.\[]", problem.path)[0])
    if name is not None and (fields is None or getattr(fields, name) is None):
        message = f"{problem.path} of its policy: {problem.message}"
        return replace(problem, file=file, path="", message=message)
    return problem.within(file, own.document if own is not None else 0).under("spec")


_SHARED = {
    "steps": "steps",
    "proof": "proof",
    "strategy": "strategy",
    "renamesGraph": "renames_graph",
    "capacity": "capacity",
    "retireDelay": "retire_delay",
    "replicasFrom": "replicas_from",
    "deletion": "deletion",
}
"""Fields that a policy for a fleet may write for a workload, and what they are called when read."""
