"""The objects beside the workloads: byte for byte, kept, held, and never lost."""

import pytest

from gitops_rollout.api.settings import Others, SourceSettings
from tests.passes.specs import config, policy, serving
from tests.passes.world import World, codes

FOLDER = "rollouts/serving/_others"
NOTES = f"{FOLDER}/configmap-notes.yaml"


def published(world: World, **files: str) -> None:
    """Publish chat, three ConfigMaps and what else is named."""
    configs = {f"specs/{name}.yaml": config(name) for name in ("notes", "more", "third")}
    world.commit(
        {"specs/chat.yaml": serving(), **configs, **{f"specs/{k}.yaml": v for k, v in files.items()}}
    )
    world.settle()


def test_an_object_is_published_byte_for_byte(world: World) -> None:
    odd = "# a word before\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: odd}\ndata:\n  a:   'yes'\n"
    world.commit({"specs/all.yaml": config() + "---\n" + odd + "---\n" + serving()})
    world.settle()
    assert config() in world.read(NOTES)
    assert "  a:   'yes'\n" in world.read("rollouts/default/_others/configmap-odd.yaml")


def test_a_change_follows_at_once_and_touches_nothing_else(world: World) -> None:
    published(world)
    before = world.head()
    world.commit({"specs/notes.yaml": config(value="two")})
    world.settle()
    assert world.changed(before) == [NOTES]
    assert world.log()[0] == "other objects: 1 changed"


def test_an_object_that_is_gone_is_removed(world: World) -> None:
    published(world)
    world.commit({"specs/notes.yaml": None})
    world.settle()
    assert NOTES not in world.tree()
    assert "notes" not in world.read(f"{FOLDER}/kustomization.yaml")


def test_many_that_are_gone_at_once_are_held(world: World) -> None:
    published(world)
    before = world.refs()
    world.commit({"specs/notes.yaml": None, "specs/more.yaml": None})
    assert "DELETION_HELD" in codes(world.settle())
    assert world.refs() == before


@pytest.mark.parametrize("kind", ["PersistentVolumeClaim", "Namespace", "CustomResourceDefinition"])
def test_what_holds_data_is_kept_and_said(world: World, kind: str) -> None:
    published(world, data=config("data", kind=kind))
    kept = [path for path in world.tree() if path.endswith("-data.yaml")]
    world.commit({"specs/data.yaml": None})
    assert "KEPT" in codes(world.settle())
    assert kept == [path for path in world.tree() if path.endswith("-data.yaml")] != []


def test_a_file_of_people_among_them_survives(world: World) -> None:
    published(world)
    world.edit({f"{FOLDER}/by-hand.yaml": config("by-hand"), f"{FOLDER}/deep/er.txt": "words"})
    world.commit({"specs/notes.yaml": None, "specs/more.yaml": config("more", "two")})
    world.settle()
    assert world.read(f"{FOLDER}/by-hand.yaml") == config("by-hand")
    assert world.read(f"{FOLDER}/deep/er.txt") == "words"


def test_an_object_that_stands_twice_keeps_its_last_bytes(world: World) -> None:
    published(world)
    world.commit({"specs/copy.yaml": config(value="two")})
    assert world.settle().refused
    assert config() in world.read(NOTES)


def test_a_secret_is_published_only_when_that_is_allowed(world: World) -> None:
    published(world, secret=config("key", kind="Secret"))
    assert f"{FOLDER}/secret-key.yaml" not in world.tree()
    world.told(secrets=True)
    world.settle()
    assert f"{FOLDER}/secret-key.yaml" in world.tree()


def test_what_is_ignored_is_not_published(world: World) -> None:
    world.told(others=Others.IGNORE)
    published(world)
    assert not [path for path in world.tree() if "_others" in path]


def test_ignoring_later_leaves_what_is_published_and_listed(world: World) -> None:
    published(world)
    before = world.tree()
    world.told(others=Others.IGNORE)
    world.commit({"specs/notes.yaml": None})
    world.settle()
    assert world.tree() == before


def test_policies_are_never_published(world: World) -> None:
    published(world, steps=policy())
    assert not [path for path in world.tree() if "policy" in path]


def test_two_objects_that_would_get_one_file_are_no_loop_and_said(world: World) -> None:
    thing = "apiVersion: {}/v1\nkind: Thing\nmetadata: {{name: {}, namespace: serving}}\n"
    published(world, one=thing.format("my.example", "a-b"), two=thing.format("my.example-a", "b"))
    world.commit({"README.md": "look again"})
    assert "PATH_TAKEN" in codes(world.poll())
    assert world.poll().settled
    assert "my.example/v1" in world.read(f"{FOLDER}/thing.my.example-a-b.yaml")


def test_a_name_that_no_file_system_takes_is_cut_in_one_way(world: World) -> None:
    published(world, a=config("x" * 249 + "a"), b=config("x" * 249 + "b"))
    found = [path.rpartition("/")[2] for path in world.tree() if "xxx" in path]
    assert (len(found), max(map(len, found)) < 255) == (2, True)
    assert world.poll().idle or world.poll().settled


def test_several_folders_are_sources(world: World) -> None:
    world.told(source=SourceSettings(str(world.source), paths=("a", "b")))
    world.commit({"a/chat.yaml": serving(), "b/notes.yaml": config(), "c/more.yaml": config("more")})
    world.settle()
    assert [path for path in world.tree() if path.endswith(("notes.yaml", "more.yaml"))] == [NOTES]
