"""Rollouts whose facts are observed: what is known of the world is a value that a test writes."""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Self

from gitops_rollout.api.policy import Policy, Proof
from gitops_rollout.rollout.draft import Head, Order, Scene
from gitops_rollout.rollout.facts import About, Answer, Fact, Observation
from tests.rollout.graphs import GraphStage, graph, policy
from tests.rollout.routed import step

OLD, NEW = "engine:1.0.0", "engine:2.0.0"


class ObservedStage(GraphStage):
    """The stage under Cluster proof: all is a yes but what is `unknown` or `no`, and what still stands."""

    unknown: frozenset[About] = frozenset()
    no: frozenset[Fact] = frozenset()
    yes: frozenset[Fact] = frozenset()
    commit = "c0ffee"
    """The head of the source."""
    counted: Mapping[str, Mapping[str, int]] = MappingProxyType({})

    def scene(self, order: Order | None = None) -> Scene:
        head = self.head()
        recorded = [one.id for one in head.history] if isinstance(head, Head) else []
        facts = [Fact(about, one) for about in About for one in ["", *recorded]]
        answers = {fact: Answer.YES for fact in facts if fact.about not in self.unknown}
        stand = {Fact(About.GONE, one) for one in self.standing}
        answers |= dict.fromkeys((*stand, *self.no), Answer.NO)
        answers |= dict.fromkeys(self.yes, Answer.YES)
        seen = Observation(answers, self.counted)
        return replace(super().scene(order), observation=seen, commit=self.commit)

    @property
    def standing(self) -> list[str]:
        """Name the revisions whose objects still have replicas."""
        head = self.head()
        graphs = head.file.state.graphs if isinstance(head, Head) else ()
        return [one.revision for one in graphs if one.replicas is None or any(one.replicas.values())]

    def run(self, minutes: float = 1, times: int = 12) -> Self:
        """Let time pass, a pass a step, until nothing is written; people merge nothing."""
        for _ in range(times):
            self.later(minutes=minutes)
            self.look()
        return self


CLUSTER = policy(proof=Proof.CLUSTER)
SOAKED = policy(
    replace(step(1, header=True, name="canary"), soak=1800),
    replace(step("100%", weight=100, name="all"), soak=0),
    proof=Proof.CLUSTER,
)


def attached(terms: Policy = CLUSTER, sizes: Mapping[str, int] | None = None) -> ObservedStage:
    """A graph behind its route, with everything observed."""
    stage = ObservedStage(graph(OLD, sizes), terms)
    stage.settle()
    stage.through("attach")
    return stage


def going(*gates: str, terms: Policy = CLUSTER) -> ObservedStage:
    """The same on its way, these gates merged; what follows by itself has followed."""
    stage = attached(terms)
    stage.source(graph(NEW)).settle()
    for name in gates:
        stage.through(name).run()
    return stage
