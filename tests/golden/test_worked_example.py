"""The worked example, row by row: whole output trees, and the numbers of its tables."""

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from gitops_rollout.rollout.draft import Order
from tests import gitrepo
from tests.golden.example import OBJECT, Row, row, source, started, tree
from tests.passes.world import World, codes

Golden = Callable[[str, Mapping[str, bytes]], None]


def up(fence: int, seq: int, partition: int, lowest: int, shown: str) -> Row:
    """Give a row of the first attempt of rB, which is the candidate."""
    return Row(fence, seq, "rA", "rB", "rB", 1, partition, lowest, shown)


WAY: dict[str, list[Row]] = {
    "1": [
        Row(3, 2, "rA", "", "rB", 1, None, None, "rB labelled 3"),
        up(4, 4, 3, 3, "rB labelled 3"),
    ],
    "50pct": [
        up(5, 4, 3, 3, "rB labelled 2"),
        up(6, 6, 2, 2, "rB labelled 2"),
    ],
    "100pct": [
        up(7, 6, 2, 2, "rB labelled 0"),
        up(8, 8, 0, 0, "rB labelled 0"),
    ],
    "complete": [
        up(9, 8, 0, 0, "rB labelled 0"),
        Row(10, 10, "rB", "", "", 1, None, None, "rB labelled None"),
    ],
}  # fmt: skip


