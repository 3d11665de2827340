"""R2 over real git: every gate that was ever open, merged at every later point in every way."""

import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from gitops_rollout.rollout.draft import Order
from tests import gitrepo
from tests.golden.example import Row, row, source, started
from tests.passes.world import World, codes

WAYS: dict[str, tuple[tuple[str, ...], ...]] = {
    "merge": (("merge", "--no-ff", "-m", "late"),),
    "squash": (("merge", "--squash"), ("commit", "-m", "late")),
    "cherry-pick": (("cherry-pick",),),
    "rebase": (("rebase", "--onto", "HEAD"),),
    "forced": (("merge", "--no-ff", "-m", "late", "-X", "theirs"),),
    "forced pick": (("cherry-pick", "-X", "theirs"),),
}


class Clone:
    """A person's clone of the output."""

    def __init__(self, world: World, folder: Path) -> None:
        self.folder = world.checkout(folder)
        for name, value in (("user.name", "Ada"), ("user.email", "ada@example.test")):
            self.git("config", name, value)

    def git(self, *words: str) -> bool:
        done = subprocess.run(["git", "-C", str(self.folder), *words], capture_output=True, check=False)
        return done.returncode == 0

    def head(self) -> str:
        return gitrepo.git(self.folder, "rev-parse", "HEAD")

    def take(self, way: str, gate: str, onto: str) -> str | None:
        """Bring a gate in on top of `onto`; None: it conflicts, or there is nothing left to bring."""
        if not self.git("cat-file", "-e", onto) or not self.git("cat-file", "-e", gate):
            self.git("fetch", "-q", "origin", "+refs/*:refs/far/*")
        self.git("checkout", "-q", "-f", "--detach", onto)
        done = self._rebased(gate) if way == "rebase" else self._run(WAYS[way], gate)
        head = self.head()
        if not done:
            for command in ("merge", "cherry-pick", "rebase"):
                self.git(command, "--abort")
            self.git("reset", "-q", "--hard", onto)
        return head if done and not self.git("diff", "--quiet", head, onto) else None

    def _run(self, commands: tuple[tuple[str, ...], ...], gate: str) -> bool:
        first, *rest = commands
        return self.git(*first, gate) and all(self.git(*words) for words in rest)

    def _rebased(self, gate: str) -> bool:
        onto = self.head()
        return self.git("checkout", "-q", "--detach", gate) and self.git(
            "rebase", "-q", "--onto", onto, f"{gate}~1"
        )


def run(world: World) -> list[Callable[[], object]]:
    return [
        *[world.merge] * 2,
        lambda: source(world, "rB", replicas=6),
        lambda: source(world, "rC", replicas=6),
        lambda: world.poll(Order.DECLINE),
        lambda: world.poll(Order.RETRY),
        world.merge,
        lambda: source(world, "rA", replicas=6),
        world.merge,
    ]


def points(world: World, moves: Sequence[Callable[[], object]]) -> Iterator[tuple[str, list[str]]]:
    """Go through a run; give at each point the head and the commits of all gates that are stale there."""
    asked: list[str] = []
    for move in moves:
        world.settle()
        open_now = [gitrepo.git(world.output, "rev-parse", gate) for gate in world.gates()]
        yield world.head(), [gate for gate in asked if gate not in open_now]
        asked += [gate for gate in open_now if gate not in asked]
        move()
    world.settle()
    yield world.head(), asked


@pytest.fixture
def world(tmp_path: Path) -> World:
    return started(tmp_path / "team")


@pytest.fixture
def clone(world: World, tmp_path: Path) -> Clone:
    return Clone(world, tmp_path / "clone")


def test_r2_a_stale_gate_conflicts_however_it_is_merged(world: World, clone: Clone) -> None:
    for head, stale in points(world, run(world)):
        taken = {
            (way, gate)
            for way in ("merge", "squash", "cherry-pick", "rebase")
            for gate in stale
            if clone.take(way, gate, head)
        }
        assert taken == set()


def gained(before: Row, after: Row) -> bool:
    """Say whether anything came nearer than it was: a revision, or a threshold outside a way back."""
    who = [(one.stable, one.candidate, one.offered) for one in (before, after)]
    lower = (
        isinstance(before.partition, int)
        and isinstance(after.partition, int)
        and after.partition < before.partition
    )
    return who[0] != who[1] or (lower and bool(after.offered))


def test_r2_a_stale_gate_that_is_forced_in_gains_nothing(world: World, clone: Clone) -> None:
    forced = 0
    for head, stale in points(world, run(world)):
        for way, gate in zip(("forced", "forced pick"), stale[-2:], strict=False):
            before, late = row(world), clone.take(way, gate, head)
            if late is None:
                continue
            clone.git("push", "-q", "origin", f"{late}:refs/heads/main")
            assert set(codes(world.poll())) & {"GATE_STALE", "PARTITION_RAISED"}
            assert not gained(before, row(world))
            gitrepo.point(world.output, "main", head)
            shutil.rmtree(world.cache)  # as if nobody had seen what is set back
            world.settle()
            forced += 1
    assert forced >= 5


@pytest.mark.parametrize("way", ["merge", "squash", "cherry-pick", "rebase"])
def test_a_fresh_gate_counts_however_it_is_merged(world: World, clone: Clone, way: str) -> None:
    gate = gitrepo.git(world.output, "rev-parse", world.gate())
    merged = clone.take(way, gate, world.head())
    assert merged is not None
    clone.git("push", "-q", "origin", f"{merged}:refs/heads/main")
    world.settle()
    assert (row(world).candidate, row(world).partition) == ("rB", 3)
