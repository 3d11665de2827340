"""Files of people in the output branch (case 62), and what they change by hand."""

import pytest

from tests import gitrepo
from tests.passes.specs import config, serving
from tests.passes.world import World, codes, image, partition

FOLDER = "rollouts/serving/chat"
THEIRS = {
    "README.md": "ours",
    "rollouts/README.md": "words",
    "rollouts/serving/notes.txt": "words",
    "rollouts/serving/_others/by-hand.yaml": config("by-hand"),
    "rollouts/_capacity/extra.yaml": "kind: Extra\n",
    f"{FOLDER}/OWNERS": "ada",
    f"{FOLDER}/capacity/patch.yaml": "no: yaml: at all",
    f"{FOLDER}/capacity/revisions/kept.yaml": "kind: Kept\n",
    f"{FOLDER}/traffic/own-route.yaml": "kind: HTTPRoute\n",
    "rollouts/batch/kustomization.yaml": "resources: []\n",
    "rollouts/batch/_others/kustomization.yaml": "resources: []\n",
    "rollouts/_cluster/kustomization.yaml": "resources: []\n",
}


@pytest.fixture
def published(world: World) -> World:
    """A world with chat and a ConfigMap published."""
    world.commit({"specs/chat.yaml": serving(), "specs/notes.yaml": config()})
    world.settle()
    return world


def removed(world: World) -> None:
    """Take chat and the ConfigMap away, through all gates."""
    world.told(confirm_deletion=("ms/chat -n serving",))
    world.commit({"specs/chat.yaml": None, "specs/notes.yaml": None, "specs/b.yaml": serving("b")})
    for _ in range(2):
        world.settle()
        world.merge()
    world.settle()


def test_files_of_people_survive_everything(published: World) -> None:
    published.edit(THEIRS)
    theirs = {path: published.tree()[path] for path in THEIRS}
    published.commit({"specs/chat.yaml": serving(image="engine:2"), "specs/notes.yaml": config(value="two")})
    published.settle()
    published.merge()
    published.settle()
    removed(published)
    assert f"{FOLDER}/rollout.yaml" not in published.tree()
    assert theirs.items() <= published.tree().items()


def test_a_removed_workload_takes_exactly_its_own_files_with_it(published: World) -> None:
    mine = {path for path in published.tree() if path.startswith(FOLDER)}
    removed(published)
    assert not mine & published.tree().keys()
    assert published.log()[0] == "serving/chat: remove"


@pytest.mark.parametrize("file", ["modelserving.yaml", "kustomization.yaml", "revisions"])
@pytest.mark.parametrize("content", [b"kind: Other\n", b"", b"\xff\xfe", None])
def test_a_hand_edit_is_put_back_by_a_commit_that_says_so(
    published: World, file: str, content: bytes | None
) -> None:
    before = published.tree()
    path = next(one for one in before if one.startswith(f"{FOLDER}/capacity/{file}"))
    published.edit({path: content})
    published.settle()
    after = published.tree()
    rewritten = {one for one in before if after[one] != before[one]}
    assert rewritten <= {f"{FOLDER}/rollout.yaml", f"{FOLDER}/capacity/modelserving.yaml"}
    assert image(published) == "engine:1"
    assert published.log()[0] == "serving/chat: put back what was changed by hand"


@pytest.mark.parametrize(
    "path", ["kustomization.yaml", "_capacity/kustomization.yaml", "serving/_others/kustomization.yaml"]
)
def test_a_damaged_aggregate_is_put_back_by_a_commit_that_says_so(published: World, path: str) -> None:
    before = published.tree()
    whole = published.read(f"rollouts/{path}")
    for damaged in (whole.replace("resources:", "resources: ["), whole[: whole.index("resources")], None):
        published.edit({f"rollouts/{path}": damaged})
        published.settle()
        assert published.tree() == before
        assert "by hand" in published.log()[0]


def test_an_edited_gitattributes_of_ours_is_put_back_and_one_of_theirs_is_kept(published: World) -> None:
    before = published.tree()
    published.edit({"rollouts/.gitattributes": published.read("rollouts/.gitattributes") + "* -text\n"})
    published.settle()
    assert published.tree() == before
    published.edit({"rollouts/.gitattributes": "* text\n"})
    published.settle()
    assert published.read("rollouts/.gitattributes") == "* text\n"


def test_a_dropped_line_of_an_aggregate_is_put_back(published: World) -> None:
    before = published.tree()
    for path in ("_capacity/kustomization.yaml", "serving/_others/kustomization.yaml"):
        whole = published.read(f"rollouts/{path}")
        published.edit({f"rollouts/{path}": whole[: whole.index("resources")] + "resources: []\n"})
        published.settle()
    assert published.tree() == before


