"""Make the corpus of the format that is written now: `python -m tests.corpus.make format-1`.

A corpus is made once, by the version that introduces the format, and never again: what it holds is what
that version left behind.
"""

import sys
import tempfile
from pathlib import Path

from tests.corpus.bundles import FOLDER, pack
from tests.corpus.scenes import SCENES
from tests.passes.world import World


def main(version: str) -> None:
    """Write what is missing of a format's corpus; what is there stays."""
    for name, scene in SCENES.items():
        folder = FOLDER / version / name
        if folder.exists():
            continue
        with tempfile.TemporaryDirectory() as work:
            world = World(Path(work) / "world")
            scene(world)
            pack(world, folder)
        print(name)


if __name__ == "__main__":
    main(sys.argv[1])
