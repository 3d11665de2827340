"""The second worked example, row by row: whole output trees, and who runs and answers at each stop."""

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from gitops_rollout.rollout.draft import Order
from tests.golden.example import FOLDER, OBJECT, tree
from tests.golden.routed import ROUTE, THEIRS, UP, Stop, source, started, step_of, stop, through
from tests.passes.world import World

Golden = Callable[[str, Mapping[str, bytes]], None]

ATTACHED = {
    "attach": Stop("rA", "", "rA 100", "rA"),
    "attach-traffic": Stop("rA", "", "rA 100", "rA"),
}
WAY = {
    "canary": Stop("rB 3", "", "rA 100", "rA rB"),
    "canary-traffic": Stop("rB 3", "rB 1", "rA 100", "rA rB"),
    "tenth-traffic": Stop("rB 3", "rB 1", "rA 90, rB 10", "rA rB"),
    "half": Stop("rB 2", "rB 1", "rA 90, rB 10", "rA rB"),
    "half-traffic": Stop("rB 2", "", "rA 50, rB 50", "rA rB"),
    "all": Stop("rB 1", "", "rA 50, rB 50", "rA rB"),
    "all-traffic": Stop("rB 1", "", "rB 100", "rA rB"),
    "drained": Stop("rB 0", "", "rB 100", "rA rB"),
    "complete": Stop("rB", "", "rB 100", "(rA) rB"),
}


@pytest.fixture(scope="module")
def half(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which rB has half of the replicas and of the requests."""
    world = started(tmp_path_factory.mktemp("half"))
    through(world, *ATTACHED)
    source(world, "rB")
    world.settle()
    through(world, *list(WAY)[:5])
    shutil.rmtree(world.cache)
    return world.folder


@pytest.fixture
def halfway(half: Path, tmp_path: Path) -> World:
    """A world of one's own at the row `half-traffic`."""
    shutil.copytree(half, tmp_path / "new")
    return World(tmp_path / "new")


def test_the_way_up(tmp_path: Path, golden: Golden) -> None:
    world = started(tmp_path)
    assert stop(world) == Stop("rA", "", "", "rA")
    golden("routed-example/00-published", tree(world))
    for place, (step, row) in enumerate(ATTACHED.items(), start=1):
        through(world, step)
        assert stop(world) == row
        golden(f"routed-example/{place:02}-{step}", tree(world))
    source(world, "rB")
    world.settle()
    assert stop(world) == ATTACHED["attach-traffic"]
    golden("routed-example/03-offered", tree(world))
    for place, (step, row) in enumerate(WAY.items(), start=4):
        through(world, step)
        assert stop(world) == row
        golden(f"routed-example/{place:02}-{step}", tree(world))
    assert world.gates() == []


def test_the_rows_are_the_gates() -> None:
    assert (*ATTACHED, *WAY) == UP


def test_the_team_s_route_stands_until_it_is_let_go(tmp_path: Path) -> None:
    world = started(tmp_path)
    through(world, "attach")
    assert THEIRS in world.tree()
    through(world, "attach-traffic")
    assert THEIRS not in world.tree()


def test_an_abort_takes_the_requests_first_and_the_pods_when_they_have_ended(
    halfway: World, golden: Golden
) -> None:
    before = halfway.head()
    halfway.poll(Order.ABORT)
    assert stop(halfway) == Stop("rB 2", "", "rA 100", "rA rB")
    assert halfway.changed(before) == [f"{FOLDER}/rollout.yaml", ROUTE]
    assert len(halfway.log(f"{before}..main")) == 1
    golden("routed-example/20-abort", tree(halfway))
    through(halfway, "drained")
    assert stop(halfway) == Stop("rA 2", "", "rA 100", "rA rB")
    golden("routed-example/21-abort-drained", tree(halfway))
    through(halfway, "complete")
    assert stop(halfway) == Stop("rA", "", "rA 100", "rA (rB)")
    golden("routed-example/22-abort-complete", tree(halfway))
    assert halfway.gates() == []


def test_the_gate_of_a_share_changes_no_object(halfway: World) -> None:
    through(halfway, "all")
    assert step_of(halfway) == "all-traffic"
    before = halfway.head()
    halfway.merge()
    assert halfway.changed(before) == [f"{FOLDER}/rollout.yaml"]


def test_the_gate_of_replicas_changes_no_route(halfway: World) -> None:
    before = halfway.head()
    halfway.merge()
    assert halfway.changed(before) == [OBJECT, f"{FOLDER}/rollout.yaml"]


def test_a_pool_goes_when_a_gate_was_merged_after_its_protection(halfway: World) -> None:
    halfway.poll(Order.ABORT)
    through(halfway, "drained", "complete")
    source(halfway, "rC")
    halfway.settle()
    assert stop(halfway).pools == "rA (rB)"
    through(halfway, "canary")
    assert stop(halfway).pools == "rA rC"
