"""A pass that dies at any moment leaves nothing that the next one does not finish."""

import shutil
from contextlib import suppress

import pytest

from tests.passes.arranged import SCENES
from tests.passes.moments import Crash, Moments, crash
from tests.passes.world import World


def settled(world: World) -> dict[str, str]:
    world.settle()
    return world.refs()


def moments(world: World) -> int:
    """Count the moments of the next pass."""
    counted = Moments(crash)
    world.poll(around=counted)
    return counted.passed


@pytest.mark.parametrize("scene", SCENES)
def test_a_pass_that_dies_at_any_moment_is_finished_by_the_next(world: World, scene: str) -> None:
    SCENES[scene](world)
    world.keep()
    many = moments(world)
    assert many >= 3
    wanted = settled(world)
    for at in range(many):
        world.back()
        with suppress(Crash):
            world.poll(around=Moments(crash, at))
        assert settled(world) == wanted, f"moment {at}"


@pytest.mark.parametrize("scene", SCENES)
def test_a_pass_that_dies_before_it_remembers_is_forgotten(world: World, scene: str) -> None:
    SCENES[scene](world)
    world.keep()
    wanted = settled(world)
    world.back()
    world.poll()
    shutil.rmtree(world.cache)
    assert settled(world) == wanted


@pytest.mark.slow
@pytest.mark.parametrize("scene", ["two_changes", "merged_gate"])
def test_two_crashes_in_a_row_are_one(world: World, scene: str) -> None:
    SCENES[scene](world)
    world.keep()
    many = moments(world)
    wanted = settled(world)
    for at in range(many):
        world.back()
        for second in (at, max(0, at - 1)):
            with suppress(Crash):
                world.poll(around=Moments(crash, second))
        assert settled(world) == wanted, f"moment {at}"
