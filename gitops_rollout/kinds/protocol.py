"""What a workload kind must be able to say; nothing outside a kind's package asks which kind it is."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from gitops_rollout.api.graph_terms import Contract, Strategy
from gitops_rollout.api.policy import Policy
from gitops_rollout.api.problems import Problem
from gitops_rollout.api.values import Json, Object
from gitops_rollout.api.verdict import Impact
from gitops_rollout.api.workload import Spec, Thresholds, WorkloadKey


@dataclass(frozen=True, slots=True)
class Checked:
    """What became of one document: the spec, or why it is refused. Never both empty."""

    spec: Spec | None
    problems: tuple[Problem, ...] = ()
    """Refusals; all problems of a document are reported in one pass."""
    warnings: tuple[Problem, ...] = ()
    excusable: Spec | None = None
    """The spec of a document that is refused for nothing but what its policy may excuse."""


@dataclass(frozen=True, slots=True)
class Injection:
    """Labels that a revision carries in its pod templates, fixed at its first publication (R23).

    `labels` maps a component (role) to the labels added to all its pod templates; the component
    "*" stands for every component. Empty: nothing is added.
    """

    labels: Mapping[str, Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Endpoint:
    """The pods of one component that answer requests.

    `labels` are what the controller puts on exactly these pods, `written` those of their template;
    `ports` maps every declared port to whether the main container declares it, and not a sidecar.
    `prefix` is what the controller's own labels begin with, `telling` those of them that each revision
    has another value of. `apart`: `labels` alone tell the revision, for it is an object of its own.
    `pool` names the InferencePool that the controller itself makes of them, empty where it makes none.
    """

    labels: Mapping[str, str]
    written: Mapping[str, str]
    ports: Mapping[int, bool]
    prefix: str
    telling: frozenset[str]
    apart: bool = False
    pool: str = ""

    def unfit(self, label: str) -> str:
        """Say why a label tells no revision from another, whatever its value; empty when it may."""
        if label in self.telling or not label.startswith(self.prefix):
            return ""
        known = " and ".join(sorted(self.telling))
        return f"{label} is the controller's and alike in every revision; of its labels only {known} tell"


@dataclass(frozen=True, slots=True)
class Kept:
    """A source text with the contracts that its routers and workers keep to (see `router_contracts`)."""

    text: Object
    contracts: Sequence[Contract]


@dataclass(frozen=True, slots=True)
class RoutersAlone:
    """The routers that a revision needs an object for, where the workers of another one serve both.

    No components: all of it is new, and `why_not` says why where people declared that less would do.
    """

    components: frozenset[str] = frozenset()
    why_not: str = ""


ROUTER, WORKER = "router", "worker"
"""What a component does for a request, beside prefill and decode (see `Kind.roles`)."""


class Grouped(Protocol):
    """What people say of components that serve a request together, whichever way their revisions are held."""

    def groups(self, controls: Object) -> Mapping[str, frozenset[str]]:
        """Give the components by the release group that the source itself puts them into."""
        ...

    def paused(self, controls: Object) -> frozenset[str]:
        """Name the components that people hold where they are."""
        ...


class Beside(Grouped, Protocol):
    """What a kind must say besides whose revisions are objects of their own, one beside the other."""

    def name(self, key: WorkloadKey, digest: str, others: Collection[str]) -> str:
        """Name the object of a revision apart from everything in `others` (see `scope`); empty: none is."""
        ...

    def scope(self, namespace: str, name: str) -> str:
        """Give what no two objects may share a prefix of, so that their parts do not find each other."""
        ...

    def with_replicas(self, controls: Object, replicas: Thresholds) -> Object:
        """Give controls that write exactly these replicas for the components that are named."""
        ...

    def replicas(self, published: Object) -> Thresholds:
        """Read the replicas that a published object asks for, as far as they can be read."""
        ...

    def foreign(self, text: Object, controls: Object) -> frozenset[str]:
        """Name the components whose replicas the cluster owns: they are born once and never written."""
        ...

    def last_down(self, text: Object) -> frozenset[str]:
        """Name the components that are scaled down last, for others need them until they are gone."""
        ...

    def routers_alone(self, old: Kept, new: Kept, controls: Object, answers: str) -> RoutersAlone:
        """Say whether only routers changed that keep an equal contract with the workers of `old`.

        `answers` names the component that requests are sent to.
        """
        ...

    def router_contracts(self, text: Object, declared: Sequence[Contract]) -> tuple[Contract, ...]:
        """Give the contracts between routers and workers of a revision: its own, and those of `declared`."""
        ...

    def bound(self, value: Object, components: Collection[str], scope: str) -> Object:
        """Give a rendered object with these routers alone, which find their workers under `scope`."""
        ...

    def restart(self, controls: Object) -> Json:
        """Give the order to restart that stands in the controls: a new object must not be born with it."""
        ...

    def without_restart(self, controls: Object) -> Object:
        """Give controls that order no restart."""
        ...


class Counted(Grouped, Protocol):
    """What a kind must say besides whose partition is a number of replicas that stay on the revision before,
    component by component, in the one object.
    """

    def with_groups(self, controls: Object, groups: Mapping[str, Collection[str]]) -> Object:
        """Give controls that write these release groups."""
        ...

    def without_pauses(self, controls: Object) -> Object:
        """Give controls that pause nothing."""
        ...

    def mixed(self, stable: Spec, before: Policy, new: Spec, after: Policy) -> Iterator[Problem]:
        """Find what of `new` would serve requests together with what stays of `stable`.

        `before` is the policy in force for stable, `after` the one for `new`.
        """
        ...


class Kind(Protocol):
    """One workload kind: identify, check, project, render, foretell."""

    @property
    def kind(self) -> str: ...  # "ModelServing"
    @property
    def short(self) -> str: ...  # "ms": in branch names and on the command line
    @property
    def api_versions(self) -> Sequence[str]: ...  # "workload.serving.volcano.sh/v1alpha1"
    @property
    def filename(self) -> str: ...  # "modelserving.yaml", below capacity/

    @property
    def splits(self) -> bool: ...  # whether a new revision can be let in by parts, or only as a whole

    @property
    def beside(self) -> Beside | None: ...  # how revisions stand beside each other; None: in one object

    @property
    def counted(self) -> Counted | None: ...  # a partition counts replicas; None: it is an ordinal, or none

    def under(self, strategy: Strategy | None) -> "Kind":
        """Give the kind as it is under a strategy; None: its own default."""
        ...

    def check(self, value: Object, default_namespace: str) -> Checked:
        """Check one document on its own and split it. Pure; `value` is not mutated."""
        ...

    def check_update(self, text: Object, controls: Object, new: Spec) -> tuple[Problem, ...]:
        """Refuse what may not change against the last accepted text and controls."""
        ...

    def heeds(self, warning: Problem) -> bool:
        """Say whether a warning of a check is true under this strategy: a check knows no policy."""
        ...

    def excused(self, spec: Spec, contracts: Sequence[Contract]) -> bool:
        """Say whether these contracts of its policy excuse all that an `excusable` spec is refused for."""
        ...

    def strategy_faults(self, spec: Spec, policy: Policy) -> Iterator[Problem]:
        """Find what of a policy this workload cannot do, at paths below the RevisionRollout's `spec`.

        What the policy holds for every kind is not judged here; nor is a policy that is not `particular`.
        """
        ...

    def canonical(self, text: Object) -> Json:
        """Give the form in which equal revisions are equal values: typed, normalised, hashable."""
        ...

    def components(self, text: Object) -> Mapping[str, Json]:
        """Give the canonical form of each component by name (ModelServing: role projections)."""
        ...

    def roles(self, text: Object) -> Mapping[str, str]:
        """Give what each component does for a request: router, worker, prefill or decode; those that no
        request passes through are left out. Empty: requests choose nothing here.
        """
        ...

    def endpoint(self, text: Object, name: str, component: str) -> Endpoint | None:
        """Give the pods of `component` that answer requests, of the object `name`; None: there are none."""
        ...

    def answering(self, text: Object) -> str:
        """Name the one component that may answer requests; empty where there is none, or several."""
        ...

    def by_component(self, controls: Object) -> bool:
        """Say whether components roll on their own (RoleRollingUpdate) or as one whole."""
        ...

    def labels_by_component(self, controls: Object) -> bool:
        """Say whether a revision labels only the components that changed, so that the others do not roll."""
        ...

    def counts(self, controls: Object) -> Thresholds:
        """Give the desired replicas of each thing that moves: {"*": groups}, or replicas by role."""
        ...

    def floors(self, controls: Object) -> Thresholds:
        """Give the partition that people wrote, resolved to numbers, for each thing that moves."""
        ...

    def hold_loosening(self, old: Object, new: Object) -> Object:
        """Give `new`, with what loosens protection kept as in `old` (R10): for use under a candidate."""
        ...

    def without_replicas(self, controls: Object) -> Object:
        """Give controls under which the cluster owns the replicas: never written, counted in percent (R8).

        `counts` then is 100 for what an autoscaler scales, and thresholds of it are percentages.
        """
        ...

    def retain(self, old: Object, new: Object, components: Collection[str]) -> Object:
        """Give `new`, with the controls of those of `components` that only `old` still has."""
        ...

    def render(
        self, text: Object, controls: Object, injection: Injection, partition: Thresholds | None
    ) -> Object:
        """Give the object to publish, without our annotations.

        `partition` None: the partition as people wrote it in `controls`; else exactly these numbers.
        Restricted to its revisioned fields the result is value-identical to `text` plus `injection`.
        """
        ...

    def read_partition(self, published: Object, controls: Object) -> Thresholds:
        """Read the thresholds that a published object shows; what is not written is 0."""
        ...

    def restored(self, data: Json, current: Object) -> Object | None:
        """Give the source text that a ControllerRevision of this kind's own controller stands for.

        What it does not hold is taken from `current`. None: it cannot be told, or the controller
        keeps no such history.
        """
        ...

    def impact(self, old: Spec, new: Spec) -> Impact:
        """Say what a change does: verdict, components, pods, changed paths, warnings."""
        ...
