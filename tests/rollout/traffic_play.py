"""A routed workload played to the end, commit by commit, with Kthena underneath and a gateway in front."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from gitops_rollout.api.values import Object, at, mapping, sequence
from gitops_rollout.documents.load import Limits, load
from gitops_rollout.gateway.precedence import Request, answering
from gitops_rollout.rollout.draft import Order, Word
from tests.rollout.kthena import Kthena, template
from tests.rollout.play import Move
from tests.rollout.routed import ROUTE, RoutedStage, attached
from tests.rollout.stage import HOME, OBJECT, groups

PLAIN = Request("chat.example", "/v1/completions")
MARKED = Request("chat.example", "/v1/completions", headers={"X-Canary": "true"})


def read(raw: bytes | None) -> Object:
    return mapping(load(raw, Limits())[0].value) if raw is not None else {}


@dataclass(frozen=True)
class Moment:
    """The branch at one commit, once Kthena has come to rest: who made the commit, what runs."""

    files: Mapping[str, bytes]
    ours: bool
    pods: Mapping[str, int]
    """Pods by what they are made from."""
    made_from: Mapping[str, str]
    """Revision → what its pods are made from."""

    @cached_property
    def route(self) -> Object:
        return read(self.files.get(ROUTE))

    @cached_property
    def workload(self) -> Object:
        return read(self.files[OBJECT])

    @cached_property
    def pools(self) -> dict[str, Object]:
        """Give the published pools by name."""
        paths = [path for path in self.files if path.startswith(f"{HOME}/traffic/pool-")]
        return {str(at(read(self.files[path]), "metadata", "name")): read(self.files[path]) for path in paths}

    @cached_property
    def named(self) -> set[str]:
        """Name the pools that the route names."""
        rules = [mapping(one) for one in sequence(at(self.route, "spec", "rules"))]
        return {str(at(ref, "name")) for rule in rules for ref in sequence(rule.get("backendRefs"))}

    def sent(self, request: Request) -> dict[str, int]:
        """Give the share of each revision in what a request is answered by."""
        found = answering([self.route], request) if self.route else None
        revisions = {
            name: at(pool, "metadata", "labels", "gitops-rollout.io/revision")
            for name, pool in self.pools.items()
        }
        return {str(revisions[backend.name]): backend.weight for backend in found or () if backend.weight}

    def running(self, revision: str) -> int:
        return self.pods.get(self.made_from.get(revision, "?"), 0)


@dataclass
class TrafficPlay:
    """What people do is a move, as in play.py; `later` lets time pass."""

    image: str = "engine:a"
    replicas: int = 4
    stage: RoutedStage = field(default_factory=attached)
    kthena: Kthena = field(init=False)
    seen: int = 0

    def __post_init__(self) -> None:
        self.kthena = Kthena(self.stage.published).settle()
        self.seen = len(self.stage.line.versions)

    def move(self, move: Move) -> None:
        name, value = move
        match name:
            case "merge" if self.stage.gate is not None:
                self.stage.merge(look=False)
            case "image" | "replicas":
                setattr(self, name, value)
                self.stage.source(groups(self.image, self.replicas))
            case "later" if isinstance(value, int):
                self.stage.later(minutes=value)
            case "abort" | "decline" | "retry" if not self.stage.refusal(Order(Word(name))):
                self.stage.look(Order(Word(name)))

    def moments(self, moves: list[Move]) -> Iterator[tuple[Move, Moment]]:
        """Make moves, each with two passes after it, and give every commit that came of it."""
        yield ("start", None), self._moment(self.stage.line.files, ours=True)
        for move in moves:
            self.move(move)
            by_people = move[0] == "merge"
            for _ in range(2):
                for files in self.stage.line.versions[self.seen :]:
                    yield move, self._moment(files, ours=not by_people)
                    by_people = False
                self.seen = len(self.stage.line.versions)
                self.stage.look()
            for files in self.stage.line.versions[self.seen :]:
                yield move, self._moment(files, ours=True)
            self.seen = len(self.stage.line.versions)

    def _moment(self, files: Mapping[str, bytes], *, ours: bool) -> Moment:
        self.kthena.apply(read(files[OBJECT])).settle()
        pods: dict[str, int] = {}
        for revision in self.kthena.revisions():
            pods[revision] = pods.get(revision, 0) + 1
        return Moment(dict(files), ours, pods, self._made_from(files))

    def _made_from(self, files: Mapping[str, bytes]) -> dict[str, str]:
        head = self.stage.head()
        kind = self.stage.kind
        history = head.history  # type: ignore[union-attr]
        return {one.id: template(kind.render(one.text, {}, one.injection, None)) for one in history}

    def finish(self) -> None:
        """Let people merge every gate that there is, while time passes."""
        if self.stage.state.rejected is not None:
            self.stage.order(Order.RETRY)
        for _ in range(30):
            self.stage.later(minutes=11).settle()
            if self.stage.gate is None:
                return
            self.stage.merge()
        raise AssertionError("the gates come to no end")
