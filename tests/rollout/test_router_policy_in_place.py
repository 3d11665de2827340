"""Routers are told in the same order where one object serves both revisions: no graph of each is assumed."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import ClassVar

from gitops_rollout.api.policy import Policy, Proof
from gitops_rollout.api.router_terms import RouterMode, RouterTerms
from gitops_rollout.api.values import Json, Object, at, sequence
from gitops_rollout.kinds.modelserving.kind import ModelServingKind
from gitops_rollout.kinds.protocol import Kind
from gitops_rollout.rollout.draft import Head, Order, Scene
from gitops_rollout.rollout.facts import About, Answer, Fact, Observation
from tests.rollout.routed import RoutedStage, routed_policy, step
from tests.rollout.router_laws import FENCED
from tests.rollout.stage import FILE, groups
from tests.rollout.told import BODY
from tests.rollout.traffic_play import read

TOLD = routed_policy(
    step(1, header=True, name="canary"),
    step("50%", weight=50, name="half"),
    step("100%", weight=100, name="all"),
    proof=Proof.CLUSTER,
    router_policy=RouterTerms(RouterMode.MANAGEMENT_API, 9090, token="chat"),
)


@dataclass(frozen=True, slots=True)
class Parted(ModelServingKind):
    """A kind of one object whose only component chooses workers."""

    def roles(self, text: Object) -> Mapping[str, str]:
        return {"decode": "worker"}

    def under(self, strategy: object) -> Kind:
        return self


@dataclass
class OneObject(RoutedStage):
    """Everything is seen, but what is `unknown`."""

    unknown: frozenset[About] = frozenset()
    kind: ClassVar[Kind] = Parted()

    def scene(self, order: Order | None = None) -> Scene:
        scene, head = super().scene(order), self.head()
        if not isinstance(head, Head):
            return scene
        policy = head.file.state.routerPolicy
        names = ["", str(policy.version if policy else 0), *(one.id for one in head.history)]
        known = {
            Fact(about, one): Answer.YES for about in About for one in names if about not in self.unknown
        }
        return replace(scene, observation=Observation(known))

    def run(self, times: int = 8) -> "OneObject":
        for _ in range(times):
            self.later(minutes=1).look()
        return self

    @property
    def bound(self) -> tuple[str, list[str]]:
        body = json.loads(self.line.files[BODY])
        routers = [
            self.image_of(str(at(one, "routerRevision"))) for one in sequence(body["routerRevisionBindings"])
        ]
        return self.image_of(body["default"]["workerRevision"]), routers


def attached(terms: Policy = TOLD, replicas: int = 4) -> OneObject:
    stage = OneObject(groups("engine:a", replicas), terms)
    stage.run(times=3).through("attach")
    return stage.run(times=2)


def going(*gates: str) -> OneObject:
    stage = attached()
    stage.source(groups("engine:b")).settle()
    for name in gates:
        stage.through(name).run()
    return stage


def assert_order(stage: OneObject) -> None:
    """A change of the policy is alone in its commit, and who gets requests is named."""
    versions = [files for files in stage.line.versions if BODY in files]
    for before, after in pairwise(versions):
        changed = {path for path in {*before, *after} if before.get(path) != after.get(path)}
        assert BODY not in changed or changed <= FENCED
    for files in versions:
        state: Json = read(files[FILE])["state"]
        body = json.loads(files[BODY])
        named = {
            body["default"]["workerRevision"],
            *(one["routerRevision"] for one in body["routerRevisionBindings"]),
        }
        weight = at(state, "published", "weight")
        if weight or at(state, "published", "header"):
            assert at(state, "candidate") in named
        assert weight == 100 or at(state, "stable") in named


def test_the_whole_way_up_in_one_object() -> None:
    stage = going("canary", "half", "all")
    assert (stage.image, stage.bound) == ("engine:b", ("engine:b", []))
    assert_order(stage)


def test_a_candidate_is_bound_before_its_requests_in_one_object() -> None:
    stage = attached()
    stage.source(groups("engine:b")).settle()
    stage.unknown = frozenset({About.REGISTERED})
    stage.through("canary").run(times=3)
    assert (stage.bound, stage.traffic) == (("engine:a", []), ([], [("engine:a", 100)]))


def test_ordinals_go_back_when_the_binding_has_left() -> None:
    stage = going("canary", "half").source(groups("engine:a"))
    stage.unknown = frozenset({About.ACKNOWLEDGED})
    stage.run(times=4)
    assert (stage.bound, stage.traffic) == (("engine:a", []), ([], [("engine:a", 100)]))
    assert (stage.image, stage.partition) == ("engine:b", 2)
    stage.unknown = frozenset()
    assert stage.run().image == "engine:a"
    assert_order(stage)


def test_a_stable_that_could_answer_is_named_again_before_it_is_asked_to() -> None:
    stage = attached(replicas=2)
    stage.source(groups("engine:b", 2)).settle().through("canary")
    stage.run().through("half-traffic").run().through("all-traffic")
    while stage.bound != ("engine:b", []):
        stage.run(times=1)
    stage.source(groups("engine:a", 2)).look()
    assert (stage.bound, stage.traffic) == (("engine:b", []), ([], [("engine:b", 100)]))
    stage.run(times=1)
    assert (stage.bound, stage.traffic) == (("engine:a", ["engine:b"]), ([], [("engine:b", 100)]))
    stage.run()
    assert stage.traffic == ([], [("engine:a", 100)])
    assert_order(stage)


def test_a_third_revision_takes_over_when_the_second_is_unbound() -> None:
    stage = going("canary").source(groups("engine:c"))
    stage.run(times=6)
    assert stage.bound == ("engine:a", [])
    stage.through("canary").run()
    assert stage.bound == ("engine:a", ["engine:c"])
    assert_order(stage)
