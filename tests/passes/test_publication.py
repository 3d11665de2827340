"""A first publication, and what a pass leaves alone."""

from tests import gitrepo
from tests.passes.specs import config, policy, serving
from tests.passes.world import World, codes, image

NAMES = tuple(f"chat-{number}" for number in range(12))


def test_the_first_commit_holds_every_workload_complete(world: World) -> None:
    world.commit({f"specs/{name}.yaml": serving(name) for name in NAMES})
    world.poll()
    assert len(world.log()) == 1
    assert world.gates() == []
    assert {path.split("/")[2] for path in world.tree() if path.endswith("rollout.yaml")} == set(NAMES)


def test_a_workload_s_folder_is_the_documented_one(world: World) -> None:
    world.commit({"specs/chat.yaml": serving()})
    world.poll()
    files = sorted(path.removeprefix("rollouts/") for path in world.tree())
    revision = next(path for path in files if "/revisions/" in path)
    assert files == [
        ".gitattributes",
        "_capacity/kustomization.yaml",
        "kustomization.yaml",
        "serving/chat/capacity/kustomization.yaml",
        "serving/chat/capacity/modelserving.yaml",
        revision,
        "serving/chat/rollout.yaml",
    ]


def test_equal_input_gives_equal_commits(world: World) -> None:
    world.commit({f"specs/{name}.yaml": serving(name) for name in NAMES})
    world.poll()
    first = world.refs()
    gitrepo.point(world.output, "main", None)
    world.replica().poll()  # one that never saw the branch that is gone
    assert world.refs() == first


def test_twenty_idle_passes_leave_every_ref_unchanged(world: World) -> None:
    world.commit({"specs/a.yaml": serving("a"), "specs/b.yaml": serving("b"), "specs/c.yaml": config()})
    world.poll()
    world.commit({"specs/b.yaml": serving("b", "engine:2")})
    world.poll()
    before = world.refs()
    for number in range(20):
        if number % 4 == 0:
            (next(world.cache.glob("*/memory.json"))).unlink(missing_ok=True)
        world.later(minutes=5)
        assert world.poll().settled
    assert world.refs() == before
    assert len(before) == 2


def test_a_change_is_one_commit_that_touches_one_workload(world: World) -> None:
    world.commit({"specs/a.yaml": serving("a"), "specs/b.yaml": serving("b"), "specs/c.yaml": config()})
    world.poll()
    before = world.head()
    world.commit({"specs/b.yaml": serving("b", replicas=6)})
    world.settle()
    assert {path.split("/")[2] for path in world.changed(before)} == {"b"}
    assert len(world.log()) == 2


def test_many_changes_are_one_commit_and_a_gate_each(world: World) -> None:
    world.commit({f"specs/{name}.yaml": serving(name) for name in NAMES})
    world.poll()
    world.commit({f"specs/{name}.yaml": serving(name, "engine:2") for name in NAMES})
    report = world.poll()
    assert len(world.log()) == 2
    assert len(world.gates()) == len(NAMES)
    assert len(report.commits) == 1


def test_a_source_commit_that_touches_no_spec_writes_nothing(world: World) -> None:
    world.commit({"specs/chat.yaml": serving()})
    world.poll()
    before = world.refs()
    world.commit({"README.md": "words", "specs/notes.txt": "words", "specs/empty.yaml": "# nothing\n"})
    assert world.poll().settled
    assert world.refs() == before


def test_a_spec_that_moves_between_files_changes_nothing(world: World) -> None:
    world.commit({"specs/chat.yaml": serving()})
    world.poll()
    before = world.refs()
    world.commit({"specs/chat.yaml": None, "specs/team/all.yaml": serving() + "---\n" + policy("unused")})
    assert world.poll().settled
    assert world.refs() == before


def test_an_empty_output_repository_and_one_with_another_history_are_both_fine(world: World) -> None:
    world.edit({"README.md": "ours", "deploy/app.yaml": "kind: App\n"}, "first")
    before = world.tree()
    world.commit({"specs/chat.yaml": serving()})
    world.poll()
    assert before.items() <= world.tree().items()
    assert {path.split("/")[0] for path in world.tree().keys() - before.keys()} == {"rollouts"}


def test_an_output_branch_that_is_missing_is_made(world: World) -> None:
    gitrepo.commit_files(world.output, "other", {"README.md": "ours"})
    world.commit({"specs/chat.yaml": serving()})
    world.poll()
    assert image(world) == "engine:1"
    assert set(world.refs()) == {"main", "other"}


def test_commits_carry_the_source_s_author_and_the_later_date(world: World) -> None:
    commit = world.commit({"specs/chat.yaml": serving()})
    world.poll()
    shown = gitrepo.git(world.output, "log", "-1", "--format=%an <%ae> %at %ct%n%B", "main")
    assert shown.startswith("gitops-rollout <gitops-rollout@localhost> 1700000000 1700000000\n")
    assert f"Source-Commit: {commit}\nSource-Author: Ada <ada@example.test>" in shown


def test_a_first_publication_says_that_nobody_looked_at_the_cluster(world: World) -> None:
    world.commit({"specs/chat.yaml": serving()})
    assert codes(world.poll()) == ["ADOPTED_UNSEEN"]
    assert world.log() == [next(line for line in world.log() if line.startswith("serving/chat: publish r"))]
