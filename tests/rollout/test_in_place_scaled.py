"""Replicas, floors and pauses in mid-rollout: partitions are counts, and steps keep their meaning."""

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitops_rollout.api.values import Json, Object
from tests.drawn import drawn
from tests.rollout.graphs import SIZES, graph
from tests.rollout.in_place import InPlaceStage, everywhere, going, resting, terms
from tests.rollout.observed import NEW, OLD


def rollout(*entries: Object) -> Json:
    return {"components": [*entries]}


def kept(name: str, partition: int) -> Object:
    return {"name": name, "partition": partition}


def paused(name: str) -> Object:
    return {"name": name, "paused": True}


def sizes(**changes: int) -> Mapping[str, int]:
    return {**SIZES, **changes}


@pytest.mark.parametrize(("replicas", "left"), [(8, 4), (6, 3), (3, 1), (2, 1), (1, 1)])
def test_a_step_that_was_reached_stays_reached(replicas: int, left: int) -> None:
    stage = going("1", "50pct").source(graph(NEW, sizes(Decode=replicas))).settle()
    assert stage.partitions == {"Frontend": 1, "Decode": left, "Prefill": 2}


def test_scaling_restarts_nothing() -> None:
    stage = going("1", "50pct")
    before = dict(stage.operator.deaths)
    stage.source(graph(NEW, sizes(Decode=8, Prefill=8))).run()
    assert stage.operator.deaths == before


def test_a_scaling_to_nothing_and_back_goes_on_from_the_step() -> None:
    stage = going("1", "50pct").source(graph(NEW, sizes(Decode=0))).settle()
    assert stage.partitions["Decode"] == 0
    assert stage.source(graph(NEW)).settle().partitions["Decode"] == 2


def test_the_next_gate_is_counted_from_the_new_replicas() -> None:
    stage = going("1").source(graph(NEW, sizes(Decode=10))).settle()
    assert stage.through("50pct").partitions["Decode"] == 5


def test_a_partition_that_people_wrote_is_never_passed() -> None:
    floor = rollout(kept("Decode", 3))
    stage = going("1", "50pct", "100pct", wanted=graph(NEW, rollout=floor))
    assert (stage.pods["Decode"], stage.pods["Prefill"]) == ({OLD: 3, NEW: 1}, {NEW: 4})
    assert (stage.gate, stage.state.stable) == (None, stage.revision_of(OLD))


def test_a_partition_that_is_lowered_when_everything_is_approved_is_followed() -> None:
    stage = going("1", "50pct", "100pct", wanted=graph(NEW, rollout=rollout(kept("Decode", 3))))
    stage.source(graph(NEW, rollout=rollout(kept("Decode", 2)))).run(times=3)
    assert stage.pods["Decode"] == {OLD: 2, NEW: 2}
    assert stage.source(graph(NEW)).run().pods == everywhere(NEW)


def test_a_partition_that_is_lowered_approves_nothing_beyond_the_step() -> None:
    stage = going("1", wanted=graph(NEW, rollout=rollout(kept("Decode", 4))))
    stage.source(graph(NEW)).settle()
    assert (stage.pods["Decode"], stage.partitions["Prefill"]) == ({OLD: 4}, 3)
    assert stage.through("1").pods["Decode"] == {OLD: 3, NEW: 1}


def test_a_partition_that_is_raised_gives_replicas_back() -> None:
    stage = going("1", "50pct").source(graph(NEW, rollout=rollout(kept("Decode", 4)))).settle()
    assert (stage.pods["Decode"], "PARTITION_RAISED" in stage.all_codes) == ({OLD: 4}, True)


def test_case_40_a_raised_partition_is_told_in_numbers() -> None:
    stage = going("1", "50pct").source(graph(NEW, rollout=rollout(kept("Decode", 3))))
    told = {one.code: one.message for one in stage.look().plan.notes}
    assert "stable keeps Decode 2 → 3 of 4" in told["PARTITION_RAISED"]


