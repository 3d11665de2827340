"""Every state of a small world, breadth first: moves instead of actors, and all of them from everywhere."""

import re
from collections import deque
from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import dataclass, field, replace

from gitops_rollout.rollout.draft import Order
from gitops_rollout.rollout.state import State
from gitops_rollout.simulate.actors import Actors
from gitops_rollout.simulate.faults import Faults
from gitops_rollout.simulate.run import prepared
from gitops_rollout.simulate.service import Service
from gitops_rollout.simulate.wishes import Wishes
from gitops_rollout.simulate.world import World

_SEQ = re.compile(r"'gitops-rollout.io/seq': '[0-9]+'")
Move = tuple[str, Callable[[Actors], str]]


@dataclass
class Explored:
    """What was found: how many states and steps, and every finding with the moves that lead to it. `whole`:
    there are no other states.
    """

    states: int = 0
    steps: int = 0
    deepest: int = 0
    whole: bool = False
    findings: list[tuple[tuple[str, ...], str]] = field(default_factory=list)


def moves(wants: tuple[str, ...], replicas: tuple[int, ...]) -> list[Move]:
    """Give what may happen in the small world; one pass, one sync, one reconciliation is one move."""
    wishes: list[Move] = [(f"source {name}", _wish(name, None)) for name in wants]
    scaled: list[Move] = [(f"replicas {number}", _wish("", number)) for number in replicas]
    return [
        ("pass", _passes),
        ("merge", lambda actors: actors.merge()),
        ("merge blindly", lambda actors: actors.merge_blindly()),
        ("abort", lambda actors: actors._ordered(Order.ABORT)),
        ("apply capacity", lambda actors: actors._syncing(actors.world.consumers[0])()),
        ("apply traffic", lambda actors: actors._syncing(actors.world.consumers[1])()),
        ("control", _rests),
        ("program", lambda actors: _until_quiet(actors.program)),
        *wishes,
        *scaled,
    ]


def explore(wishes: Wishes, moves: list[Move], most: int) -> Explored:
    """Make every move from every state, until there is no new state or there are `most`."""
    play = prepared(wishes, Faults())
    for _ in play._calm():
        pass
    found, seen = Explored(states=1), {key(play.world)}
    queue: deque[tuple[World, tuple[str, ...]]] = deque([(play.world, ())])
    while queue and found.states < most:
        world, path = queue.popleft()
        for name, after in _neighbours(world, moves):
            found.steps += 1
            found.findings += [((*path, name), str(one)) for one in after.findings]
            told = key(after)
            if told not in seen and not after.findings:
                seen.add(told)
                found.states, found.deepest = found.states + 1, len(path) + 1
                queue.append((after, (*path, name)))
    found.whole = not queue and not found.findings
    return found


def _neighbours(world: World, moves: list[Move]) -> Iterator[tuple[str, World]]:
    for name, move in moves:
        after = fork(world)
        did = move(Actors(after))
        if did:
            after.step("service" if name == "pass" else name, did)
            yield name, after


def fork(world: World) -> World:
    """Give a world that goes its own way; what is written once and never changed is shared."""
    other = copy(world)
    other.branch = copy(world.branch)
    other.branch.at = dict(world.branch.at)
    other.place = replace(world.place, repository=other.branch)
    other.cluster, other.gateway = copy(world.cluster), copy(world.gateway)
    other.controller = copy(world.controller)
    for one in (other.gateway, other.controller):
        for name, value in vars(one).items():
            setattr(one, name, copy(value) if isinstance(value, dict | list) else value)
    other.consumers = [
        replace(one, branch=other.branch, cluster=other.cluster, inventory=set(one.inventory))
        for one in world.consumers
    ]
    other.people = replace(
        world.people, branch=other.branch, place=other.place, merged=[*world.people.merged]
    )
    other.services = [Service(other.branch, other.place)]
    other.findings, other.names = [], world.names
    return other


def key(world: World) -> tuple[object, ...]:
    """Tell states apart by everything but numbers that only grow."""
    state = world.moment.state
    ready = tuple((pod.graph, pod.place, pod.made_from, pod.ready) for pod in world.controller.pods)
    # A revision that comes back gets a higher number, and nothing else of it ever changes.
    live = tuple(
        sorted(
            (name, "" if name[0] == "ControllerRevision" else _without_seq(one.value))
            for name, one in world.cluster.live.items()
        )
    )
    open_ = tuple(sorted(question.approval.step for question in world.people.open()))
    mergeable = tuple(world.people.mergeable(question) for question in world.people.open())
    programmed = world.gateway.programmed
    return (
        str(world.wish),
        repr(_normal(state)) if state is not None else "",
        world.moment.head is not None and world.moment.head.merged,
        ready,
        live,
        open_,
        mergeable,
        _without_seq(programmed.value) if programmed is not None else "",
        world.gateway.flying,
        world.gateway.draining,
        repr(replace(world.ledger, top=0)),
    )


def _normal(state: State) -> State:
    since = replace(state.since, changed="", proven="", drain="on" if state.since.drain else None)
    rejected = replace(state.rejected, attempt=0) if state.rejected is not None else None
    return replace(state, seq=0, attempt=0, since=since, rejected=rejected)


def _without_seq(value: object) -> str:
    return _SEQ.sub("", repr(value))


def _wish(name: str, replicas: int | None) -> Callable[[Actors], str]:
    def want(actors: Actors) -> str:
        world = actors.world
        coming = world.wishes.wish(
            name or world.wish.name, replicas if replicas is not None else world.wish.replicas
        )
        if coming is world.wish:
            return ""
        world.wish = coming
        if replicas is not None:
            world.ledger = replace(world.ledger, scaled=True)
        return f"wants {coming}"

    return want


def _passes(actors: Actors) -> str:
    service, did = actors.world.services[0], ""
    actors.serve(service)
    while service.busy:
        did = actors.serve(service)
    return did


def _rests(actors: Actors) -> str:
    return _until_quiet(actors.control)


def _until_quiet(act: Callable[[], str]) -> str:
    did = act()
    while did and act():
        pass
    return did
