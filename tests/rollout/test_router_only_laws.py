"""What holds of graphs on every way through rollouts of routers and of whole graphs (R17, R6, R14, R23)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

from hypothesis import example, given
from hypothesis import strategies as st

from gitops_rollout.api.values import Json, Object, at, mapping, sequence, text
from gitops_rollout.kinds.dynamograph.kind import DYNAMO_GRAPH
from gitops_rollout.rollout.draft import Head, Order, Word
from tests.drawn import drawn
from tests.rollout import graphs, router_only
from tests.rollout.graphs import SIZES, GraphStage, sizes
from tests.rollout.play import Move
from tests.rollout.router_only import ALL_WORKERS, OLD, UP, WORKERS
from tests.rollout.stage import FILE, accepted
from tests.rollout.traffic_play import read, reverted

NAMESPACE = "serving"
POLICIES = {"contract": router_only.policy(), "none": graphs.policy()}
SPANS: dict[str, dict[str, int]] = {
    "usual": SIZES,
    "more": {"Frontend": 4, "Decode": 6, "Prefill": 2},
    "one": dict.fromkeys(SIZES, 1),
}
OF_ROUTERS: list[Move] = [
    *[("merge", None)] * 9,
    *[("router", f"router:{number}.0.0") for number in (1, 2, 3)],
    *[("sizes", name) for name in SPANS],
    *[("abort", None), ("retry", None), ("later", 11), ("revert", None)],
]
OF_ALL: list[Move] = [
    *OF_ROUTERS,
    *[("workers", f"engine:{number}.0.0") for number in (1, 2)],
    *[("policy", name) for name in POLICIES],
]
BEGINNINGS = ((), UP[:2], UP[:6], UP)
"""How far the first change of routers has come: not at all, begun, almost everything, everything."""


@dataclass(frozen=True)
class Moment:
    """The branch at one commit."""

    files: Mapping[str, bytes]

    @cached_property
    def graphs(self) -> dict[str, Object]:
        """Give the published graphs by their Dynamo namespace."""
        found = router_only.published(self.files)
        return {f"{NAMESPACE}-{at(one, 'metadata', 'name')}": one for one in found}

    @cached_property
    def desired(self) -> Object:
        return mapping(at(read(self.files[FILE]), "state", "accepted", "controls", "components"))

    def place(self, name: str) -> str:
        """Give the namespace in which the routers of a graph look for workers."""
        return text(router_only.place(self.graphs[name])) or name

    @property
    def live(self) -> list[str]:
        """Name the graphs with routers that run."""
        return [name for name, one in self.graphs.items() if sizes(one)["Frontend"]]

    @property
    def sent(self) -> Iterator[str]:
        """Give the graphs that requests are sent to."""
        route = read(next((raw for path, raw in self.files.items() if "httproute" in path), None))
        pools = {
            text(at(one, "metadata", "name")): text(at(one, "spec", "selector", GRAPH))
            for one in (read(raw) for path, raw in self.files.items() if "/traffic/service-" in path)
        }
        for rule in sequence(at(route, "spec", "rules")):
            yield from (
                f"{NAMESPACE}-{pools[text(at(r, 'name'))]}" for r in sequence(at(rule, "backendRefs"))
            )


GRAPH = "nvidia.com/dynamo-graph-deployment-name"


@dataclass
class Play:
    """A graph behind its route, and the people around it."""

    router: str = OLD
    workers: str = WORKERS
    span: str = "usual"
    stage: GraphStage = field(default_factory=router_only.attached)

    @classmethod
    def begun(cls, gates: tuple[str, ...]) -> "Play":
        """Give one with the first change of routers on its way, with these gates merged."""
        return cls(
            "router:2.0.0" if gates else OLD,
            stage=router_only.going(*gates) if gates else router_only.attached(),
        )

    def move(self, move: Move) -> None:
        """Make a move, without a pass after it but the one that an order is."""
        name, value = move
        match name:
            case "merge" if self.stage.gate is not None:
                self.stage.merge(look=False)
            case "router" | "workers" | "sizes":
                setattr(self, "span" if name == "sizes" else name, value)
                self.stage.source(router_only.graph(self.router, self.workers, SPANS[self.span]))
            case "policy":
                self.stage.policy = POLICIES[str(value)]
            case "later" if isinstance(value, int):
                self.stage.later(minutes=value)
            case "revert":
                self.stage.line.commit(reverted(self.stage.line.versions))
            case "abort" | "retry" if not self.stage.refusal(Order(Word(name))):
                self.stage.look(Order(Word(name)))

    def moments(self, moves: list[Move]) -> Iterator[Moment]:
        """Make moves, each with the passes after it, and give every commit but those of a revert."""
        yield from map(Moment, self.stage.line.versions[1:])
        for move in moves:
            seen = len(self.stage.line.versions)
            self.move(move)
            seen += move[0] == "revert"
            self.stage.settle()
            yield from map(Moment, self.stage.line.versions[seen:])

    def finish(self) -> None:
        """Let people merge whatever is asked, until nothing is."""
        for _ in range(60):
            if self.stage.later(minutes=11).settle().gate is None:
                return
            self.stage.merge()
        raise AssertionError("gates without an end")


def r17_live_routers_have_live_workers(_before: Moment, after: Moment) -> bool:
    bound = [after.graphs.get(after.place(name), {}) for name in after.live]
    return all(one and all(sizes(one).get(name) for name in ALL_WORKERS) for one in bound)


def r6_workers_in_use_are_protected(_before: Moment, after: Moment) -> bool:
    return all(protected(after.graphs.get(after.place(name), {})) for name in after.live)


def r6_nothing_is_removed_that_was_protected(before: Moment, after: Moment) -> bool:
    return not any(protected(before.graphs[name]) for name in before.graphs.keys() - after.graphs.keys())


def protected(graph: Object) -> bool:
    return "kustomize.toolkit.fluxcd.io/prune" in mapping(at(graph, "metadata", "annotations"))


def r14_whoever_is_sent_requests_has_routers(_before: Moment, after: Moment) -> bool:
    return set(after.sent) <= set(after.live)


def r23_no_graph_changes_but_by_replicas(before: Moment, after: Moment) -> bool:
    return all(
        made_of(before.graphs[one]) == made_of(after.graphs[one])
        for one in before.graphs
        if one in after.graphs
    )


def made_of(graph: Object) -> list[Json]:
    listed = map(mapping, sequence(at(graph, "spec", "components")))
    return [{key: part for key, part in one.items() if key != "replicas"} for one in listed]


def g2_7_at_most_two_revisions_have_routers(_before: Moment, after: Moment) -> bool:
    return len(after.live) <= 2


LAWS = [
    r17_live_routers_have_live_workers,
    r6_workers_in_use_are_protected,
    r6_nothing_is_removed_that_was_protected,
    r14_whoever_is_sent_requests_has_routers,
    r23_no_graph_changes_but_by_replicas,
    g2_7_at_most_two_revisions_have_routers,
]


def runs(moves: list[Move]) -> st.SearchStrategy[list[Move]]:
    return st.lists(st.sampled_from(moves), max_size=8)


BEGUN = st.sampled_from(BEGINNINGS)
WHOLE: Move = ("workers", "engine:2.0.0")
MERGE: Move = ("merge", None)


@given(begun=BEGUN, moves=runs(OF_ALL))
@example(begun=UP, moves=[WHOLE, *[MERGE] * 11])
@example(begun=UP, moves=[WHOLE, *[MERGE] * 8, ("workers", WORKERS), ("later", 11)])
@example(begun=UP, moves=[("router", OLD), *[MERGE] * 6, ("sizes", "more"), ("router", "router:3.0.0")])
@drawn(20)
def test_every_commit_keeps_every_law(begun: tuple[str, ...], moves: list[Move]) -> None:
    moments = Play.begun(begun).moments(moves)
    assert [law.__name__ for pair in pairwise(moments) for law in LAWS if not law(*pair)] == []


@given(begun=BEGUN, moves=runs(OF_ROUTERS))
@drawn(10)
def test_while_only_routers_change_every_commit_has_the_workers_of_the_source(
    begun: tuple[str, ...], moves: list[Move]
) -> None:
    for moment in Play.begun(begun).moments(moves):
        wanted = {name: at(moment.desired, name, "replicas") for name in ALL_WORKERS}
        running = router_only.running(moment.files)
        assert {name: running[name] for name in ALL_WORKERS} == wanted


@given(begun=BEGUN, moves=runs(OF_ALL))
@drawn(10)
def test_with_people_who_merge_every_rollout_ends_on_the_source(
    begun: tuple[str, ...], moves: list[Move]
) -> None:
    play = Play.begun(begun)
    list(play.moments([*moves, ("retry", None)]))
    play.finish()
    assert play.stage.state.candidate is None
    head = play.stage.head()
    assert isinstance(head, Head)
    assert (
        head.history[head.file.state.stable].text == accepted(mapping(play.stage.wanted), DYNAMO_GRAPH).text
    )
    assert router_only.running(play.stage.line.files) == SPANS[play.span]
