"""Older folders that people put back by git: a number is never used again, nor taken for a proof (R1, R3)."""

from collections.abc import Callable

import pytest
import yaml

from tests import gitrepo
from tests.passes.specs import serving
from tests.passes.world import World, codes

FOLDER = "rollouts/serving/chat"
OBJECT = f"{FOLDER}/capacity/modelserving.yaml"


@pytest.fixture
def scaled(world: World) -> World:
    """Chat is published, and then scaled twice; nothing of it is on its way, and that is remembered."""
    for replicas in (2, 4, 6):
        world.commit({"specs/chat.yaml": serving(replicas=replicas), "specs/b.yaml": serving("b")})
        world.settle()
    return world


def seq(world: World) -> int:
    return int(yaml.safe_load(world.read(f"{FOLDER}/rollout.yaml"))["state"]["seq"])


def live(world: World) -> tuple[int, int]:
    """Give the replicas that are published, and the number of the object."""
    value = yaml.safe_load(world.read(OBJECT))
    number = value["metadata"]["annotations"]["gitops-rollout.io/seq"]
    return value["spec"]["replicas"], int(number)


def folder_at(world: World, commit: str) -> dict[str, str | bytes | None]:
    """Give the folder as a commit shows it, as a change of what is there now."""
    gitrepo.point(world.output, "then", commit)
    now = [path for path in world.tree() if path.startswith(f"{FOLDER}/")]
    then = [path for path in world.tree("then") if path.startswith(f"{FOLDER}/")]
    return {**dict.fromkeys(now), **{path: world.read(path, "then") for path in then}}


def put_back(world: World, *older: int) -> None:
    """Put whole older folders on top, one after the other: so many commits of before."""
    line = gitrepo.git(world.output, "rev-list", "--first-parent", "main").split()
    for back in older:
        world.edit(folder_at(world, line[back]))


@pytest.mark.parametrize("older", [(1,), (2,), (1, 0), (2, 1), (2, 0)])
def test_a_whole_older_folder_uses_no_number_again(scaled: World, older: tuple[int, ...]) -> None:
    last, (_, number) = seq(scaled), live(scaled)
    put_back(scaled, *older)
    scaled.settle()
    assert seq(scaled) > last
    assert live(scaled) == (6, seq(scaled))
    assert live(scaled)[1] > number


def with_another_workload(world: World) -> None:
    world.commit({"specs/b.yaml": serving("b", replicas=3)})


def with_its_own_source(world: World) -> None:
    world.commit({"specs/chat.yaml": serving(replicas=4)})


@pytest.mark.parametrize("meanwhile", [with_another_workload, with_its_own_source])
def test_nor_where_something_else_is_published_in_the_same_pass(
    scaled: World, meanwhile: Callable[[World], None]
) -> None:
    last = seq(scaled)
    put_back(scaled, 1)
    meanwhile(scaled)
    scaled.settle()
    assert seq(scaled) > last


def test_nor_where_it_was_quiet_like_that_before(scaled: World) -> None:
    scaled.commit({"specs/chat.yaml": serving(replicas=9)})
    scaled.poll()
    last = seq(scaled)
    put_back(scaled, 1)
    scaled.commit({"specs/chat.yaml": serving(replicas=6)})
    scaled.settle()
    assert (seq(scaled) > last, live(scaled)[0]) == (True, 6)


def test_it_says_that_the_record_was_set_back(scaled: World) -> None:
    put_back(scaled, 1)
    assert codes(scaled.poll()) == ["RECORD_RESTORED"]


def test_an_object_that_was_put_back_as_it_was_gets_another_number(scaled: World) -> None:
    whole, (_, number) = scaled.read(OBJECT), live(scaled)
    scaled.edit({OBJECT: whole.replace("replicas: 6", "replicas: 1")})
    scaled.edit({OBJECT: whole})
    scaled.settle()
    assert live(scaled) == (6, seq(scaled))
    assert live(scaled)[1] > number


def test_a_gate_that_was_merged_and_reverted_gives_no_number_away(scaled: World) -> None:
    scaled.commit({"specs/chat.yaml": serving(replicas=6, image="engine:2")})
    scaled.settle()
    scaled.merge(scaled.gate("chat"))
    shown = live(scaled)[1]
    put_back(scaled, 1)
    scaled.settle()
    assert live(scaled)[1] > shown


def test_what_people_write_elsewhere_and_other_pipelines_on_the_branch_change_nothing(scaled: World) -> None:
    other = scaled.beside("other", "main", "elsewhere")
    before = scaled.tree()
    scaled.edit({"README.md": "ours", "rollouts/README.md": "theirs"})
    other.settle()
    scaled.commit({"README.md": "look again"})
    scaled.settle()
    mine = {path: oid for path, oid in scaled.tree().items() if path.startswith("rollouts/serving")}
    assert mine.items() <= before.items()


def test_a_commit_of_another_pipeline_hides_nothing(scaled: World) -> None:
    other, last = scaled.beside("other", "main", "elsewhere"), seq(scaled)
    put_back(scaled, 1)
    other.settle()
    scaled.settle()
    assert seq(scaled) > last
