"""A graph in place behind its route, whose routers are told whom to choose."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from gitops_rollout.api.graph_terms import Strategy
from gitops_rollout.api.policy import Policy, Proof
from gitops_rollout.api.router_terms import RouterMode, RouterTerms
from gitops_rollout.api.values import Object
from gitops_rollout.rollout import routing
from gitops_rollout.rollout.draft import Head
from gitops_rollout.rollout.state import State
from tests.rollout.graphs import STEPS, graph
from tests.rollout.graphs import policy as graphs_policy
from tests.rollout.in_place import InPlaceStage
from tests.rollout.observed import NEW, OLD
from tests.rollout.told import Router, ToldStage

FIRST = "engine:0.9.0"
ROUTERS = RouterTerms(RouterMode.MANAGEMENT_API, 9090, token="chat")
TOLD = replace(
    graphs_policy(*STEPS, proof=Proof.CLUSTER, router_policy=ROUTERS),
    strategy=Strategy.IN_PLACE,
    renames_graph=False,
)
UNROUTED = replace(TOLD, gateway=None, router_policy=RouterTerms())
"""The same before there is a route."""


@dataclass
class InPlaceTold(InPlaceStage, ToldStage):
    """Routers are the pods of the Frontend: the operator starts and stops them."""

    gaps: list[str] = field(default_factory=list)
    """Who had requests, and no pod of something that they pass through, at any pass."""

    def decided(self, order=None):  # type: ignore[no-untyped-def]  # as its parent
        head = self.head()
        if isinstance(head, Head) and routing.terms(head.file.state) is not None:
            self.operator.apply(self.published)
            self.gaps += [
                f"{image} without {name}"
                for image in self._answering(head.file.state)
                for name, pods in self.operator.pods.items()
                if not pods.get(image)
            ]
        return super().decided(order)  # type: ignore[no-untyped-call]

    def _answering(self, state: State) -> list[str]:
        """Give the images of the revisions that have requests."""
        weight, shown = state.published.weight or 0, state.published
        candidate = state.candidate if weight or shown.header else None
        stable = state.stable if weight < 100 else None
        return [self.image_of(one) for one in (stable, candidate) if one is not None]

    def _start(self, state: State) -> None:
        images = {self.image_of(one.id): one.id for one in self.head().history}  # type: ignore[union-attr]
        running = self.operator.pods.get("Frontend", {})
        wanted = {
            f"{images[image]}/{index}": images[image]
            for image, count in running.items()
            for index in range(count)
        }
        self.routers = {pod: self.routers.get(pod, Router(pod, one)) for pod, one in wanted.items()}

    def ready(self, revision: str) -> bool:
        """Routers that are never told anything wait for nothing."""
        managed = self.policy is not None and self.policy.router_policy.managed
        return not managed or super().ready(revision)


def unlabelled(terms: Policy = TOLD, wanted: Object | None = None) -> InPlaceTold:
    """A graph that ran before, whose policy asks for a route."""
    return InPlaceTold(wanted or graph(OLD), terms).settle()


def attached(
    terms: Policy = TOLD, sizes: Mapping[str, int] | None = None, stage_of: type[InPlaceTold] = InPlaceTold
) -> InPlaceTold:
    """A graph whose pods have labels of ours, for it had a rollout before its route; its routers know it."""
    stage = stage_of(graph(FIRST, sizes), UNROUTED)
    stage.settle().source(graph(OLD, sizes)).settle()
    while stage.gate is not None or stage.state.candidate is not None:
        stage.run(times=4)
        if stage.gate is not None:
            stage.merge()
    stage.policy = terms
    return stage.run(times=3).through("attach").run(times=2)


def going(*gates: str, terms: Policy = TOLD, sizes: Mapping[str, int] | None = None) -> InPlaceTold:
    """The same on its way to another image, with these gates merged; what follows by itself has followed."""
    stage = attached(terms, sizes).source(graph(NEW, sizes)).settle()
    for name in gates:
        stage.run(times=3).through(name).run()
    return stage
