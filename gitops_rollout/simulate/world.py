"""The simulated world: source, output, services, consumers, cluster, controller, gateway and people."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from random import Random

from gitops_rollout.api.gateway import Gateway as Terms
from gitops_rollout.api.graph_terms import Strategy
from gitops_rollout.api.values import Object
from gitops_rollout.kinds.protocol import Kind
from gitops_rollout.rollout import routing
from gitops_rollout.rollout.capacity import lowest
from gitops_rollout.rollout.state import State
from gitops_rollout.simulate.branch import US, Branch
from gitops_rollout.simulate.cluster import Cluster
from gitops_rollout.simulate.commit_laws import Change
from gitops_rollout.simulate.consumers import Consumer
from gitops_rollout.simulate.controllers import Controller, Pod
from gitops_rollout.simulate.faults import Faults
from gitops_rollout.simulate.gateway import POOLS, Gateway
from gitops_rollout.simulate.invariants import NO_FORCE, of_commit, of_moment
from gitops_rollout.simulate.manifests import ARGO, FLUX, Library, Manifest
from gitops_rollout.simulate.moments import Ledger, Moment, Pools, Shown, shown
from gitops_rollout.simulate.people import People
from gitops_rollout.simulate.promises import Finding
from gitops_rollout.simulate.reading import ReadOnce
from gitops_rollout.simulate.routers import Routers
from gitops_rollout.simulate.service import ROOT, Service
from gitops_rollout.simulate.wishes import BEFORE, Wish, Wishes

NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)


@dataclass
class World:
    """Everything that a step may touch. `moment` is how it stood after the last one."""

    wishes: Wishes
    controller: Controller
    seed: int = 0
    faults: Faults = field(default_factory=Faults)
    now: datetime = NOON
    branch: Branch = field(default_factory=Branch)
    library: Library = field(default_factory=Library)
    cluster: Cluster = field(default_factory=Cluster)
    gateway: Gateway = field(default_factory=Gateway)
    names: dict[str, frozenset[str]] = field(default_factory=dict)
    """What pods are made from → the revisions that make such pods."""
    made: dict[frozenset[str], str] = field(default_factory=dict)
    """All that the pods of an object are made from → its revision."""
    texts: dict[str, Object] = field(default_factory=dict)
    """What was recorded of each revision."""
    shapes: dict[str, frozenset[str]] = field(default_factory=dict)
    bound: dict[str, str] = field(default_factory=dict)
    """Graph of routers → graph whose workers they use, as it was ever recorded."""
    routers: Routers = field(default_factory=Routers)
    ledger: Ledger = field(default_factory=Ledger)
    tick: int = 0
    findings: list[Finding] = field(default_factory=list)
    wish: Wish = field(init=False)
    rng: Random = field(init=False)
    place: ReadOnce = field(init=False)
    services: list[Service] = field(init=False)
    consumers: list[Consumer] = field(init=False)
    people: People = field(init=False)
    moment: Moment = field(init=False)
    _shown: dict[str, Shown] = field(default_factory=dict)
    _recorded: set[str] = field(default_factory=set)
    _pools: dict[object, Pools] = field(default_factory=dict)
    _deaths: int = 0
    _broken: frozenset[tuple[str, str]] = frozenset()
    """What was broken after the last step already: it is told once."""

    def __post_init__(self) -> None:
        self.rng = Random(self.seed)  # noqa: S311  # a run is to be played again
        self.wish = self.wishes.wish(BEFORE)
        policy = self.wish.desired.policy
        if policy is not None and policy.strategy is Strategy.IN_PLACE:
            lot = Random(f"crd {self.seed}").random()  # noqa: S311  # a run is to be played again
            self.controller.prunes = lot < self.faults.pruned_field
        self.routers.managed = policy is not None and policy.router_policy.managed
        self.place = ReadOnce(self.branch, ROOT, self.wishes.key, self.wishes.kind)
        self.services = [Service(self.branch, self.place) for _ in range(2)]
        folder, halves = self.place.folder, (("capacity", ARGO), ("traffic", FLUX))
        self.consumers = [
            Consumer(f"{folder}/{half}", mark, self.branch, self.cluster, self.library)
            for half, mark in halves
        ]
        self.people = People(self.branch, self.place, self.library)
        self.moment = self._moment("start", "")

    @property
    def pods(self) -> tuple[Pod, ...]:
        """Give the pods that exist, as they answer."""
        self.routers.follow(one.router for one in self.controller.reach)
        return self.routers.answering(self.controller.pods, self.names)

    def selected(self) -> Mapping[str, str]:
        """Give the routers that a live pool selects now: boot id by pod UID."""
        pools = self.cluster.of_kind(*POOLS).values()
        return {
            str(pod.uid): str(self.routers.told[pod.uid].boot)
            for pod in self.pods
            if pod.uid in self.routers.told
            and any(_fits(one.selector, self.controller.labels(pod)) for one in pools)
        }

    @property
    def terms(self) -> Terms | None:
        """Give the terms of the route, those in force first."""
        state = self.show(self.branch.head).state if self.branch.head is not None else None
        return routing.in_view(state) if state is not None else None

    def step(self, actor: str, did: str) -> Moment:
        """Close a step: take in what the branch shows now, and check every invariant."""
        self.tick += 1
        before = self.moment
        since, head = before.head.commit if before.head is not None else None, self.branch.head
        if head != since:
            self._follow(since, head, by_us=actor.startswith("service") or actor == "command")
        self.moment = self._moment(actor, did)
        found = {(one.invariant.name, one.seen): one for one in of_moment(before, self.moment)}
        self.findings += [one for key, one in found.items() if key not in self._broken]
        self._broken = frozenset(found)
        return self.moment

    def show(self, commit: str) -> Shown:
        """Read what a commit shows, once."""
        if commit not in self._shown:
            files = self.library, self.branch.files_at(commit), self.place.folder
            self._shown[commit] = shown(self.place.version(commit), *files)
        return self._shown[commit]

    def name_of(self, manifest: Manifest) -> str:
        """Name the revision that an object's pods are made from."""
        made = frozenset(self.controller.made_from(manifest.value).values())
        return self.made.get(made, "(unknown)")

    def kind_of(self, shown: Shown | None) -> Kind:
        """Give the kind as it is under the strategy that a version shows."""
        state = shown.state if shown is not None else None
        return self.place.kind.under(state.strategy) if state is not None else self.place.kind

    def _follow(self, old: str | None, new: str | None, *, by_us: bool) -> None:
        """Go along the commits since the last step: the service's are checked, people's noted."""
        if new is None or (old is not None and not self.branch.is_ancestor(old, new)):
            if by_us:
                self.findings.append(Finding(self.tick, NO_FORCE, f"{old} is no ancestor of {new}"))
            self.ledger = replace(self.ledger, rewound=True, careless=True)
            return
        for commit in self.branch.since(old, new):
            after, before = self.show(commit), self._before(commit)
            self._register(after)
            self._register_routers(after)
            ours = self.branch.commits[commit].committer == US
            if ours and before is not None:
                wanted, kind = self.controller.wanted, self.kind_of(after)
                change = Change(kind, before, after, self.name_of, wanted, self.texts, self.ledger)
                self.findings += of_commit(self.tick, change)
            self.ledger = self._noted(before, after, ours=ours)

    def _before(self, commit: str) -> Shown | None:
        parent = self.branch.commits[commit].parent
        return self.show(parent) if parent is not None else None

    def _register(self, after: Shown) -> None:
        """Learn what pods of newly recorded revisions are made from."""
        if after.recorded.keys() <= self._recorded:
            return
        head, kind = self.place.head(after.commit), self.place.kind
        for revision in getattr(head, "history", ()):
            rendered = kind.render(revision.text, {}, revision.injection, None)
            self.texts[revision.id] = revision.text
            self.shapes[revision.id] = frozenset(self._named(rendered, revision.id))
        self._recorded |= after.recorded.keys()

    def _register_routers(self, after: Shown) -> None:
        """Learn what graphs are made from that hold routers only, and look for workers elsewhere."""
        state, kind = after.state, self.kind_of(after)
        new = [one for one in state.graphs if one.workers and one.name not in self.bound] if state else []
        history = getattr(self.place.head(after.commit), "history", {}) if new else {}
        for graph in new:
            revision = history.get(graph.revision)
            if revision is None or kind.beside is None:
                continue
            self.bound[graph.name] = graph.workers
            place = kind.beside.scope(self.place.key.namespace, graph.workers)
            rendered = kind.render(revision.text, {}, revision.injection, None)
            self._named(kind.beside.bound(rendered, graph.holds, place), revision.id)

    def _named(self, rendered: Object, revision: str) -> Mapping[str, str]:
        """Learn whose the pods of such an object are; gives what they are made from, by component."""
        made = self.controller.made_from(rendered)
        self.made[frozenset(made.values())] = revision
        for one in made.values():
            self.names[one] = self.names.get(one, frozenset()) | {revision}
        return made

    def _noted(self, before: Shown | None, after: Shown, *, ours: bool) -> Ledger:
        """Note what a commit of anybody means for the promises."""
        ledger, state = self.ledger, after.state
        rendered = {self.name_of(one) for one in after.workloads}
        if not ours or before is None:
            ledger = replace(ledger, let_in=ledger.let_in | rendered)
        if state is None:
            return ledger
        low = ledger.low
        shown_now = [
            self.kind_of(after).read_partition(one.value, state.accepted.controls)
            for one in after.workloads
            if self.name_of(one) not in {state.stable, "(unknown)"}
        ]
        if shown_now or low is not None:
            low = lowest(low, *shown_now)
        was_on = before is not None and before.state is not None and before.state.candidate is not None
        ended = ours and state.candidate is None
        ledger = replace(ledger, low=None if ended else low, top=max(ledger.top, state.seq))
        ledger = replace(ledger, whole=frozenset() if ended else ledger.whole | _whole(state))
        if not (ended and was_on):
            return ledger
        return replace(ledger, overdue=False, scaled=ledger.scaled and self.wish.replicas is not None)

    def _moment(self, actor: str, did: str) -> Moment:
        head = self.show(self.branch.head) if self.branch.head is not None else None
        pods = self.pods
        deaths = tuple(self.controller.deaths[self._deaths :])
        self._deaths = len(self.controller.deaths)
        live, dead = self.cluster.live, frozenset(self.controller.hurt)
        objects = self.cluster.of_kind(self.controller.kind).values()
        return Moment(
            self.tick,
            self.now,
            actor,
            did,
            self.kind_of(head),
            head,
            pods,
            self.names,
            self.gateway.answers(live, self.terms),
            self._selected(pods),
            live,
            self.gateway.programmed,
            dead | self.routers.healed(pods, self.names, dead),
            self.ledger,
            self.shapes,
            _summed(self.controller.wanted(one) for one in objects),
            deaths,
            tuple(self.controller.reach),
            self.gateway.draining,
            self.bound,
            self.controller.prunes,
            self.routers.told,
            self.routers.accepted,
        )

    def _selected(self, pods: tuple[Pod, ...]) -> Pools:
        pools = tuple(self.cluster.of_kind(*POOLS).values())
        key = (pods, pools)
        if key not in self._pools:
            self._pools = {key: self._select(pods, pools)}
        return self._pools[key]

    def _select(self, pods: tuple[Pod, ...], pools: tuple[Manifest, ...]) -> Pools:
        ready: dict[str, int] = {}
        owners: dict[tuple[int, str], set[str]] = {}
        for pod in pods:
            labels = self.controller.labels(pod)
            for pool in pools:
                if _fits(pool.selector, labels):
                    ready[pool.revision] = ready.get(pool.revision, 0) + pod.ready
                    owners.setdefault((pod.uid, pod.component), set()).add(pool.revision)
        return Pools(ready, tuple(uid for (uid, _), found in owners.items() if len(found) > 1))


def _summed(counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    total: dict[str, int] = {}
    for one in counts:
        for name, count in one.items():
            total[name] = total.get(name, 0) + count
    return total


def _fits(selector: Mapping[str, object], labels: Mapping[str, object]) -> bool:
    return all(labels.get(key) == value for key, value in selector.items())


def _whole(state: State) -> frozenset[str]:
    """Name the candidate, where nothing is protected from it any more."""
    protected = state.partition
    if state.candidate is None or protected is None or any(protected.values()):
        return frozenset()
    return frozenset({state.candidate})
