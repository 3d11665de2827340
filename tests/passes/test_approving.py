"""Approving by command is a merge like any other; it refuses what a person must look at."""

import pytest

from gitops_rollout.approve import approve
from gitops_rollout.errors import PushRejected, Refused
from gitops_rollout.report import WorkloadReport
from tests import gitrepo
from tests.passes.arranged import two_changes
from tests.passes.moments import Moments
from tests.passes.specs import serving
from tests.passes.world import Around, World, as_it_is, image


@pytest.fixture
def asked(world: World) -> World:
    """A world with two open gates."""
    two_changes(world)
    world.settle()
    return world


def approved(world: World, name: str = "chat", around: Around = as_it_is) -> str:
    """Approve what the newest look finds open."""
    with world.open(around) as pipeline:
        found = next(one for one in pipeline.preview(world.now).workloads if one.key.name == name)
        return approve(pipeline.output, pipeline.pipeline, found, pipeline.us)


def found(world: World) -> WorkloadReport:
    with world.open() as pipeline:
        return next(one for one in pipeline.preview(world.now).workloads if one.key.name == "chat")


def test_an_approved_gate_is_merged_and_acted_upon(asked: World) -> None:
    merge = approved(asked)
    assert gitrepo.git(asked.output, "log", "-1", "--format=%P", merge).count(" ") == 1
    asked.settle()
    assert (image(asked), image(asked, name="b")) == ("engine:2", "engine:1")


def test_two_gates_are_approved_one_after_the_other_without_a_pass_between(asked: World) -> None:
    approved(asked, "b")
    approved(asked, "chat")
    asked.settle()
    assert (image(asked), image(asked, name="b")) == ("engine:2", "engine:2")


def test_files_of_people_stay_when_a_gate_is_approved(asked: World) -> None:
    asked.edit({"README.md": "words"})
    approved(asked)
    assert asked.read("README.md") == "words"


def test_a_gate_with_a_person_s_commit_is_not_approved_by_command(asked: World) -> None:
    gitrepo.commit_files(asked.output, asked.gate(), {"NOTES.md": "looked at it"})
    with pytest.raises(Refused, match="holds commits of people"):
        approved(asked)


def test_a_question_that_no_longer_stands_is_not_approved(asked: World) -> None:
    old = found(asked)
    asked.commit({"specs/chat.yaml": serving(replicas=9, image="engine:2")})
    asked.settle()
    with asked.open() as pipeline, pytest.raises(Refused):
        approve(pipeline.output, pipeline.pipeline, old, pipeline.us)


def test_an_approval_that_loses_a_race_approves_nothing(asked: World) -> None:
    rival = Moments(lambda: asked.edit({"RIVAL.txt": "theirs"}))
    rival.at = _last_moment(asked)
    with pytest.raises(PushRejected):
        approved(asked, around=rival)
    assert image(asked) == "engine:1"


def _last_moment(world: World) -> int:
    """Count the moments until the push of an approval, in a world of its own."""
    counted = Moments(lambda: None)
    before = world.head()
    approved(world, around=counted)
    gitrepo.point(world.output, "main", before)
    return counted.passed - 2
