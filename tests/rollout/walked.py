"""Stages that are walked: what is due on them, what lets it happen, and what their source may want."""

from typing import Self

from gitops_rollout.api.values import Object
from gitops_rollout.rollout import facts
from gitops_rollout.rollout.facts import About
from gitops_rollout.rollout.gate import Gate
from gitops_rollout.rollout.state import State
from tests.rollout import graphs, in_place_told, router_only, told
from tests.rollout.observed import ObservedStage
from tests.rollout.routed import RoutedStage
from tests.rollout.stage import groups

IMAGES = ("engine:1.0.0", "engine:2.0.0", "engine:3.0.0", "engine:4.0.0")


def due(stage: RoutedStage) -> Gate | None:
    """Give the gate that is due: under Manual proof it stands open, under Cluster proof it may wait."""
    assert stage.last is not None
    return stage.last.plan.gate if isinstance(stage, ObservedStage) else stage.gate


def now(stage: RoutedStage) -> State:
    """Give the state of a stage that has come to rest: its last pass wrote nothing."""
    assert stage.last is not None
    return stage.last.plan.state


def happen(stage: RoutedStage) -> RoutedStage:
    """Let what is due happen: its facts are seen for as long as it takes, and nothing is seen after it."""
    if not isinstance(stage, ObservedStage):
        return stage.merge()
    stage.unknown = frozenset()
    stage.later(minutes=1).look()
    if stage.gate is not None:
        stage.merge(look=False).look()
    return blind(stage)


def blind(stage: ObservedStage) -> RoutedStage:
    """Let nothing be seen from now on."""
    stage.unknown = frozenset(About)
    return stage.settle()


def removed(stage: RoutedStage) -> bool:
    """Let the last gate of a deletion be merged, or follow, and say whether its folder goes."""
    if not isinstance(stage, ObservedStage):
        return stage.merge(look=False).look().plan.remove
    stage.unknown = frozenset()
    return stage.later(minutes=1).look().plan.remove


def written(stage: RoutedStage, image: str) -> Object:
    """Write the workload of a stage with another image."""
    if isinstance(stage, RoutersStage):
        return router_only.graph(image)
    return graphs.graph(image) if isinstance(stage, graphs.GraphStage) else groups(image)


class RoutersStage(graphs.GraphStage):
    """A graph of which only the routers get another image."""


class StepwiseStage(told.ToldStage):
    """It rests, too, before what follows without any fact, so that this is a place of its own."""

    def settle(self) -> Self:
        for _ in range(5):
            written, plan = self.wrote(self.look()), self.last.plan if self.last else None
            gate = plan.gate if plan is not None and plan.follows else None
            if not written or (gate is not None and not facts.needs(now(self), gate)):
                return self
        raise AssertionError("the passes come to no end")


class StepwiseInPlace(in_place_told.InPlaceTold, StepwiseStage):
    """The same where one graph holds both revisions."""
