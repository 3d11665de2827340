"""A source repository that tests write to and read from."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.source.desk import Desk


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    desk = Desk(tmp_path)
    yield desk
    desk.close()