def test_an_edited_other_object_is_put_back(published: World) -> None:
    before = published.tree()
    published.edit({"rollouts/serving/_others/configmap-notes.yaml": "kind: Other\n"})
    published.settle()
    assert published.tree() == before


@pytest.mark.parametrize(
    "path",
    [
        f"{FOLDER}/rollout.yaml",
        f"{FOLDER}/capacity/modelserving.yaml",
        f"{FOLDER}/capacity/kustomization.yaml",
        f"{FOLDER}/rollout.yaml/folder",
        f"{FOLDER}/capacity/modelserving.yaml/folder",
        f"{FOLDER}/capacity",
        FOLDER,
        "rollouts/serving",
    ],
)
def test_a_file_in_the_way_blocks_one_workload_and_is_not_overwritten(world: World, path: str) -> None:
    world.edit({path: "mine"})
    world.commit(
        {"specs/chat.yaml": serving(), "specs/far.yaml": serving("far").replace(": serving", ": far")}
    )
    report = world.poll()
    blocked = {one.key.name: one.blocked[0].code for one in report.workloads if one.blocked}
    assert blocked in ({"chat": "PATH_TAKEN"}, {"chat": "RECORD_TAMPERED"})
    assert world.read(path) == "mine"
    assert "rollouts/far/far/rollout.yaml" in world.tree()
    assert "chat" not in world.read("rollouts/_capacity/kustomization.yaml")


@pytest.mark.parametrize(
    "path",
    [
        "rollouts/kustomization.yaml",
        "rollouts/_capacity/kustomization.yaml",
        "rollouts/serving/_others/kustomization.yaml",
        "rollouts/serving/_others/configmap-notes.yaml",
        "rollouts/kustomization.yaml/folder",
        "rollouts/_capacity",
        "rollouts/serving/_others",
        "rollouts/serving/_others/configmap-notes.yaml/folder",
        "rollouts/.gitattributes/folder",
    ],
)
def test_a_file_in_the_way_of_what_joins_is_not_overwritten(world: World, path: str) -> None:
    world.edit({path: "mine"})
    world.commit({"specs/chat.yaml": serving(), "specs/notes.yaml": config()})
    assert "PATH_TAKEN" in codes(world.poll())
    assert world.read(path) == "mine"
    assert image(world) == "engine:1"
    assert world.poll().settled


def test_a_file_in_the_way_that_is_moved_lets_the_workload_in(world: World) -> None:
    world.edit({f"{FOLDER}/capacity/modelserving.yaml": "mine"})
    world.commit({"specs/chat.yaml": serving()})
    world.poll()
    world.edit({f"{FOLDER}/capacity/modelserving.yaml": None})
    world.poll()
    assert image(world) == "engine:1"


def test_a_stranger_s_rollout_yaml_breaks_nothing(published: World) -> None:
    published.edit({"rollouts/team/app/rollout.yaml": "apiVersion: argoproj.io/v1alpha1\nkind: Rollout\n"})
    published.settle()
    assert "team/app" not in published.read("rollouts/_capacity/kustomization.yaml")


def test_a_lower_partition_by_hand_counts_as_the_step_that_allows_it(published: World) -> None:
    published.commit({"specs/chat.yaml": serving(image="engine:2"), "specs/p.yaml": _steps()})
    published.settle()
    published.merge()
    published.settle()
    assert partition(published) == "3"
    path = f"{FOLDER}/capacity/modelserving.yaml"
    published.edit({path: published.read(path).replace("partition: 3", "partition: 2")})
    assert "STEP_SKIPPED" in codes(published.poll())
    assert partition(published) == "2"


def test_a_higher_partition_by_hand_is_put_back(published: World) -> None:
    published.commit({"specs/chat.yaml": serving(image="engine:2"), "specs/p.yaml": _steps()})
    published.settle()
    published.merge()
    published.settle()
    path = f"{FOLDER}/capacity/modelserving.yaml"
    published.edit({path: published.read(path).replace("partition: 3", "partition: 4")})
    published.settle()
    assert partition(published) == "3"


def test_a_reverted_branch_is_only_ever_added_to(published: World) -> None:
    tips = [published.head()]
    for number in range(2, 6):
        published.commit({"specs/chat.yaml": serving(image=f"engine:{number}")})
        published.settle()
        published.merge()
        published.settle()
        tips.append(published.head())
    for tip in tips:
        gitrepo.git(published.output, "merge-base", "--is-ancestor", tip, "main")


def _steps() -> str:
    return (
        "apiVersion: gitops-rollout.io/v1alpha1\nkind: RolloutPolicy\nmetadata: {name: steps}\n"
        "spec: {steps: [1, 50%, 100%]}\n---\n"
        "apiVersion: gitops-rollout.io/v1alpha1\nkind: RevisionRollout\n"
        "metadata: {name: chat, namespace: serving}\n"
        "spec: {workload: ModelServing/chat, policyRef: steps}\n"
    )
