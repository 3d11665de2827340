"""Golden trees: what is missing fails, and so does what is too much."""

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeAlias

import pytest

Golden: TypeAlias = Callable[[str, Mapping[str, bytes]], None]


def standing(folder: Path) -> dict[str, bytes]:
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    """Compare a whole tree with the one of this name beside the test, or rewrite that one."""

    def compare(name: str, tree: Mapping[str, bytes]) -> None:
        folder = request.path.parent / name
        if request.config.getoption("--update-golden"):
            shutil.rmtree(folder, ignore_errors=True)
            for path, content in tree.items():
                (folder / path).parent.mkdir(parents=True, exist_ok=True)
                (folder / path).write_bytes(content)
        assert standing(folder) == dict(tree)

    return compare
