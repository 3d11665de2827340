"""Worlds to begin with: an empty one, and two whose workload has a route of its own."""

from pathlib import Path

import pytest

from tests.passes.routes import TO_HALF, copied, through, wanted
from tests.passes.specs import serving
from tests.passes.world import World


@pytest.fixture
def world(tmp_path: Path) -> World:
    """Two empty repositories, and nothing cached."""
    return World(tmp_path)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two worlds: in one chat answers through our route alone, in the other engine:2 has half of all."""
    world = World(tmp_path_factory.mktemp("made") / "attached")
    wanted(world)
    world.settle()
    through(world, "attach", "attach-traffic")
    other = copied(world.folder, world.folder.with_name("halfway"))
    other.commit({"specs/chat.yaml": serving(image="engine:2")})
    other.settle()
    through(other, *TO_HALF)
    return world.folder.parent


@pytest.fixture
def attached(made: Path, tmp_path: Path) -> World:
    """Chat answers through our route alone; the world knows that there is nothing to do."""
    world = copied(made / "attached", tmp_path / "own")
    world.settle()
    return world


@pytest.fixture
def halfway(made: Path, tmp_path: Path) -> World:
    """engine:2 has half of the replicas and of the requests; `all` is asked."""
    return copied(made / "halfway", tmp_path / "own")
