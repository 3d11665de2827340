"""What somebody sees who looks at the simulated world: the facts of rollout.facts, all of them or none.

There is one table of facts: services take them where their policy says `proof: Cluster`, and people who are
asked to merge a gate answer by the same ones. Facts are those of the head that was read.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from gitops_rollout.api.graph_terms import Strategy
from gitops_rollout.api.workload import WHOLE
from gitops_rollout.rollout import router_fence
from gitops_rollout.rollout.facts import KEPT, About, Answer, Fact, Observation
from gitops_rollout.rollout.state import State
from gitops_rollout.simulate.manifests import Manifest, Name
from gitops_rollout.simulate.moments import Count, Moment, Shown, side_of
from gitops_rollout.simulate.world import World

Replicas = Mapping[str, Mapping[str, int]]
"""Replicas by revision and component."""


def observed(world: World) -> Observation:
    """Give all facts of the world as it stands, none where nothing is published."""
    head, state = world.moment.head, world.moment.state
    if head is None or state is None:
        return Observation()
    sight = Sight(world.moment, head, state, published(world, head, state))
    named = {state.stable, state.candidate, state.offered, *sight.given}
    revisions = sorted(one for one in named if one is not None)
    answers = {Fact(about): _answer(_OF_ALL[about](sight)) for about in _OF_ALL}
    for about, told in _OF_ONE.items():
        answers |= {Fact(about, one): _answer(told(sight, one)) for one in revisions}
    if world.routers.managed:
        answers |= {Fact(About.REGISTERED, one): _answer(_registered(sight, one)) for one in revisions}
    counted = {one: {name: part.ready for name, part in sight.runs(one).items()} for one in sight.given}
    if state.strategy is Strategy.IN_PLACE:
        answers[KEPT] = _answer(not world.controller.prunes)
    policy, heard = state.routerPolicy, world.routers.answers.values()
    if policy is None:
        return Observation(answers, counted, router_fence.reported(heard))
    acknowledged = router_fence.acknowledged(heard, world.selected(), policy)
    answers[Fact(About.ACKNOWLEDGED, str(policy.version))] = acknowledged
    refused = router_fence.refused(heard, policy)
    return Observation(answers, counted, router_fence.reported(heard), refused)


def published(world: World, head: Shown, state: State) -> Replicas:
    """Give the replicas that a version publishes for each revision."""
    found: dict[str, Mapping[str, int]] = {}
    apart = {one.name: one.revision for one in state.graphs}
    wanted = {one.name[1]: world.controller.wanted(one) for one in head.workloads}
    for manifest in head.workloads:
        revision = apart.get(manifest.name[1])
        if world.kind_of(head).beside is None or revision is None:
            found |= _split(world, manifest, state)
        else:
            found[revision] = side_of(state, revision, wanted)
    return found


def _split(world: World, manifest: Manifest, state: State) -> Replicas:
    """Give how one object is shared out: what it leaves on what ran before is stable's."""
    total = world.controller.wanted(manifest)
    if state.candidate is None:
        return {state.stable: total}
    kept, low = world.controller.kept(manifest), state.partition or {}
    stable = {name: min(count, max(kept.get(name, 0), low.get(WHOLE, 0))) for name, count in total.items()}
    coming = {name: count - stable[name] for name, count in total.items()}
    return {state.stable: stable, state.candidate: coming}


def not_applied(head: Shown, live: Mapping[Name, Manifest]) -> Name | None:
    """Name an object that is live in another form than the head shows, or that it does not show (R1)."""
    shown = {**head.capacity, **head.traffic}
    behind = next((name for name, one in shown.items() if live.get(name) is not one), None)
    return behind or next((name for name in live if name not in shown), None)


@dataclass(frozen=True, slots=True)
class Sight:
    """A moment beside what is published; `given` are the replicas that are published for each revision."""

    moment: Moment
    head: Shown
    state: State
    given: Replicas

    def runs(self, revision: str) -> Mapping[str, Count]:
        """Give the replicas of a revision by component, with those that another revision makes alike."""
        found = {name: Count() for name in self.given.get(revision, {})}
        return {**found, **self.moment.sides.get(revision, {})}

    def total(self, revision: str) -> Mapping[str, int]:
        """Give all replicas that are to be of a revision when it is alone in its object."""
        if self.moment.kind.beside is not None:
            return self.given.get(revision, {})
        names = {name for parts in self.given.values() for name in parts}
        return {name: sum(parts.get(name, 0) for parts in self.given.values()) for name in names}

    def displaced(self, revision: str, component: str) -> int:
        """Give how many replicas of stable run the candidate where stable was given them.

        In one object, and on the way up: a threshold that rises pulls nothing back.
        """
        kind = self.moment.kind
        alone = kind.beside is not None or kind.counted is not None or revision != self.state.stable
        if alone or self.state.offered is None:
            return 0
        others = [one for one in self.given if one != revision]
        beyond = [
            self.runs(one).get(component, Count()).existing - self.given[one].get(component, 0)
            for one in others
        ]
        return sum(max(0, more) for more in beyond)


def _answer(holds: bool | None) -> Answer:
    return Answer.UNKNOWN if holds is None else Answer.YES if holds else Answer.NO


def _live(sight: Sight) -> bool:
    return not_applied(sight.head, sight.moment.live) is None


def _accepted(sight: Sight) -> bool:
    """The gateway works by the route as it is published, and finds all that it names."""
    route, live = sight.head.route, sight.moment.live
    return sight.moment.programmed is route and (
        route is None or all(one in live for one in route.references)
    )


def _routable(sight: Sight, revision: str) -> bool:
    """Every replica that is published for it answers; where nothing at all is published, nobody does."""
    runs, given = sight.runs(revision), sight.given.get(revision)
    if given is None or not any(sight.total(revision).values()):
        return False
    return all(runs[name].ready >= count - sight.displaced(revision, name) for name, count in given.items())


def _registered(sight: Sight, revision: str) -> bool:
    """Every worker that is published for it answers; its routers may wait for their policy still (R18)."""
    runs, given = sight.runs(revision), sight.given.get(revision, {})
    doors = {pod.component for pod in sight.moment.pods if pod.uid in sight.moment.told}
    workers = {name: count for name, count in given.items() if name not in doors}
    there = all(runs[name].existing >= count for name, count in given.items())
    return bool(workers) and there and all(runs[name].ready >= count for name, count in workers.items())


def _drained(sight: Sight, revision: str) -> bool | None:
    """While the gateway works by another route, nobody can say whether more requests will come."""
    return revision not in sight.moment.draining if _accepted(sight) else None


def _updated(sight: Sight, revision: str) -> bool:
    total, runs, moment = sight.total(revision), sight.runs(revision), sight.moment
    whole = all(runs.get(name, Count()) == Count(count, count) for name, count in total.items())
    shared = moment.kind.beside is None
    return whole and not (shared and any(revision not in moment.revisions(pod) for pod in moment.pods))


def _gone(sight: Sight, revision: str) -> bool:
    """No pod is left that serves this revision only."""
    others = {sight.state.stable, sight.state.candidate} - {revision}
    return not any(
        revision in found and not found & others for found in map(sight.moment.served, sight.moment.pods)
    )


_OF_ALL = {About.LIVE: _live, About.ACCEPTED: _accepted}
_OF_ONE = {
    About.ROUTABLE: _routable,
    About.DRAINED: _drained,
    About.UPDATED: _updated,
    About.GONE: _gone,
}
