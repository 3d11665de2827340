"""Worlds as two small files, and back."""

from pathlib import Path

from tests import gitrepo
from tests.passes.world import World

FOLDER = Path(__file__).parent
SIDES = ("source", "output")


def pack(world: World, folder: Path) -> None:
    """Write both repositories as bundles of all their branches; packed alone, so that bytes are few."""
    folder.mkdir(parents=True, exist_ok=True)
    for side in SIDES:
        bare = world.folder / f"{side}.git"
        gitrepo.git(bare, "bundle", "create", "--quiet", str(folder / f"{side}.bundle"), "--branches")


def unpack(folder: Path, into: Path) -> World:
    """Give the world of two bundles, with nothing cached."""
    for side in SIDES:
        bare = gitrepo.make_bare(into / f"{side}.git")
        gitrepo.git(bare, "fetch", "--quiet", str(folder / f"{side}.bundle"), "refs/heads/*:refs/heads/*")
    return World(into)


def corpus(version: str) -> list[Path]:
    """Give the folders of all scenes of a format."""
    return sorted(one for one in (FOLDER / version).iterdir() if one.is_dir())
