"""What cannot be read stops itself alone, and is never taken for gone (cases 04, 13, 14, 31)."""

from collections.abc import Callable, Mapping

import pytest

from gitops_rollout.api.settings import SourceSettings
from gitops_rollout.errors import BadSettings, Refused
from tests import gitrepo
from tests.passes.arranged import merged_gate
from tests.passes.specs import config, policy, serving
from tests.passes.world import World, codes, image, partition

BROKEN = "}{ not yaml"
BAD: Mapping[str, str | bytes] = {
    "unreadable": BROKEN,
    "binary": b"\x00\xff\xfe",
    "refused": serving(replicas=-1),
    "doubled": serving() + "---\n" + serving(image="engine:9"),
    "templated": serving(image="{{ .Values.image }}"),
    "of a newer version": serving().replace("v1alpha1", "v9"),
}


@pytest.mark.parametrize("bad", BAD)
def test_a_bad_spec_keeps_its_last_state_and_others_go_on(world: World, bad: str) -> None:
    world.commit({"specs/chat.yaml": serving(), "specs/b.yaml": serving("b"), "specs/c.yaml": serving("c")})
    world.settle()
    mine = {path: oid for path, oid in world.tree().items() if "/chat/" in path}
    world.commit({"specs/chat.yaml": BAD[bad], "specs/b.yaml": serving("b", replicas=6)})
    report = world.settle()
    assert report.refused
    assert mine.items() <= world.tree().items()
    assert "replicas: 6" in world.read("rollouts/serving/b/capacity/modelserving.yaml")
    world.commit({"specs/chat.yaml": serving(replicas=7)})
    assert not world.settle().refused
    assert "replicas: 7" in world.read("rollouts/serving/chat/capacity/modelserving.yaml")


@pytest.mark.parametrize("bad", BAD)
def test_the_rollout_of_a_bad_spec_goes_on(world: World, bad: str) -> None:
    merged_gate(world)
    world.settle()
    world.commit({"specs/chat.yaml": BAD[bad]})
    world.settle()
    for at in ("2", "0", None):
        world.merge()
        world.settle()
        assert partition(world) == at
    assert image(world) == "engine:2"


@pytest.mark.parametrize("bad", ["unreadable", "binary"])
def test_a_file_that_cannot_be_read_holds_every_deletion(world: World, bad: str) -> None:
    world.commit({f"specs/{name}.yaml": serving(name) for name in ("chat", "b", "c")})
    world.commit({"specs/notes.yaml": config(), "specs/more.yaml": config("more")})
    world.settle()
    before = world.refs()
    world.commit({"specs/chat.yaml": None, "specs/other.yaml": BAD[bad]})
    assert "DELETION_HELD" in codes(world.settle())
    assert world.refs() == before
    world.commit({"specs/other.yaml": None})
    world.settle()
    assert len(world.gates("chat")) == 1


def test_a_deletion_that_follows_a_broken_commit_is_carried_out(world: World) -> None:
    world.commit({f"specs/{name}.yaml": serving(name) for name in ("chat", "b", "c")})
    world.settle()
    world.commit({"specs/chat.yaml": BROKEN})
    world.commit({"specs/chat.yaml": None})
    for _ in range(2):
        world.settle()
        world.merge()
    world.settle()
    assert not [path for path in world.tree() if "/chat/" in path]


def test_too_many_deletions_at_once_are_held_until_they_are_confirmed(world: World) -> None:
    world.commit({f"specs/{name}.yaml": serving(name) for name in ("chat", "b", "c")})
    world.settle()
    before = world.refs()
    world.commit({"specs/chat.yaml": None, "specs/b.yaml": None})
    assert "DELETION_HELD" in codes(world.settle())
    assert world.refs() == before
    world.told(confirm_deletion=("ms/chat -n serving", "ms/b -n serving"))
    world.settle()
    assert len(world.gates()) == 2


def test_a_spec_that_comes_back_takes_the_question_away(world: World) -> None:
    world.commit({f"specs/{name}.yaml": serving(name) for name in ("chat", "b", "c")})
    world.settle()
    world.commit({"specs/chat.yaml": None})
    world.settle()
    assert len(world.gates()) == 1
    world.commit({"specs/again/chat.yaml": serving()})
    world.settle()
    assert world.gates() == []


def _emptied(world: World) -> None:
    gitrepo.commit_files(world.source, "main", {"specs/chat.yaml": None})


def _nothing(world: World) -> None:
    tree = gitrepo.git(world.source, "hash-object", "-t", "tree", "-w", "--stdin", stdin=b"")
    commit = gitrepo.git(world.source, "commit-tree", tree, "-p", "main", "-m", "nothing")
    gitrepo.point(world.source, "main", commit)


def _no_branch(world: World) -> None:
    gitrepo.point(world.source, "main", None)


def _other_path(world: World) -> None:
    world.told(source=SourceSettings(str(world.source), paths=("spec",)))


def _other_branch(world: World) -> None:
    world.told(source=SourceSettings(str(world.source), branch="mian"))


@pytest.mark.parametrize("happened", [_emptied, _nothing, _no_branch, _other_path, _other_branch])
def test_a_source_that_is_not_there_is_an_error_and_changes_nothing(
    world: World, happened: Callable[[World], None]
) -> None:
    world.commit({"specs/chat.yaml": serving(), "README.md": "words"})
    world.settle()
    before = world.refs()
    happened(world)
    with pytest.raises((BadSettings, Refused), match=r"there is nothing in folder|has no branch"):
        world.poll()
    assert world.refs() == before


def test_everything_that_is_published_never_goes_at_once(world: World) -> None:
    world.commit({"specs/chat.yaml": serving(), "specs/notes.yaml": config()})
    world.settle()
    before = world.refs()
    world.commit({"specs/chat.yaml": None, "specs/notes.yaml": None, "specs/README.md": "empty"})
    assert "DELETION_HELD" in codes(world.settle())
    assert world.refs() == before


def test_a_policy_that_cannot_be_read_leaves_the_last_one_in_force(world: World) -> None:
    merged_gate(world)
    world.settle()
    world.commit({"specs/steps.yaml": policy(spec="{steps: [7%, nonsense]}")})
    assert world.settle().refused
    world.merge()
    world.settle()
    assert partition(world) == "2"


@pytest.mark.parametrize("spelled", ["{}", "{}/", "file://{}", "{}/../output.git", "{}/../link"])
def test_one_branch_for_source_and_output_is_refused(world: World, spelled: str) -> None:
    (world.folder / "link").symlink_to(world.output)
    world.edit({"specs/chat.yaml": serving()})
    world.told(source=SourceSettings(spelled.format(world.output)))
    with pytest.raises(BadSettings, match="branch"):
        world.poll()
    assert world.log() == ["by hand"]
