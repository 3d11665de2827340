"""What Argo CD and Flux build: the root, the aggregate, and each workload alone, with a real kubectl."""

from pathlib import Path
from subprocess import run
from typing import Any

import pytest
import yaml

from tests.passes.arranged import merged_gate, removal
from tests.passes.specs import config, serving
from tests.passes.world import World
from tests.source.desk import builder


def build(world: World, folder: str) -> list[dict[str, Any]]:
    """Build a folder of a fresh clone."""
    clone = world.folder / f"clone-{world.head()[:8]}"
    if not clone.exists():
        world.checkout(clone)
    command = [str(builder().binary), "kustomize", str(clone / folder)]
    done = run(command, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return [one for one in yaml.safe_load_all(done.stdout) if one]


def names(objects: list[dict[str, Any]]) -> set[tuple[str, str]]:
    return {(one["kind"], one["metadata"]["name"].partition("-r")[0]) for one in objects}


@pytest.fixture
def published(world: World) -> World:
    """Two workloads in two namespaces, objects of a namespace and of none."""
    far = serving("far").replace("namespace: serving", "namespace: far")
    role = "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: 'ops:read'}\n"
    world.commit({"specs/chat.yaml": serving(), "specs/far.yaml": far, "specs/role.yaml": role})
    world.commit({"specs/notes.yaml": config(), "specs/bare.yaml": config("bare", namespace="bare")})
    world.settle()
    return world


def test_the_root_is_everything(published: World) -> None:
    assert names(build(published, "rollouts")) == {
        ("ModelServing", "chat"),
        ("ControllerRevision", "chat"),
        ("ModelServing", "far"),
        ("ControllerRevision", "far"),
        ("ConfigMap", "notes"),
        ("ConfigMap", "bare"),
        ("ClusterRole", "ops:read"),
    }


def test_the_aggregate_is_every_workload(published: World) -> None:
    kinds = {kind for kind, _ in names(build(published, "rollouts/_capacity"))}
    assert kinds == {"ModelServing", "ControllerRevision"}


@pytest.mark.parametrize("folder", ["serving/chat", "far/far"])
def test_each_workload_is_built_alone(published: World, folder: str) -> None:
    name = folder.rpartition("/")[2]
    built = names(build(published, f"rollouts/{folder}/capacity"))
    assert built == {("ModelServing", name), ("ControllerRevision", name)}


def test_each_folder_of_other_objects_is_built_alone(published: World) -> None:
    assert names(build(published, "rollouts/serving/_others")) == {("ConfigMap", "notes")}
    assert names(build(published, "rollouts/_cluster")) == {("ClusterRole", "ops:read")}


def test_every_workload_that_is_built_is_protected_from_pruning(published: World) -> None:
    for one in build(published, "rollouts/_capacity"):
        if one["kind"] == "ModelServing":
            annotations = one["metadata"]["annotations"]
            assert annotations["argocd.argoproj.io/sync-options"] == "Prune=false,Delete=false"
            assert annotations["kustomize.toolkit.fluxcd.io/prune"] == "disabled"


def test_every_step_of_a_rollout_can_be_built(world: World) -> None:
    merged_gate(world)
    while world.gates():
        build(world, "rollouts")
        world.settle()
        build(world, "rollouts")
        if world.gates():
            world.merge()
    assert len(build(world, "rollouts")) == 3


def test_a_removed_workload_is_in_nothing_any_more(world: World) -> None:
    removal(world)
    world.settle()
    assert ("ModelServing", "chat") not in names(build(world, "rollouts"))
    assert ("ModelServing", "b") in names(build(world, "rollouts"))


def test_a_blocked_or_strange_folder_does_not_break_the_build(published: World) -> None:
    published.edit(
        {"rollouts/team/app/rollout.yaml": "kind: Rollout\n", "rollouts/serving/b/rollout.yaml": "x"}
    )
    published.commit({"specs/b.yaml": serving("b")})
    published.edit({f"rollouts/far/far/{path}": None for path in _capacity(published, "far/far")})
    published.edit({"rollouts/far/far/rollout.yaml": "damaged"})
    published.settle()
    assert ("ModelServing", "chat") in names(build(published, "rollouts"))


def _capacity(world: World, folder: str) -> list[str]:
    start = f"rollouts/{folder}/"
    return [path.removeprefix(start) for path in world.tree() if path.startswith(f"{start}capacity/")]


def test_the_kustomizations_list_files_that_are_there_and_nothing_twice(published: World) -> None:
    clone = published.checkout(published.folder / "clone")
    for file in clone.rglob("kustomization.yaml"):
        listed = yaml.safe_load(file.read_text())["resources"]
        assert listed == sorted(set(listed))
        assert all(Path(file.parent, one).exists() for one in listed)
