"""A routed workload played to the end, commit by commit, with Kthena underneath and a gateway in front."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from gitops_rollout.api.policy import Policy
from gitops_rollout.api.values import Object, at, mapping, sequence
from gitops_rollout.documents.load import Limits, load
from gitops_rollout.gateway.precedence import Request, answering
from gitops_rollout.rollout.draft import Order, Word
from gitops_rollout.traffic.steps import without_traffic
from tests.rollout.kthena import Kthena, template
from tests.rollout.line import Changes
from tests.rollout.play import Move
from tests.rollout.routed import CANARY, ROUTE, TERMS, RoutedStage, attached, routed_policy, step
from tests.rollout.stage import FILE, HOME, OBJECT, groups

POLICIES = {
    "full": routed_policy(),
    "short": routed_policy(step(1, header=True, name="canary"), step("100%", name="all")),
    "heavy": routed_policy(
        step(1, header=True, name="canary"),
        step("25%", header=True, weight=20, name="tenth"),
        step("50%", weight=40, name="half"),
        step("100%", weight=100, name="all"),
    ),
    "elsewhere": routed_policy(terms=replace(TERMS, hostnames=("chat.example",))),
    "port": routed_policy(terms=replace(TERMS, port=9000)),
    "none": Policy(without_traffic(CANARY)),
}
"""What the source may make of the policy; None of them moves a request by itself."""

PLAIN = Request("chat.example", "/v1/completions")
MARKED = Request("chat.example", "/v1/completions", headers={"X-Canary": "true"})


def read(raw: bytes | None) -> Object:
    return mapping(load(raw, Limits())[0].value) if raw is not None else {}


def reverted(versions: Sequence[Mapping[str, bytes]]) -> Changes:
    """Give what `git revert` of the last merge of a gate changes: a commit of people with an approval."""
    for before, after in zip(versions[-2::-1], versions[:0:-1], strict=True):
        if read(before.get(FILE)).get("state") == read(after.get(FILE)).get("state"):
            names = [path for path in {*before, *after} if before.get(path) != after.get(path)]
            return {path: before.get(path) for path in names}
    return {}


@dataclass(frozen=True)
class Moment:
    """The branch at one commit, once Kthena has come to rest; `by_hand`: no gate and none of ours."""

    files: Mapping[str, bytes]
    by_hand: bool
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
    def record(self) -> Object:
        return read(self.files[FILE])

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
            case "policy":
                self.stage.policy = POLICIES[str(value)]
            case "revert" if len(self.stage.line.versions) > 1:
                self.stage.line.commit(reverted(self.stage.line.versions))
            case "edit" if ROUTE in self.stage.line.files:
                self.stage.line.commit(
                    {ROUTE: self.stage.line.files[ROUTE].replace(b"weight: ", b"weight: 1")}
                )
            case "promote" if not self.stage.refusal(Order(Word.PROMOTE, step=str(value))):
                self.stage.look(Order(Word.PROMOTE, step=str(value)))
            case "abort" | "decline" | "retry" if not self.stage.refusal(Order(Word(name))):
                self.stage.look(Order(Word(name)))

    def moments(self, moves: list[Move]) -> Iterator[tuple[Move, Moment]]:
        """Make moves, each with two passes after it, and give every commit that came of it."""
        yield ("start", None), self._moment(self.stage.line.files, by_hand=False)
        for move in moves:
            self.move(move)
            by_hand = move[0] in ("edit", "revert")
            for _ in range(2):
                for files in self.stage.line.versions[self.seen :]:
                    yield move, self._moment(files, by_hand=by_hand)
                    by_hand = False
                self.seen = len(self.stage.line.versions)
                self.stage.look()
            for files in self.stage.line.versions[self.seen :]:
                yield move, self._moment(files, by_hand=False)
            self.seen = len(self.stage.line.versions)

    def _moment(self, files: Mapping[str, bytes], *, by_hand: bool) -> Moment:
        self.kthena.apply(read(files[OBJECT])).settle()
        pods: dict[str, int] = {}
        for revision in self.kthena.revisions():
            pods[revision] = pods.get(revision, 0) + 1
        return Moment(dict(files), by_hand, pods, self._made_from(files))

    def _made_from(self, files: Mapping[str, bytes]) -> dict[str, str]:
        head = self.stage.head()
        kind = self.stage.kind
        history = head.history  # type: ignore[union-attr]
        return {one.id: template(kind.render(one.text, {}, one.injection, None)) for one in history}

    def finish(self) -> None:
        """Let people merge every gate that there is, while time passes; what cannot be split never ends."""
        self.replicas = max(2, self.replicas)
        self.stage.source(groups(self.image, self.replicas)).settle()
        if self.stage.state.rejected is not None:
            self.stage.order(Order.RETRY)
        for _ in range(30):
            self.stage.later(minutes=11).settle()
            if self.stage.gate is None:
                return
            self.stage.merge()
        raise AssertionError("the gates come to no end")
