"""A workload that moves to another name: the old one goes by gates, when the new one is there."""

from tests.passes.specs import serving
from tests.passes.world import World, codes

NEW = serving("talk").replace(
    "  namespace: serving\n",
    '  namespace: serving\n  annotations: {gitops-rollout.io/moved-from: "ms/chat"}\n',
)


def moved(world: World) -> None:
    world.commit({"specs/chat.yaml": serving(), "specs/other.yaml": serving("other")})
    world.settle()
    world.commit({"specs/chat.yaml": None, "specs/talk.yaml": NEW})


def test_the_old_one_is_asked_to_go_only_when_the_new_one_is_published(world: World) -> None:
    moved(world)
    assert "DELETION_HELD" in codes(world.poll())
    assert "MOVED" in codes(world.poll())
    assert [gate.rpartition("/")[2].split("-")[1] for gate in world.gates("chat")] == ["delete"]


def test_a_move_is_no_deletion_that_could_be_held(world: World) -> None:
    world.commit({"specs/chat.yaml": serving()})
    world.settle()
    world.commit({"specs/chat.yaml": None, "specs/talk.yaml": NEW})
    world.settle()
    assert world.gates("chat")


def test_both_stand_until_people_agree(world: World) -> None:
    moved(world)
    world.settle()
    assert {"chat", "talk"} <= {path.split("/")[2] for path in world.tree() if path.endswith("rollout.yaml")}


def test_a_spec_that_is_there_did_not_move(world: World) -> None:
    world.commit({"specs/chat.yaml": serving(), "specs/talk.yaml": NEW})
    world.settle()
    assert not world.gates()
