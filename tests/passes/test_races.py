"""Two writers, and people who push while a pass is on: nothing is lost and nothing is done twice."""

import threading

import pytest

from gitops_rollout.errors import PushRejected
from tests import gitrepo
from tests.passes.arranged import SCENES, two_changes
from tests.passes.moments import Moments, crash
from tests.passes.specs import serving
from tests.passes.test_crashes import moments, settled
from tests.passes.world import World, image

QUICK = ("first_publication", "merged_gate", "removal")
SLOW = [pytest.param(scene, marks=pytest.mark.slow) for scene in SCENES if scene not in QUICK]


@pytest.mark.parametrize("scene", [*QUICK, *SLOW])
def test_a_second_writer_at_any_moment_changes_nothing(world: World, scene: str) -> None:
    SCENES[scene](world)
    world.keep()
    many = moments(world)
    wanted = settled(world)
    other = world.replica()
    for at in range(many):
        world.back()
        world.poll(around=Moments(other.poll, at))
        assert settled(world) == wanted, f"moment {at}"


def test_a_commit_of_people_at_any_moment_is_kept_and_ours_comes_in_the_same_pass(world: World) -> None:
    two_changes(world)
    world.keep()
    many = moments(world)
    for at in range(many):
        world.back()
        world.poll(around=Moments(lambda: world.edit({"RIVAL.txt": "theirs"}), at))
        assert world.read("RIVAL.txt") == "theirs"
        assert len(world.gates()) == 2
        assert world.log().count("Update 2 workloads and 1 other object") == 1


def test_a_source_commit_in_the_middle_of_an_idle_looking_pass_is_not_overlooked(world: World) -> None:
    two_changes(world)
    world.settle()
    next(world.cache.glob("*/memory.json")).unlink()
    world.poll(around=Moments(lambda: world.commit({"specs/c.yaml": serving("c", replicas=7)}), 0))
    world.poll()
    assert "replicas: 7" in world.read("rollouts/serving/c/capacity/modelserving.yaml")


def test_a_race_that_is_lost_every_time_ends_with_one_clear_word(world: World) -> None:
    two_changes(world)
    rival = Rival(world)
    with pytest.raises(PushRejected, match="refs/heads/main moved since it was read"):
        world.poll(around=rival)
    assert 3 <= rival.pushes <= 10
    assert world.gates() == []
    world.settle()
    assert len(world.gates()) == 2


class Rival(Moments):
    """Is faster each time."""

    def __init__(self, world: World) -> None:
        super().__init__(crash)
        self.world, self.pushes = world, 0

    def before_push(self) -> None:
        self.pushes += 1
        self.world.edit({"RIVAL.txt": f"number {self.pushes}"})


def test_two_writers_at_the_same_time_make_one_commit_of_each_change(world: World) -> None:
    two_changes(world)
    world.keep()
    wanted = settled(world)
    for _ in range(3):
        world.back()
        threads = [threading.Thread(target=one.poll) for one in (world, world.replica())]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert settled(world) == wanted


def test_the_output_may_be_rewound_by_force_and_is_written_again(world: World) -> None:
    two_changes(world)
    world.settle()
    gitrepo.point(world.output, "main", gitrepo.git(world.output, "rev-parse", "main~1"))
    world.settle()
    assert image(world) == "engine:1"
    assert len(world.gates()) == 2
