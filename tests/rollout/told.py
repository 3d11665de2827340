"""Routers that take their policy, and a rollout whose routers have to be told (DESIGN 7, R18, R19)."""

import json
from dataclasses import dataclass, field, replace

from gitops_rollout.api.gateway import Backend
from gitops_rollout.api.policy import Policy, Proof
from gitops_rollout.api.router_terms import RouterMode, RouterTerms
from gitops_rollout.api.values import Json, Object, at, mapping, sequence
from gitops_rollout.output.heads import Absent
from gitops_rollout.rollout import router_fence
from gitops_rollout.rollout.bindings import RouterPolicy, digest
from gitops_rollout.rollout.draft import Head, Order, Scene
from gitops_rollout.rollout.facts import About, Answer, Fact, Observation
from gitops_rollout.rollout.router_fence import RouterAnswer
from gitops_rollout.rollout.state import State
from tests.rollout.graphs import TERMS, graph, policy
from tests.rollout.observed import NEW, OLD, ObservedStage
from tests.rollout.stage import HOME

BODY = f"{HOME}/{router_fence.BODY}"
TOLD = policy(proof=Proof.CLUSTER, router_policy=RouterTerms(RouterMode.MANAGEMENT_API, 9090, token="chat"))
assert TERMS.backend is Backend.SERVICE


@dataclass
class Router:
    """One that conforms: lower versions, and another body for its own, are refused (409)."""

    pod: str
    revision: str
    boot: int = 1
    version: int = 0
    body: Json = None
    accepted: list[tuple[int, int, bytes]] = field(default_factory=list)
    """Everything that it ever accepted, with the start in which it did."""

    def put(self, version: int, raw: bytes) -> RouterAnswer:
        other = version == self.version and json.loads(raw) != self.body
        if version >= self.version and not other:
            self.version, self.body = version, json.loads(raw)
            self.accepted.append((self.boot, version, raw))
        sent = digest(mapping(json.loads(raw)))
        return RouterAnswer(self.pod, str(self.boot), self.version, sent, refused=other)

    def restart(self) -> None:
        self.boot, self.version, self.body = self.boot + 1, 0, None

    @property
    def chooses(self) -> Object:
        """Give whom it chooses, by the member of the binding; nobody: it is not ready (R18)."""
        return chosen(mapping(self.body), self.revision)


def chosen(body: Object, revision: str) -> Object:
    """Give whom routers of a revision choose by a body; a missing binding never falls back to the default."""
    bound: dict[str, Object] = {
        str(one["routerRevision"]): {name: value for name, value in one.items() if name != "routerRevision"}
        for one in map(mapping, sequence(body.get("routerRevisionBindings")))
    }
    own: Object = {"workerRevision": revision} if at(body, "default", "workerRevision") == revision else {}
    return bound.get(revision, own)


@dataclass
class ToldStage(ObservedStage):
    """The stage with a router in each pod of the Frontend, told by every pass before it decides."""

    routers: dict[str, Router] = field(default_factory=dict)
    deaf: set[str] = field(default_factory=set)
    """Revisions whose routers are not reached."""
    silent: bool = False
    """Nobody asks the routers."""
    known: tuple[str | None, Head | Absent] | None = None
    """The head as it was read last."""

    def head(self) -> Head | Absent:
        if self.known is None or self.known[0] != self.line.head:
            self.known = (self.line.head, super().head())
        return self.known[1]

    def scene(self, order: Order | None = None) -> Scene:
        scene, head = super().scene(order), self.head()
        if not isinstance(head, Head):
            return scene
        state = head.file.state
        answers = self._tell()
        policy = state.routerPolicy or RouterPolicy(0, "")
        acked = router_fence.acknowledged(answers, self.selected(state), policy)
        seen = scene.observation
        facts: dict[Fact, Answer] = {**seen.answers}
        if About.ACKNOWLEDGED not in self.unknown:
            facts[Fact(About.ACKNOWLEDGED, str(policy.version))] = acked
        for revision in {one.revision for one in self.routers.values()}:
            if not self.ready(revision) and facts.get(Fact(About.ROUTABLE, revision)) is Answer.YES:
                facts[Fact(About.ROUTABLE, revision)] = Answer.NO
        told = Observation(
            facts,
            seen.routable,
            None if self.silent else router_fence.reported(answers),
            router_fence.refused(answers, policy),
        )
        return replace(scene, observation=told)

    def _tell(self) -> list[RouterAnswer]:
        head = self.head()
        assert isinstance(head, Head)
        self._start(head.file.state)
        files = {path.removeprefix(f"{HOME}/"): raw for path, raw in self.line.files.items()}
        sent = router_fence.to_put(self.key, files)
        reached = [one for one in self.routers.values() if one.revision not in self.deaf]
        if self.silent or sent is None:
            return []
        return [one.put(*sent) for one in reached]

    def _start(self, state: State) -> None:
        """Start and stop routers as the published graphs say."""
        wanted = {
            f"{one.revision}/{index}": one.revision
            for one in state.graphs
            if one.stage == "serving"
            for index in range(2 if one.replicas is None else one.replicas["Frontend"])
        }
        self.routers = {pod: self.routers.get(pod, Router(pod, revision)) for pod, revision in wanted.items()}

    def selected(self, state: State) -> dict[str, str]:
        """Give the pods that pools select now, with their boot ids."""
        pools = {one.revision for one in state.routed.pools} if state.routed is not None else set()
        return {pod: str(one.boot) for pod, one in self.routers.items() if one.revision in pools}

    def ready(self, revision: str) -> bool:
        """Say whether every router of a revision knows whom to choose."""
        return all(one.chooses for one in self.routers.values() if one.revision == revision)

    @property
    def body(self) -> Object:
        """Read what routers are told."""
        return mapping(json.loads(self.line.files[BODY]))

    @property
    def bound(self) -> tuple[str, list[str]]:
        """Give the default's image, and the images of the routers that are bound besides."""
        binding = sequence(self.body["routerRevisionBindings"])
        routers = [self.image_of(str(at(one, "routerRevision"))) for one in binding]
        return self.image_of(str(at(self.body, "default", "workerRevision"))), routers

    @property
    def version(self) -> int:
        return int(str(self.body["policyVersion"]))

    def bodies(self) -> list[Object]:
        """Give every body that was ever published, in order, each once."""
        found = [files[BODY] for files in self.line.versions if BODY in files]
        return [mapping(json.loads(raw)) for raw in dict.fromkeys(found)]


def attached(terms: Policy = TOLD) -> ToldStage:
    """A graph behind its route whose routers know stable."""
    stage = ToldStage(graph(OLD), terms)
    stage.settle()
    stage.run(times=2)
    stage.through("attach").run(times=2)
    return stage


def going(*gates: str, terms: Policy = TOLD) -> ToldStage:
    """The same on its way, these gates merged; what follows by itself has followed."""
    stage = attached(terms)
    stage.source(graph(NEW)).settle()
    for name in gates:
        stage.run(times=3).through(name).run()
    return stage
