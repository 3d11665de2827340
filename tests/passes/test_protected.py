"""A server that takes no push of ours: one clear word, no loop, no gate opened, no hand work after (R21)."""

from collections.abc import Callable

import pytest

from gitops_rollout.errors import BranchProtected
from tests import gitrepo
from tests.passes.arranged import SCENES, merged_gate, two_changes
from tests.passes.moments import Moments, crash
from tests.passes.specs import serving
from tests.passes.test_crashes import settled
from tests.passes.world import World, image, partition

NO_MAIN = 'case "$1" in refs/heads/main) echo "changes need a review" >&2; exit 1;; esac'
NO_GATES = 'case "$1" in refs/heads/gitops-rollout/*) echo "no such names here" >&2; exit 1;; esac'


class Pushes(Moments):
    """Counts pushes."""

    def __init__(self) -> None:
        super().__init__(crash)
        self.pushes = 0

    def before_push(self) -> None:
        self.pushes += 1


def allow(world: World) -> None:
    gitrepo.install_hook(world.output, "update", "exit 0")


@pytest.mark.parametrize("scene", SCENES)
def test_a_protected_branch_opens_no_gate_and_heals_by_itself(world: World, scene: str) -> None:
    SCENES[scene](world)
    world.keep()
    wanted = settled(world)
    world.back()
    before = world.refs()
    gitrepo.install_hook(world.output, "update", NO_MAIN)
    for _ in range(3):
        pushes = Pushes()
        with pytest.raises(
            BranchProtected, match="refs/heads/main takes no push of ours: changes need a review"
        ):
            world.poll(around=pushes)
        assert pushes.pushes == 2
        assert world.refs() == before
    allow(world)
    assert settled(world) == wanted


def test_a_step_that_was_merged_before_the_protection_goes_no_further(world: World) -> None:
    merged_gate(world)
    gitrepo.install_hook(world.output, "update", NO_MAIN)
    before = world.refs()
    with pytest.raises(BranchProtected):
        world.poll()
    assert world.refs() == before
    world.commit({"specs/chat.yaml": serving(policy="steps")})
    with pytest.raises(BranchProtected):
        world.poll()
    allow(world)
    world.settle()
    assert (image(world), partition(world)) == ("engine:1", "3")


def test_a_server_without_room_for_gates_says_so_and_what_is_published_stays(world: World) -> None:
    two_changes(world)
    gitrepo.install_hook(world.output, "update", NO_GATES)
    for _ in range(2):
        with pytest.raises(BranchProtected, match="no such names here"):
            world.poll()
    assert world.gates() == []
    allow(world)
    world.settle()
    assert len(world.gates()) == 2


def test_a_hook_that_refuses_once_is_a_race(world: World) -> None:
    two_changes(world)
    once = 'if [ ! -e "$GIT_DIR/raced" ]; then touch "$GIT_DIR/raced"; exit 1; fi'
    gitrepo.install_hook(world.output, "pre-receive", once)
    world.poll()
    assert len(world.gates()) == 2


def _clone_gone(world: World) -> None:
    for clone in world.cache.glob("*/output.git"):
        for file in clone.glob("objects/pack/*"):
            file.chmod(0o600)
            file.write_bytes(b"damaged")


def _clone_foreign(world: World) -> None:
    for clone in world.cache.glob("*/source.git"):
        (clone / "config").write_text("[core]\n\tbare = maybe\n")


def _everything_a_file(world: World) -> None:
    for clone in world.cache.glob("*/*.git"):
        (clone / "HEAD").unlink()


@pytest.mark.parametrize("damage", [_clone_gone, _clone_foreign, _everything_a_file])
def test_a_damaged_clone_is_fetched_again(world: World, damage: Callable[[World], None]) -> None:
    two_changes(world)
    world.keep()
    wanted = settled(world)
    world.back()
    damage(world)
    assert settled(world) == wanted
