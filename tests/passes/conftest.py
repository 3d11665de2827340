"""The one fixture: an empty world."""

from pathlib import Path

import pytest

from tests.passes.world import World


@pytest.fixture
def world(tmp_path: Path) -> World:
    """Two empty repositories, and nothing cached."""
    return World(tmp_path)
