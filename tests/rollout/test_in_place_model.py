"""What holds on every way of a graph that holds both revisions, down to the pods of its components."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from hypothesis import example, given
from hypothesis import strategies as st

from gitops_rollout.api.values import Json, Object
from gitops_rollout.rollout.draft import Order
from gitops_rollout.rollout.facts import About
from gitops_rollout.rollout.state import State
from tests.drawn import drawn
from tests.rollout.graphs import SIZES, graph
from tests.rollout.in_place import NEXT, InPlaceStage, everywhere, resting
from tests.rollout.observed import NEW, OLD

Move: TypeAlias = tuple[str, object]
Pods: TypeAlias = dict[str, dict[str, int]]
LAST = "100pct"


@dataclass(frozen=True)
class Turn:
    """One move and the passes after it, with the pods at rest before and after."""

    move: Move
    before: State
    state: State
    pods: tuple[Pods, Pods]
    partitions: dict[str, int]
    floors: dict[str, int]
    kept: bool
    images: tuple[str, str]
    """Of stable, and of the candidate (or of stable again)."""

    def of_candidate(self, side: int, name: str) -> int:
        return sum(n for image, n in self.pods[side].get(name, {}).items() if image != self.images[0])

    @property
    def going_up(self) -> bool:
        return self.state.candidate is not None and self.state.offered == self.state.candidate

    @property
    def resized(self) -> bool:
        return self.move[0] == "size"


@dataclass
class Play:
    """What people do is a move: image, size, floor, pause, merge, abort; the cluster may forget the field."""

    stage: InPlaceStage = field(default_factory=resting)
    image: str = OLD
    sizes: dict[str, int] = field(default_factory=lambda: dict(SIZES))
    floors: dict[str, int] = field(default_factory=dict)
    paused: str = ""

    @property
    def wanted(self) -> Object:
        entries: list[Json] = [
            {"name": name, "partition": min(number, self.sizes[name])} for name, number in self.floors.items()
        ]
        entries += [{"name": self.paused, "paused": True}] if self.paused else []
        return graph(self.image, self.sizes, {"components": self._merged(entries)} if entries else None)

    @staticmethod
    def _merged(entries: list[Json]) -> Json:
        found: dict[str, Object] = {}
        for one in entries:
            assert isinstance(one, dict)
            found[str(one["name"])] = {**found.get(str(one["name"]), {}), **one}
        return [*found.values()]

    def move(self, move: Move) -> None:
        word, value = move
        match word, value:
            case "image", str(image):
                self.image = image
            case "size", [str(name), int(count)]:
                self.sizes[name] = count
            case "floor", [str(name), int(count)]:
                self.floors[name] = count
            case "pause", str(name):
                self.paused = name
            case "kept", bool(known):
                self.stage.unknown = frozenset() if known else frozenset({About.KEPT})
            case "merge", _ if self.stage.gate is not None:
                self.stage.merge(look=False)
            case "abort", _ if self.stage.state.offered is not None:
                self.stage.look(Order.ABORT)
        self.stage.source(self.wanted)

    def turns(self, moves: list[Move]) -> Iterator[Turn]:
        for move in moves:
            before, pods = self.stage.state, self.pods
            self.move(move)
            self.stage.run(times=2)
            state = self.stage.state
            images = [self.stage.image_of(one) for one in (state.stable, state.candidate or state.stable)]
            floors = {name: min(number, self.sizes[name]) for name, number in self.floors.items()}
            yield Turn(
                move,
                before,
                state,
                (pods, self.pods),
                {name: number for name, number in self.stage.partitions.items() if isinstance(number, int)},
                floors,
                not self.stage.unknown,
                (images[0], images[1]),
            )

    @property
    def pods(self) -> Pods:
        return {name: dict(found) for name, found in self.stage.pods.items()}

    def finish(self) -> None:
        """Let people unpause, scale up and merge everything."""
        self.floors, self.paused, self.stage.unknown = {}, "", frozenset()
        self.sizes = {name: max(1, count) for name, count in self.sizes.items()}
        self.stage.source(self.wanted).run(times=4)
        if self.stage.state.rejected is not None:
            self.stage.order(Order.RETRY)
        for _ in range(12):
            self.stage.run(times=3)
            if self.stage.gate is None:
                return
            self.stage.merge()
        raise AssertionError("the gates come to no end")


def only_stable_and_candidate_serve(turn: Turn) -> bool:
    paused = turn.state.accepted.controls.get("paused")
    return bool(paused) or all(set(found) <= set(turn.images) for found in turn.pods[1].values())


def nothing_but_a_merge_gives_a_candidate_more(turn: Turn) -> bool:
    asked = turn.move[0] == "merge" or turn.before.published.step == LAST or turn.resized
    same = turn.before.stable == turn.state.stable
    return asked or not same or all(turn.of_candidate(1, n) <= turn.of_candidate(0, n) for n in SIZES)


def r26_without_the_field_nothing_is_given_at_all(turn: Turn) -> bool:
    done = turn.before.published.step == LAST or turn.resized or turn.before.stable != turn.state.stable
    return turn.kept or done or all(turn.of_candidate(1, n) <= turn.of_candidate(0, n) for n in SIZES)


def no_partition_lies_below_what_people_wrote(turn: Turn) -> bool:
    shown = turn.partitions
    return not turn.going_up or all(shown.get(name, 0) >= low for name, low in turn.floors.items())


def stable_keeps_one_of_each_until_the_last_step(turn: Turn) -> bool:
    on = turn.going_up and turn.state.published.step not in (None, LAST)
    counts = {name: sum(found.values()) for name, found in turn.pods[1].items()}
    return not on or all(turn.partitions.get(name, 0) >= min(1, count) for name, count in counts.items())


def lowest_never_rises_within_a_rollout(turn: Turn) -> bool:
    low, before = turn.state.lowest, turn.before.lowest
    return low is None or before is None or all(low[name] <= number for name, number in before.items())


LAWS: list[Callable[[Turn], bool]] = [
    only_stable_and_candidate_serve,
    nothing_but_a_merge_gives_a_candidate_more,
    r26_without_the_field_nothing_is_given_at_all,
    no_partition_lies_below_what_people_wrote,
    stable_keeps_one_of_each_until_the_last_step,
    lowest_never_rises_within_a_rollout,
]
MOVES: list[Move] = [
    *[("merge", None)] * 5,
    *[("image", image) for image in (OLD, NEW, NEXT)],
    *[
        ("size", [name, count])
        for name, count in (("Decode", 0), ("Decode", 9), ("Prefill", 1), ("Prefill", 6))
    ],
    *[("floor", [name, count]) for name, count in (("Decode", 3), ("Decode", 0), ("Frontend", 1))],
    *[("pause", name) for name in ("Decode", "", "")],
    *[("kept", known) for known in (False, True, True)],
    ("abort", None),
]
START: list[Move] = [("image", NEW), ("merge", None)]
RUNS = st.lists(st.sampled_from(MOVES), max_size=7).map(lambda rest: [*START, *rest])


@drawn(12)
@given(moves=RUNS)
@example(moves=[*START, ("merge", None), ("size", ["Decode", 0]), ("image", NEXT), ("size", ["Decode", 9])])
def test_every_law_holds_on_every_way(moves: list[Move]) -> None:
    play = Play()
    for turn in play.turns(moves):
        assert [law.__name__ for law in LAWS if not law(turn)] == []
    play.finish()
    assert play.pods == everywhere(play.image, play.sizes)
