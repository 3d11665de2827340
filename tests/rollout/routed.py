"""A workload whose requests are routed, on its way through the planner, in words."""

from dataclasses import replace

from gitops_rollout.api.gateway import Backend, Gateway, Picker, Traffic
from gitops_rollout.api.policy import Policy, Step
from gitops_rollout.api.steps import Share
from gitops_rollout.api.values import Json, Object, at, mapping, sequence
from gitops_rollout.documents.load import Limits, load
from gitops_rollout.rollout.draft import Order, Scene
from gitops_rollout.traffic.explicit import EVERYTHING
from gitops_rollout.traffic.pools import Pool
from gitops_rollout.traffic.steps import with_traffic
from tests.rollout.stage import HOME, Stage, groups

ROUTE = f"{HOME}/traffic/httproute.yaml"
KTHENA = ("modelserving.volcano.sh/revision", "7d9f55c4")
TERMS = Gateway(
    parents=({"group": "gateway.networking.k8s.io", "kind": "Gateway", "name": "edge"},),
    rules=({"matches": [EVERYTHING]},),
    component="decode",
    name="chat",
    backend=Backend.POOL,
    port=8000,
    picker=Picker("{revision}-picker", 9002),
    adopt=KTHENA,
)


def step(replicas: int | str, header: bool = False, weight: int | None = None, name: str = "") -> Step:
    """Write a step; a weight that is not written is the share of its replicas."""
    share = Share.parse(replicas)
    traffic = None if weight is None and not header else Traffic(header, weight or 0)
    return Step(name or share.step_name, share, traffic=traffic)


CANARY = (
    step(1, header=True, name="canary"),
    step("25%", header=True, weight=10, name="tenth"),
    step("50%", weight=50, name="half"),
    step("100%", weight=100, name="all"),
)


def routed_policy(*steps: Step, terms: Gateway | None = TERMS, **fields: object) -> Policy:
    """Give a policy with a route."""
    return Policy(with_traffic(steps or CANARY), gateway=terms, **fields)  # type: ignore[arg-type]


class RoutedStage(Stage):
    """The stage, with what is published below traffic/ in view."""

    obstructed = False

    def scene(self, order: Order | None = None) -> Scene:
        scene = super().scene(order)
        return replace(scene, desired=replace(scene.desired, obstructed=self.obstructed))

    @property
    def route(self) -> Object:
        (only,) = load(self.line.files[ROUTE], Limits())
        return mapping(only.value)

    @property
    def is_routed(self) -> bool:
        return ROUTE in self.line.files

    def rule(self, name: str) -> list[tuple[str, Json]]:
        """Give (image, weight) of a rule's backends, none where there is no such rule."""
        images = {pool.name: self.image_of(pool.revision) for pool in self.pools()}
        rules = sequence(at(self.route, "spec", "rules"))
        found = [mapping(one) for one in rules if at(one, "name") == name]
        refs = [mapping(ref) for one in found for ref in sequence(one.get("backendRefs"))]
        return [(images[str(ref["name"])], ref["weight"]) for ref in refs]

    def pools(self) -> list[Pool]:
        routed = self.state.routed
        return [*routed.pools, *routed.retiring] if routed else []

    def image_of(self, revision: str) -> str:
        head = self.head()
        text = next(one.text for one in head.history if one.id == revision)  # type: ignore[union-attr]
        (role,) = sequence(at(text, "spec", "template", "roles"))
        (container,) = sequence(at(role, "entryTemplate", "spec", "containers"))
        return str(at(container, "image"))

    @property
    def traffic(self) -> tuple[list[tuple[str, Json]], list[tuple[str, Json]]]:
        """Give what the canary rule and the default rule send where."""
        return self.rule("canary"), self.rule("default")

    @property
    def files(self) -> set[str]:
        """Name the files below traffic/."""
        return {path.removeprefix(f"{HOME}/traffic/") for path in self.line.files if "/traffic/" in path}


def attached(policy: Policy | None = None, replicas: int = 4) -> RoutedStage:
    """A workload that serves engine:a behind its own route."""
    stage = RoutedStage(groups("engine:a", replicas), policy or routed_policy())
    stage.settle()
    stage.through("attach")
    return stage


def going(*gates: str, policy: Policy | None = None, replicas: int = 4) -> RoutedStage:
    """The same on its way to engine:b, with these gates merged."""
    stage = attached(policy, replicas)
    stage.source(groups("engine:b", replicas)).settle()
    stage.through(*gates)
    return stage


ALL_GATES = (
    "canary",
    "canary-traffic",
    "tenth-traffic",
    "half",
    "half-traffic",
    "all",
    "all-traffic",
    "drained",
    "complete",
)
