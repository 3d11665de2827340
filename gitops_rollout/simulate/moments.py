"""The world at one moment, as the invariants and the timeline see it: values that never change again."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property

from gitops_rollout.api.policy import Policy
from gitops_rollout.api.workload import Thresholds
from gitops_rollout.kinds.protocol import Kind
from gitops_rollout.output.versions import Version
from gitops_rollout.rollout import beside_bound, routing
from gitops_rollout.rollout.file import folder_digest
from gitops_rollout.rollout.state import State
from gitops_rollout.simulate.branch import Files
from gitops_rollout.simulate.controllers import Death, Pod, Reach
from gitops_rollout.simulate.gateway import POOLS, ROUTE, Answers
from gitops_rollout.simulate.manifests import Library, Manifest, Name
from gitops_rollout.simulate.routers import Accepted, Told


@dataclass(frozen=True)
class Shown:
    """What one commit of the output shows, all of it read."""

    commit: str
    version: Version
    capacity: Mapping[Name, Manifest]
    traffic: Mapping[Name, Manifest]

    @cached_property
    def state(self) -> State | None:
        """Give its record, None where it cannot be used."""
        return self.version.file.state if self.version.file is not None else None

    @cached_property
    def merged(self) -> bool:
        """Say whether a gate was merged here that no pass has answered yet."""
        file = self.version.file
        return file is not None and file.approved is not None and file.fence.seq == file.state.seq + 1

    @cached_property
    def intact(self) -> bool:
        """Say whether the folder is as a pass, or a gate that was merged, left it: no hand was in between."""
        file = self.version.file
        return file is not None and file.fence.digest == folder_digest(self.version.files)

    @cached_property
    def workloads(self) -> tuple[Manifest, ...]:
        """Give the objects that pods are made of."""
        kind = self.state.workload.kind if self.state is not None else ""
        return tuple(one for name, one in self.capacity.items() if name[0] == kind)

    @cached_property
    def recorded(self) -> Mapping[str, Manifest]:
        """Give the ControllerRevisions by name."""
        return {name: one for (kind, name), one in self.capacity.items() if kind == "ControllerRevision"}

    @cached_property
    def route(self) -> Manifest | None:
        return next((one for name, one in self.traffic.items() if name[0] == ROUTE), None)

    @cached_property
    def pools(self) -> Mapping[Name, Manifest]:
        return {name: one for name, one in self.traffic.items() if name[0] in POOLS}

    @cached_property
    def policy(self) -> Policy | None:
        return Policy.from_json(self.state.accepted.policy) if self.state is not None else None


def shown(version: Version, library: Library, files: Files, folder: str) -> Shown:
    """Read what a version of the folder shows whoever applies it: all that stands there."""
    halves = (library.below(files, f"{folder}/{half}") for half in ("capacity", "traffic"))
    return Shown(version.commit, version, *halves)


@dataclass(frozen=True, slots=True)
class Ledger:
    """What people have done so far, as far as a promise depends on it.

    `let_in` are the revisions that a merge or a hand showed the cluster; `low` are the lowest thresholds
    that the branch has shown of the candidate that serves now, whoever lowered them.
    """

    let_in: frozenset[str] = frozenset()
    low: Thresholds | None = None
    careless: bool = False
    """Somebody merged what was not true, edited the output, or set it back."""
    overdue: bool = False
    """A wait of a way down ended by its deadline, without a proof: that is said aloud (R13)."""
    scaled: bool = False
    """Replicas were changed while a rollout was on."""
    rewound: bool = False
    """The branch was set back: what its newest commits held is known to nobody who starts anew."""
    top: int = 0
    """The highest seq that the branch has shown."""
    whole: frozenset[str] = frozenset()
    """Revisions that everything was approved of in this rollout: their controller may take one for its own
    current revision since, and make what is protected from it until another one is whole (R11)."""


@dataclass(frozen=True, slots=True)
class Count:
    """Replicas of one revision: how many exist, and how many of them answer."""

    existing: int = 0
    ready: int = 0


@dataclass(frozen=True, slots=True)
class Pools:
    """What the live pools select, by the labels that pods really carry."""

    ready: Mapping[str, int] = field(default_factory=dict)
    """Revision of a pool → pods that it selects and that answer."""
    shared: tuple[int, ...] = ()
    """Pods that two pools of different revisions select."""


@dataclass(frozen=True)
class Moment:
    """One moment: who moved, what they did, and how the world stands after it."""

    tick: int
    now: datetime
    actor: str
    did: str
    kind: Kind
    head: Shown | None
    pods: tuple[Pod, ...]
    names: Mapping[str, frozenset[str]]
    """What pods are made from → the revisions that make such pods: a component may be alike in two."""
    answers: Answers
    pools: Pools
    live: Mapping[Name, Manifest]
    programmed: Manifest | None
    hurt: frozenset[str]
    ledger: Ledger
    shapes: Mapping[str, frozenset[str]]
    """The components of each revision."""
    wanted: Mapping[str, int]
    """How many replicas the live objects ask for, by component."""
    deaths: tuple[Death, ...] = field(default=(), repr=False)
    """The pods that went with this move."""
    reach: tuple[Reach, ...] = field(default=(), repr=False)
    """Where the pods that take requests send them on to."""
    draining: frozenset[str] = frozenset()
    """Revisions that still answer requests of a route that is in force no more."""
    bound: Mapping[str, str] = field(default_factory=dict)
    """Graph of routers → graph whose workers they use, as it was ever recorded."""
    prunes: bool = False
    """The live CRD drops the field that holds a candidate back (R26)."""
    told: Mapping[int, Told] = field(default_factory=dict, repr=False)
    """What each router holds, by the UID of its pod."""
    accepted: tuple[Accepted, ...] = field(default=(), repr=False)
    """All that routers ever accepted, in order."""
    _holders: dict[tuple[str, str], frozenset[str]] = field(default_factory=dict, repr=False, compare=False)

    @cached_property
    def state(self) -> State | None:
        return self.head.state if self.head is not None else None

    @cached_property
    def serving(self) -> frozenset[str]:
        """Name the revisions that may serve: stable, the candidate, and one whose gate was just merged."""
        state, file = self.state, self.head.version.file if self.head is not None else None
        if state is None or file is None:
            return frozenset()
        coming = file.approved.revision if file.approved is not None else None
        return frozenset(one for one in (state.stable, state.candidate, coming) if one is not None)

    @cached_property
    def component(self) -> str | None:
        """Name the component that answers requests; None: all of them count alike."""
        if self.state is None:
            return None
        gateway = routing.in_view(self.state)
        return gateway.component if gateway is not None else None

    @cached_property
    def counts(self) -> Mapping[str, Count]:
        """Give the replicas of each revision; pods that live and die together are one."""
        found: dict[str, dict[int, bool]] = {}
        for pod in self.pods:
            units = found.setdefault(self.revision(pod), {})
            units[pod.uid] = units.get(pod.uid, True) and pod.ready
        return {name: Count(len(units), sum(units.values())) for name, units in found.items()}

    @cached_property
    def parts(self) -> Mapping[str, Mapping[str, Count]]:
        """Give the replicas of each revision by component; each counts once."""
        return _by_component((self.revision(pod), pod) for pod in self.pods)

    @cached_property
    def sides(self) -> Mapping[str, Mapping[str, Count]]:
        """Give the replicas that serve each revision, by component: workers that two of them use count for
        both.
        """
        return _by_component((one, pod) for pod in self.pods for one in self.served(pod))

    def served(self, pod: Pod) -> frozenset[str]:
        """Name the revisions that a pod serves: its own, and those whose routers use workers of its graph."""
        found, state = self.revisions(pod), self.state
        if self.kind.beside is None or state is None:
            return found
        key = (pod.graph, pod.component)
        if key not in self._holders:
            self._holders[key] = frozenset(
                one.revision
                for one in state.graphs
                if beside_bound.holder(state, one.revision, pod.component) == pod.graph
            )
        own = {one.revision for one in state.graphs if one.name == pod.graph}
        return self._holders[key] if own & found else found

    def revisions(self, pod: Pod) -> frozenset[str]:
        """Name the revisions that make such a pod, as far as they are recorded."""
        return self.names.get(pod.made_from, frozenset())

    def revision(self, pod: Pod) -> str:
        """Name the revision of a pod: where several make such pods, the one that serves first."""
        found, state = self.served(pod), self.state
        order = (state.stable, state.candidate) if state is not None else ()
        return next((one for one in order if one in found), min(found, default="(unknown)"))

    def count(self, revision: str | None) -> Count:
        """Give the replicas of a revision."""
        return self.counts.get(revision or "", Count())

    @property
    def asked(self) -> int:
        """Give how many replicas are asked for of what answers requests."""
        alone = self.wanted.get(self.component) if self.component is not None else None
        return max(self.wanted.values(), default=0) if alone is None else alone

    def answering(self, revision: str | None) -> Count:
        """Give the replicas of a revision that requests are sent to: those of one component, where one is
        named.
        """
        parts = self.parts.get(revision or "", {})
        return self.count(revision) if self.component is None else parts.get(self.component, Count())

    def is_hurt(self, revision: str) -> bool:
        """Say whether pods of a revision died by themselves and are not all back."""
        return any(revision in self.names.get(made_from, ()) for made_from in self.hurt)


def _by_component(owned: Iterable[tuple[str, Pod]]) -> Mapping[str, Mapping[str, Count]]:
    found: dict[str, dict[str, Count]] = {}
    for revision, pod in owned:
        parts = found.setdefault(revision, {})
        count = parts.get(pod.component, Count())
        parts[pod.component] = Count(count.existing + 1, count.ready + pod.ready)
    return found


def side_of(state: State, revision: str, wanted: Mapping[str, Thresholds]) -> Thresholds:
    """Give the replicas that serve a revision, of those that each graph asks for: of its own graph, and of
    the one whose workers it uses.
    """
    return {
        name: count
        for graph in beside_bound.side(state, revision)
        for name, count in wanted.get(graph.name, {}).items()
        if beside_bound.holder(state, revision, name) == graph.name
    }
