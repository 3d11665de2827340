"""The third worked example, row by row: whole output trees, and which graphs stand and answer."""

import shutil
from collections.abc import Callable, Mapping
from itertools import pairwise
from pathlib import Path

import pytest

from gitops_rollout.rollout.draft import Order
from tests import gitrepo
from tests.golden.example import tree
from tests.golden.graphs import FOLDER, KEY, ROUTE, UP, Stop, path_of, source, started, stop
from tests.golden.routed import step_of, through
from tests.passes.world import World

Golden = Callable[[str, Mapping[str, bytes]], None]

WAY = [
    ("canary", Stop("rA 2 2 4, rB 1 1 1", "", "rA 100")),
    ("canary-traffic", Stop("rA 2 2 4, rB 1 1 1", "rB 1", "rA 100")),
    ("half", Stop("rA 2 2 4, rB 1 1 2", "rB 1", "rA 100")),
    ("half-traffic", Stop("rA 2 2 4, rB 1 1 2", "", "rA 50, rB 50")),
    ("drained", Stop("rA 1 1 2, rB 1 1 2", "", "rA 50, rB 50")),
    ("all", Stop("rA 1 1 2, rB 2 2 4", "", "rA 50, rB 50")),
    ("all-traffic", Stop("rA 1 1 2, rB 2 2 4", "", "rB 100")),
    ("drained", Stop("rA 0 1 0, rB 2 2 4", "", "rB 100")),
    ("drained", Stop("(rA 0 0 0), rB 2 2 4", "", "rB 100")),
    ("complete", Stop("rB 2 2 4", "", "rB 100")),
]
BACK = [
    ("stable-traffic", Stop("rA 2 2 4, rB 1 1 2", "", "rA 100")),
    ("drained", Stop("rA 2 2 4, rB 0 1 0", "", "rA 100")),
    ("drained", Stop("(rB 0 0 0), rA 2 2 4", "", "rA 100")),
    ("complete", Stop("rA 2 2 4", "", "rA 100")),
]


@pytest.fixture(scope="module")
def half(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which rB has half of the requests, and rA half of its replicas."""
    world = started(tmp_path_factory.mktemp("half"))
    through(world, "attach")
    source(world, "rB")
    world.settle()
    through(world, *(step for step, _ in WAY[:5]))
    shutil.rmtree(world.cache)
    return world.folder


@pytest.fixture
def halfway(half: Path, tmp_path: Path) -> World:
    """A world of one's own at the first row `drained`."""
    shutil.copytree(half, tmp_path / "new")
    return World(tmp_path / "new", workload=KEY)


def test_the_way_up(tmp_path: Path, golden: Golden) -> None:
    world = started(tmp_path)
    golden("graph-example/00-published", tree(world))
    through(world, "attach")
    assert stop(world) == Stop("rA 2 2 4", "", "rA 100")
    source(world, "rB")
    world.settle()
    golden("graph-example/01-offered", tree(world))
    for place, (step, row) in enumerate(WAY, start=2):
        through(world, step)
        assert stop(world) == row
        golden(f"graph-example/{place:02}-{step}", tree(world))
    assert (world.gates(), [one for one in world.log() if "by hand" in one]) == ([], [])


def test_the_rows_are_the_gates() -> None:
    assert ("attach", *(step for step, _ in WAY)) == UP


def test_an_abort_gives_stable_its_replicas_first_and_then_its_requests(
    halfway: World, golden: Golden
) -> None:
    halfway.poll(Order.ABORT)
    assert stop(halfway) == Stop("rA 2 2 4, rB 1 1 2", "", "rA 50, rB 50")
    golden("graph-example/20-abort", tree(halfway))
    for place, (step, row) in enumerate(BACK, start=21):
        through(halfway, step)
        assert stop(halfway) == row
        golden(f"graph-example/{place}-abort-{step}", tree(halfway))
    assert halfway.gates() == []


def test_a_merge_changes_the_candidate_at_most(halfway: World) -> None:
    while halfway.gates():
        before, candidate = halfway.head(), path_of(halfway, "rB")
        halfway.merge()
        assert {*halfway.changed(before)} <= {f"{FOLDER}/rollout.yaml", candidate}
        halfway.settle()


def test_the_source_that_goes_back_goes_the_same_way_as_an_abort(halfway: World) -> None:
    source(halfway, "rA")
    halfway.settle()
    through(halfway, *(step for step, _ in BACK))
    assert stop(halfway) == BACK[-1][1]


def test_a_commit_moves_graphs_or_requests_and_never_both(halfway: World) -> None:
    halfway.poll(Order.ABORT)
    through(halfway, *(step for step, _ in BACK))
    commits = gitrepo.git(halfway.output, "rev-list", "--first-parent", "main").split()
    for after, before in pairwise(commits):
        changed = gitrepo.git(halfway.output, "diff", "--name-only", before, after).splitlines()
        assert not (ROUTE in changed and any("/capacity/dgd" in path for path in changed))


def test_the_first_graph_keeps_its_name_and_the_next_one_has_one_of_its_own(halfway: World) -> None:
    names = [path.rpartition("/")[2] for path in halfway.tree() if "/capacity/dgd" in path]
    own, other = sorted(names, key=len)
    assert own == "dgd.yaml"
    assert other.endswith("-assist.yaml")
    assert len(other) == len("dgd-r0123456789-assist.yaml")
    assert step_of(halfway) == "all"
