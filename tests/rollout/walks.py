"""Ways that a rollout can go: every move from every place, and what is due after it.

A place is what is due, in which part of a rollout. What differs in nothing but replicas of the same step is
walked once.
"""

from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TypeAlias

from gitops_rollout.api.policy import Policy
from gitops_rollout.api.values import mapping
from gitops_rollout.conclude import conclude
from gitops_rollout.report import WorkloadReport
from gitops_rollout.rollout import facts, router_policy, routing
from gitops_rollout.rollout.draft import Order
from gitops_rollout.rollout.facts import ASKED, Transition, transition
from gitops_rollout.rollout.gate import Gate, steps_of
from gitops_rollout.rollout.state import State
from tests.rollout import graphs, in_place, in_place_told, routed, router_only, told
from tests.rollout.observed import ObservedStage
from tests.rollout.routed import RoutedStage
from tests.rollout.stage import groups, steps
from tests.rollout.test_routes import REPLACES
from tests.rollout.walked import (
    IMAGES,
    RoutersStage,
    StepwiseInPlace,
    StepwiseStage,
    blind,
    due,
    happen,
    now,
    removed,
    written,
)


class Part(StrEnum):
    """What a rollout is about while something is due."""

    REST = "rest"
    ROUTE = "route"
    UP = "up"
    RETIRE = "retire"
    DOWN = "down"
    DELETE = "delete"


class Move(StrEnum):
    """What leads from one place to another."""

    MERGED = "its gate is merged, or it follows by itself"
    OTHER = "another revision"
    BACK = "back to stable"
    ABORT = "abort"
    CLOCK = "the time is up"
    GONE = "its spec leaves"
    RETURNS = "its spec is back"
    UNROUTED = "no route is wanted"
    ROUTED = "a route is wanted"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a rollout stands: the transition that is due, None where none is."""

    part: Part
    due: Transition | None = None


@dataclass(frozen=True, slots=True)
class Arrow:
    """A move from a place to a place."""

    before: Place
    move: Move
    after: Place


MANUAL, UNSEEN, SEEN = "Manual proof", "Cluster proof, before its facts", "Cluster proof, after them"
REST, REMOVED = Place(Part.REST), Place(Part.DELETE)
Act: TypeAlias = Callable[[RoutedStage], RoutedStage]
Acts: TypeAlias = Iterator[tuple[Move, Act]]
Moved: TypeAlias = Iterator[tuple[Arrow, RoutedStage]]


def place(state: State, gate: Gate | None) -> Place:
    """Say where a rollout stands; the first row that holds counts."""
    due = transition(state, gate) if gate is not None else None
    offered = state.offered is not None
    rows = (
        (state.withdraw is not None, Part.DELETE),
        (state.candidate is None and gate is not None and bool(gate.route), Part.ROUTE),
        (state.candidate is None and not offered, Part.REST),
        (not offered, Part.DOWN),
        (state.published.weight == 100 or due is Transition.COMPLETE, Part.RETIRE),
    )
    return Place(next((part for holds, part in rows if holds), Part.UP), due)


def stands(stage: RoutedStage) -> Place:
    """Say where a stage stands that has come to rest."""
    return place(now(stage), due(stage))


@dataclass
class Walk:
    """All that was seen from these starts on: arrows, and the names of the gates of each transition."""

    starts: tuple[RoutedStage, ...]
    routes: tuple[Policy, ...] = ()
    """Policies that the workload may have besides, while it is at rest."""
    arrows: set[Arrow] = field(default_factory=set)
    gates: dict[Transition, set[str]] = field(default_factory=dict)
    said: dict[tuple[Place, str], set[str]] = field(default_factory=dict)
    """What `status` says at each place, by what is known there."""
    conditions: dict[str, set[str]] = field(default_factory=dict)
    """What every condition was, with its reasons."""

    def all(self) -> "Walk":
        """Make every move from every place."""
        for start in self.starts:
            seen, ahead = {_form(start)}, [start]
            while ahead:
                for stage in self._after(ahead.pop(0)):
                    if _form(stage) not in seen:
                        seen.add(_form(stage))
                        ahead.append(stage)
        return self

    def _after(self, stage: RoutedStage) -> Iterator[RoutedStage]:
        """Give what every move makes of a stage that is still there."""
        leaves = () if any(one.before == stands(stage) for one in self.arrows) else _deletion(stage)
        self._been(stage)
        moves = [_move(stage, move, act(deepcopy(stage))) for move, act in self.acts(stage)]
        for arrow, moved in (*moves, *leaves):
            self._been(moved)
            if arrow.move is Move.MERGED or arrow.before != arrow.after:
                self.arrows.add(arrow)
            if Part.DELETE not in (arrow.before.part, arrow.after.part):
                yield moved

    def _been(self, stage: RoutedStage) -> None:
        here, gate = stands(stage), due(stage)
        for proof, report in reports(stage).items():
            conclusion = conclude(report)
            self.said.setdefault((here, proof), set()).add(conclusion.reason)
            for one in conclusion.conditions:
                self.conditions.setdefault(one.type, set()).add(f"{one.status} {one.reason}")
        if gate is not None and here.due is not None:
            self.gates.setdefault(here.due, set()).add(_called(gate, now(stage)))

    def acts(self, stage: RoutedStage) -> Acts:
        """Give every move that can be made from here; what an act is given, it changes."""
        if due(stage) is not None:
            yield Move.MERGED, happen
        if self.routes:
            yield from map(_under, self.routes)
            return
        yield from _wishes(stage)
        if now(stage).since.drain is not None:
            yield Move.CLOCK, lambda one: one.later(minutes=11).settle()
        if now(stage).offered is not None:
            yield Move.ABORT, lambda one: one.order(Order.ABORT)


def _move(before: RoutedStage, move: Move, after: RoutedStage) -> tuple[Arrow, RoutedStage]:
    return Arrow(stands(before), move, stands(after)), after


def _wishes(stage: RoutedStage) -> Acts:
    """Give what else the source may want: another revision, or stable."""
    state = now(stage)
    running = [stage.image_of(one) for one in (state.stable, state.candidate, state.offered) if one]
    other = next(image for image in IMAGES if image not in running)
    yield Move.OTHER, lambda one: one.source(written(one, other)).settle()
    if state.offered is not None:
        yield Move.BACK, lambda one: one.source(written(one, running[0])).settle()


def _under(policy: Policy) -> tuple[Move, Act]:
    def act(stage: RoutedStage) -> RoutedStage:
        stage.policy = policy
        return stage.settle()

    return Move.ROUTED if policy.gateway else Move.UNROUTED, act


def _deletion(stage: RoutedStage) -> Moved:
    """Let the spec leave, come back, and leave for good."""
    wanted = stage.wanted
    gone = deepcopy(stage).source(None).settle()
    yield _move(stage, Move.GONE, gone)
    unprotected = happen(deepcopy(gone))
    yield _move(gone, Move.MERGED, unprotected)
    for left in (gone, unprotected):
        back = deepcopy(left).source(wanted).settle()
        assert stands(back) == stands(stage), "what comes back goes on where it stood"
        yield _move(left, Move.RETURNS, back)
    assert removed(deepcopy(unprotected))
    yield Arrow(stands(unprotected), Move.MERGED, REMOVED), unprotected


def reports(stage: RoutedStage) -> dict[str, WorkloadReport]:
    """Give what a pass reports of a stage: as it is, and under Cluster proof before and after its facts."""
    assert stage.last is not None
    plan, gate = stage.last.plan, due(stage)
    policy = {**mapping(plan.state.accepted.policy), "proof": "Cluster"}
    attested = WorkloadReport(
        stage.key, state=plan.state, history=plan.kept, gate=gate, branch="a branch", notes=plan.notes
    )
    state = replace(plan.state, accepted=replace(plan.state.accepted, policy=policy))
    seen = replace(attested, state=state, follows=gate is not None and stands(stage).due not in ASKED)
    lacking = facts.needs(state, gate) if gate is not None else ()
    observed = {UNSEEN: replace(seen, unproven=lacking), SEEN: seen}
    return observed if isinstance(stage, ObservedStage) else {MANUAL: attested, **observed}


def _called(gate: Gate, state: State) -> str:
    """Give a gate's name with `<step>` in the place of the step."""
    base = gate.base_step
    return gate.step.replace(base, "<step>") if base in {one.name for one in steps_of(state)} else gate.step


