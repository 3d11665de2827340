"""Steps, floors and scaling: how far a rollout has come, by whole groups."""

import pytest

from gitops_rollout.api.policy import Step
from gitops_rollout.api.values import Json, at
from gitops_rollout.rollout.capacity import stages
from tests.rollout.stage import Stage, chat, groups, rolling, steps

B = "engine:b"


@pytest.mark.parametrize(
    ("replicas", "partitions"), [(1, [0]), (2, [1, 0]), (3, [2, 1, 0]), (10, [7, 5, 2, 0])]
)
def test_every_step_moves_something_and_the_last_ends_at_zero(replicas: int, partitions: list[int]) -> None:
    found = stages(steps("25%", "50%", "75%", "100%").steps, {"*": replicas})
    assert [stage.partition["*"] for stage in found] == partitions


def test_of_steps_that_reach_the_same_the_last_stands_for_all() -> None:
    def named(steps: tuple[Step, ...], replicas: int) -> list[str]:
        return [stage.step.name for stage in stages(steps, {"*": replicas})]

    assert named(steps(1, "50%", "100%").steps, 1) == ["100pct"]
    assert named(steps(1, "50%", "100%").steps, 2) == ["50pct", "100pct"]


def test_nothing_of_a_new_revision_but_its_record_comes_before_its_first_gate() -> None:
    stage = chat()
    before = stage.line.files
    changed = {
        path for path, raw in stage.source(groups(B)).settle().line.files.items() if before.get(path) != raw
    }
    assert {path.rpartition("/")[2].removesuffix(".yaml") for path in changed} == {
        "rollout",
        "kustomization",
        f"chat-{stage.revision(B)}",
    }


@pytest.mark.parametrize(
    ("floor", "partition", "gate"),
    [
        (0, 0, "complete"),
        (1, 1, None),
        (3, 3, None),
        ("50%", 2, None),
        ("1%", 1, None),
        (None, 0, "complete"),
    ],
)
def test_a_rollout_ends_at_the_floor_that_people_wrote(floor: Json, partition: int, gate: str | None) -> None:
    stage = chat(floor=floor)
    stage.source(groups(B, floor=floor)).settle()
    while stage.gate is not None and stage.gate.step != "complete":
        stage.merge()
    assert (stage.partition, stage.gate and stage.gate.step) == (partition, gate)


@pytest.mark.parametrize("floor", [4, 5, "100%"])
def test_a_floor_over_everything_asks_for_nothing(floor: Json) -> None:
    stage = chat(floor=floor).source(groups(B, floor=floor)).settle()
    assert (stage.gate, stage.image, stage.partition) == (None, "engine:a", floor)


def test_a_lower_floor_approves_nothing_beyond_the_step_in_force() -> None:
    stage = rolling("1", "50pct", floor=1)
    assert stage.source(groups(B, floor=0)).settle().partition == 2
    assert stage.gate is not None


def test_with_everything_approved_a_lower_floor_is_followed() -> None:
    stage = chat(floor=3, policy=steps("100%")).source(groups(B, floor=3)).settle().through("100pct")
    assert stage.partition == 3
    assert stage.source(groups(B, floor=1)).settle().in_force == (1, 1, "100pct")


def test_a_higher_floor_is_published_and_takes_nothing_back() -> None:
    stage = rolling("1", "50pct").source(groups(B, floor=3))
    stage.look()
    assert "PARTITION_RAISED" in stage.codes
    assert stage.in_force == (3, 2, "50pct")


@pytest.mark.parametrize("steps_taken", [("1",), ("1", "50pct")])
def test_scaling_up_lets_new_replicas_be_born_on_stable(steps_taken: tuple[str, ...]) -> None:
    stage = rolling(*steps_taken)
    lowest = stage.state.published.lowest
    stage.source(groups(B, 6)).look()
    assert stage.in_force == (6, lowest, steps_taken[-1])
    assert "CANDIDATE_UNPINNED" in stage.codes


@pytest.mark.parametrize(("replicas", "partition", "gate"), [(2, 3, "50pct"), (1, 3, "100pct")])
def test_scaling_down_leaves_the_threshold_and_counts_steps_anew(
    replicas: int, partition: int, gate: str
) -> None:
    stage = rolling("1").source(groups(B, replicas)).settle()
    assert stage.partition == partition
    assert stage.gate is not None
    assert stage.gate.step == gate


@pytest.mark.parametrize("replicas", [2, 6])
def test_with_everything_approved_scaling_moves_nothing(replicas: int) -> None:
    stage = rolling("1", "50pct", "100pct").source(groups(B, replicas)).settle()
    assert stage.in_force == (0, 0, "100pct")


@pytest.mark.parametrize("replicas", [2, 6])
def test_before_the_first_gate_scaling_is_only_scaling(replicas: int) -> None:
    stage = rolling().source(groups(B, replicas)).settle()
    assert (stage.image, stage.partition) == ("engine:a", None)
    assert at(stage.published, "spec", "replicas") == replicas


def test_on_the_way_back_scaling_leaves_the_threshold() -> None:
    stage = rolling("1", "50pct").source(groups("engine:a", 6)).settle()
    assert (stage.image, stage.partition) == ("engine:a", 2)


def test_scaling_never_takes_a_step_back_or_forward() -> None:
    stage = rolling("1", "50pct")
    for replicas in (6, 2, 8, 4):
        stage.source(groups(B, replicas)).settle()
        assert stage.in_force[2] == "50pct"


def test_without_anything_running_complete_is_not_asked() -> None:
    stage = rolling("1", "50pct", "100pct").source(groups(B, 0)).settle()
    assert stage.gate is None
    assert stage.source(groups(B, 2)).settle().gate is not None


def test_a_rollout_may_begin_where_nothing_runs() -> None:
    stage = chat(0).source(groups(B, 0)).settle().through("100pct")
    assert (stage.image, stage.gate) == (B, None)


def test_without_steps_one_gate_asks_for_everything() -> None:
    stage = Stage(groups("engine:a"), None).settle().source(groups(B)).settle()
    assert stage.through("all", "complete").state.stable == stage.revision(B)