def test_r24_what_is_paused_stays_at_its_split_with_all_of_its_group() -> None:
    stage = going("1", "50pct")
    before = stage.pods
    stage.source(graph(NEW, rollout=rollout(paused("Decode")))).run()
    assert (stage.pods, stage.gate, "PAUSED" in stage.all_codes) == (before, None, True)


def test_a_pause_ends_where_it_stood() -> None:
    stage = going("1").source(graph(NEW, rollout=rollout(paused("Decode")))).settle()
    stage.source(graph(NEW)).settle()
    assert stage.through("50pct").partitions["Decode"] == 2


GROUPED: Json = [
    {"name": "a", "components": ["Frontend"]},
    {"name": "b", "components": ["Decode", "Prefill"]},
]


def test_another_group_goes_on_and_what_was_paused_is_asked_about_anew() -> None:
    held: Json = {"releaseGroups": GROUPED, "components": [paused("Frontend")]}
    free: Json = {"releaseGroups": GROUPED}
    stage = resting(wanted=graph(OLD, rollout=free)).source(graph(NEW, rollout=held)).settle()
    for gate in ("1", "50pct", "100pct"):
        stage.through(gate).run(times=3)
    assert stage.pods == {"Frontend": {OLD: 2}, "Decode": {NEW: 4}, "Prefill": {NEW: 4}}
    stage.source(graph(NEW, rollout=free)).settle()
    assert stage.pods["Frontend"] == {OLD: 2}
    assert stage.through("100pct").run().pods == everywhere(NEW)


def test_r24_a_paused_candidate_keeps_its_count_and_gives_way_to_stable() -> None:
    stage = going("1", "50pct").source(graph(NEW, rollout=rollout(paused("Decode")))).settle()
    held = rollout(paused("Decode"))
    assert stage.source(graph(NEW, sizes(Decode=8), held)).settle().partitions["Decode"] == 6
    assert stage.source(graph(NEW, sizes(Decode=2), held)).settle().partitions["Decode"] == 1


def test_one_replica_stays_on_stable_until_the_last_step() -> None:
    small = sizes(Frontend=1)
    stage = resting(wanted=graph(OLD, small)).source(graph(NEW, small)).settle()
    for gate in ("1", "50pct"):
        stage.through(gate).run(times=3)
        assert stage.pods["Frontend"] == {OLD: 1}
    assert stage.through("100pct").run().pods == everywhere(NEW, small)


SHARES = st.lists(st.integers(1, 99), max_size=3, unique=True).map(sorted)
COUNT = st.integers(1, 12)


@drawn(20)
@given(percents=SHARES, prefill=COUNT, decode=COUNT, later=st.tuples(COUNT, COUNT))
def test_8_15_prefill_and_decode_move_in_proportion(
    percents: list[int], prefill: int, decode: int, later: tuple[int, int]
) -> None:
    """Both leave their share rounded the same way, and stable one of each, at every step and scaling."""
    policy = terms(*(f"{one}%" for one in percents), "100%")
    first = {"Prefill": prefill, "Decode": decode}
    stage = InPlaceStage(graph(OLD, first), policy).settle().source(graph(NEW, first)).settle()
    while stage.gate is not None and stage.gate.step != "100pct":
        stage.merge(look=False)
        stage.look()
        share = int(stage.state.published.step.removesuffix("pct"))  # type: ignore[union-attr]
        assert stage.partitions == {name: left(share, count) for name, count in first.items()}
        stage.settle()
    if stage.state.published.step is None:
        return
    share = int(stage.state.published.step.removesuffix("pct"))
    scaled = dict(zip(("Prefill", "Decode"), later, strict=True))
    stage.source(graph(NEW, scaled)).settle()
    assert stage.partitions == {name: left(share, count) for name, count in scaled.items()}


def left(percent: int, count: int) -> int:
    return max(count - -(-percent * count // 100), min(1, count))
