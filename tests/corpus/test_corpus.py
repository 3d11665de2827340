"""An upgrade is a no-op: what an earlier version left behind, this one leaves as it is (G2 3, R28)."""

from pathlib import Path

import pytest

from gitops_rollout.rollout.state import FORMAT
from tests import gitrepo
from tests.corpus.bundles import SIDES, corpus, pack, unpack
from tests.corpus.scenes import SCENES
from tests.passes.world import World, image, partition

EVERY = [folder for version in ("format-1",) for folder in corpus(version)]
every = pytest.mark.parametrize("folder", EVERY, ids=[folder.name for folder in EVERY])


def gate(world: World) -> str:
    (one,) = [name for name in world.refs() if "-chat/" in name]
    return one


@every
def test_the_next_pass_plans_nothing_and_moves_no_ref(folder: Path, tmp_path: Path) -> None:
    world = unpack(folder, tmp_path / "world")
    before = world.refs()
    report = world.poll()
    assert (report.settled, report.refused, [one.words for one in report.workloads if one.words]) == (
        True,
        False,
        [],
    )
    assert not any(one.blocked for one in report.workloads)
    assert world.refs() == before


@every
def test_a_respelled_source_moves_no_ref(folder: Path, tmp_path: Path) -> None:
    world = unpack(folder, tmp_path / "world")
    before = world.refs()
    # Other objects are published byte for byte, comments and all.
    paths = [path for path in gitrepo.paths(world.source) if "notes" not in path]
    world.commit({path: f"# said anew\n{gitrepo.read(world.source, 'main', path)}" for path in paths})
    assert world.poll().settled
    assert world.refs() == before


@every
def test_whatever_is_asked_can_still_be_merged(folder: Path, tmp_path: Path) -> None:
    world = unpack(folder, tmp_path / "world")
    merged = 0
    while gates := [name for name in world.refs() if "-chat/" in name]:
        gitrepo.merge(world.output, "main", gates[0])
        world.settle()
        merged += 1
        assert merged < 8
    assert world.poll().settled
    assert "GATE_STALE" not in str(world.poll())


@every
def test_a_history_of_then_is_known_now(folder: Path, tmp_path: Path) -> None:
    world = unpack(folder, tmp_path / "world")
    with world.open() as pipeline:
        reports = pipeline.preview(world.now).workloads
    assert reports
    assert all(report.history is not None and not report.history.damaged for report in reports)


def test_a_rollout_of_then_goes_on_to_its_end(tmp_path: Path) -> None:
    world = unpack(EVERY[0].parent / "half", tmp_path / "world")
    for step in ("100pct", "complete"):
        assert step in gate(world)
        world.merge()
        world.settle()
    assert (image(world), partition(world)) == ("engine:2", None)


def test_every_scene_is_there_once_for_this_format_and_small() -> None:
    assert {folder.name for folder in corpus(f"format-{FORMAT}")} == set(SCENES)
    sizes = {folder.name: (folder / f"{side}.bundle").stat().st_size for folder in EVERY for side in SIDES}
    assert {name for name, size in sizes.items() if size > 20_000} == set()


def test_a_bundle_holds_every_ref(tmp_path: Path) -> None:
    then = unpack(EVERY[0].parent / "first_step", tmp_path / "then")
    pack(then, tmp_path / "again")
    assert unpack(tmp_path / "again", tmp_path / "now").refs() == then.refs()