@pytest.fixture(scope="module")
def half(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which steps 1 and 50pct are in force."""
    world = started(tmp_path_factory.mktemp("half"))
    for _ in range(2):
        world.merge()
        world.settle()
    shutil.rmtree(world.cache)
    return world.folder


@pytest.fixture
def halfway(half: Path, tmp_path: Path) -> World:
    """A world of one's own at the row `50pct`: seq 6, gate 100pct open."""
    world = World(tmp_path / "new")
    for name in ("source.git", "output.git"):
        shutil.rmtree(world.folder / name)
        shutil.copytree(half / name, world.folder / name)
    return world


def step_of(world: World) -> str:
    return world.gate().rpartition("/")[2]


def test_the_way_up(tmp_path: Path, golden: Golden) -> None:
    world = started(tmp_path)
    assert row(world) == Row(2, 2, "rA", "", "rB", 1, None, None, "rA plain None")
    golden("worked-example/00-offered", tree(world))
    for place, (step, rows) in enumerate(WAY.items(), start=1):
        assert step_of(world).startswith(f"1-{step}-")
        world.merge()
        assert row(world) == rows[0]
        golden(f"worked-example/{place:02}-{step}-merged", tree(world))
        world.settle()
        assert row(world) == rows[1]
        golden(f"worked-example/{place:02}-{step}-published", tree(world))
    assert world.gates() == []


def test_a_gate_changes_fence_and_approval_and_at_most_the_workload(halfway: World) -> None:
    gate = halfway.gate()
    changed = gitrepo.git(halfway.output, "diff", "--name-only", "main", gate).splitlines()
    assert changed == [OBJECT, OBJECT.replace("capacity/modelserving", "rollout")]
    assert len(gitrepo.git(halfway.output, "rev-list", f"main..{gate}").split()) == 1


@pytest.mark.parametrize("how", ["source", "abort"])
def test_back_to_stable(halfway: World, golden: Golden, how: str) -> None:
    if how == "source":
        source(halfway, "rA")
        halfway.poll()
    else:
        halfway.poll(Order.ABORT)
    assert row(halfway) == Row(7, 7, "rA", "rB", "", 2, 2, 2, "rA plain 2")
    golden(f"worked-example/20-{how}", tree(halfway))
    assert step_of(halfway).startswith("2-complete-")
    halfway.merge()
    halfway.settle()
    assert row(halfway) == Row(9, 9, "rA", "", "", 2, None, None, "rA plain None")
    golden(f"worked-example/21-{how}-complete", tree(halfway))
    assert halfway.gates() == []


def test_a_late_merge_conflicts_and_forced_in_only_lowers_lowest(halfway: World, golden: Golden) -> None:
    late = gitrepo.head(halfway.output, halfway.gate())
    source(halfway, "rA")
    halfway.settle()
    gitrepo.point(halfway.output, "late", late)
    assert gitrepo.conflicts(halfway.output, "main", "late")
    halfway.edit({path: gitrepo.read(halfway.output, "late", path) for path in (OBJECT,)})
    fence = gitrepo.read(halfway.output, "late", "rollouts/serving/chat/rollout.yaml").splitlines()
    ours = halfway.read("rollouts/serving/chat/rollout.yaml").splitlines()
    until = [one.partition(":")[0] for one in fence].index("state")
    forced = [*fence[:until], *ours[[one.partition(":")[0] for one in ours].index("state") :]]
    halfway.edit({"rollouts/serving/chat/rollout.yaml": "\n".join(forced) + "\n"})
    assert "GATE_STALE" in codes(halfway.poll())
    assert row(halfway) == Row(8, 8, "rA", "rB", "", 2, 0, 0, "rA plain 0")
    golden("worked-example/22-late-merge", tree(halfway))


def test_scaling_up_protects_everything_anew(halfway: World, golden: Golden) -> None:
    source(halfway, "rB", replicas=6)
    halfway.poll()
    assert row(halfway) == up(7, 7, 6, 2, "rB labelled 6")
    assert step_of(halfway).startswith("1-100pct-")
    golden("worked-example/23-six-replicas", tree(halfway))
    halfway.merge()
    assert row(halfway).shown == "rB labelled 0"


def test_a_third_revision_takes_over_what_the_second_holds(halfway: World, golden: Golden) -> None:
    source(halfway, "rC")
    halfway.poll()
    assert row(halfway) == Row(7, 7, "rA", "rB", "rC", 2, 2, 2, "rB labelled 2")
    assert step_of(halfway).startswith("2-50pct-")
    golden("worked-example/24-third-offered", tree(halfway))
    halfway.merge()
    assert row(halfway).shown == "rC labelled 2"
    halfway.settle()
    assert row(halfway) == Row(9, 9, "rA", "rC", "rC", 2, 2, 2, "rC labelled 2")
    golden("worked-example/25-third-candidate", tree(halfway))


def test_a_declined_gate_goes_and_nothing_moves(halfway: World, golden: Golden) -> None:
    before = halfway.read(OBJECT)
    halfway.poll(Order.DECLINE)
    assert row(halfway) == up(7, 7, 2, 2, "rB labelled 2")
    assert (halfway.read(OBJECT), halfway.gates()) == (before, [])
    golden("worked-example/26-declined", tree(halfway))


def by_hand(world: World, partition: int) -> list[str]:
    text = world.read(OBJECT).replace("partition: 2", f"partition: {partition}")
    world.edit({OBJECT: text})
    return codes(world.poll())


def test_a_lower_partition_by_hand_approves_its_step(halfway: World, golden: Golden) -> None:
    assert "STEP_SKIPPED" in by_hand(halfway, 0)
    assert row(halfway) == up(7, 7, 0, 0, "rB labelled 0")
    assert step_of(halfway).startswith("1-complete-")
    golden("worked-example/27-lowered-by-hand", tree(halfway))


def test_a_higher_partition_by_hand_is_put_back(halfway: World, golden: Golden) -> None:
    assert "STEP_SKIPPED" not in by_hand(halfway, 3)
    assert row(halfway) == up(7, 7, 2, 2, "rB labelled 2")
    assert halfway.log()[0] == "serving/chat: put back what was changed by hand"
    golden("worked-example/28-raised-by-hand", tree(halfway))


def test_a_respelling_writes_nothing(halfway: World) -> None:
    halfway.settle()
    before = (halfway.head(), halfway.refs())
    source(halfway, "rB", cpu="1000m")
    assert halfway.poll().settled
    assert (halfway.head(), halfway.refs()) == before