def _form(stage: RoutedStage) -> tuple[object, ...]:
    """Give what two stages are equal by."""
    state = now(stage)
    published, drains = state.published, state.since.drain is not None
    taken_over = state.candidate not in (None, state.offered)
    comes_next = state.rejected is None and stage.wanted != written(stage, stage.image_of(state.stable))
    in_force = (published.step, published.weight, published.header)
    force = routing.terms(state)
    route = (state.routed is not None and state.routed.stage, force.replaces if force else None)
    told = (router_policy.named(state, state.stable), router_policy.named(state, state.candidate))
    return (stands(stage), in_force, drains, taken_over, comes_next, route, told, str(stage.policy))


def model_serving() -> Walk:
    """A ModelServing without a route; a graph that moves as a whole goes the same way, in one step."""
    policies = (steps(1, "50%", "100%"), steps("100%"))
    return Walk(tuple(RoutedStage(groups(IMAGES[0]), one).settle() for one in policies))


def routed_serving() -> Walk:
    """A ModelServing with a route."""
    return Walk((routed.attached(replicas=4),))


def graphs_beside() -> Walk:
    """A graph whose revisions stand beside each other."""
    return Walk((graphs.attached(),))


def routers_alone() -> Walk:
    """A graph whose routers change alone, and keep a contract with the workers that are there."""
    return Walk(
        (RoutersStage(router_only.graph(IMAGES[0]), router_only.policy()).settle().through("attach"),)
    )


def routers_told() -> Walk:
    """Graphs beside each other whose routers are told whom to choose, from the first publication on."""
    return Walk((blind(StepwiseStage(graphs.graph(IMAGES[0]), told.TOLD)),))


def graph_in_place() -> Walk:
    """A graph that holds both revisions, without a route."""
    return Walk((blind(in_place.InPlaceStage(graphs.graph(IMAGES[0]), in_place.terms())),))


def in_place_routed() -> Walk:
    """The same behind a route, with routers that are told whom to choose."""
    return Walk((blind(in_place_told.attached(stage_of=StepwiseInPlace)),))


def the_route() -> Walk:
    """A route that comes, may take the place of one of its team's, and goes."""
    alone, beside, none = routed.routed_policy(), routed.routed_policy(terms=REPLACES), steps("100%")
    return Walk((RoutedStage(groups(IMAGES[0]), none).settle(),), (alone, beside, none))
