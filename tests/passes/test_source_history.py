"""The source's history may be anything: rewritten, older, rendered by somebody else (case 60)."""

import json

from gitops_rollout.api.settings import SourceSettings
from tests import gitrepo
from tests.passes.arranged import merged_gate
from tests.passes.specs import serving
from tests.passes.world import World, image, partition


def forget(world: World) -> None:
    """Throw away what no branch of the source holds any more."""
    gitrepo.git(world.source, "reflog", "expire", "--expire=now", "--all")
    gitrepo.git(world.source, "gc", "-q", "--prune=now")


def test_the_same_content_under_other_commits_changes_nothing(world: World) -> None:
    world.commit({"specs/chat.yaml": serving()})
    world.commit({"specs/chat.yaml": serving(image="engine:2")})
    world.settle()
    before = world.refs()
    gitrepo.point(world.source, "main", None)
    world.commit({"specs/chat.yaml": serving(image="engine:2"), "README.md": "rewritten"})
    forget(world)
    assert world.settle().settled
    assert world.refs() == before


def test_an_older_tip_is_a_way_back(world: World) -> None:
    merged_gate(world)
    world.settle()
    first = gitrepo.commits(world.source)[-1]
    gitrepo.point(world.source, "main", first)
    forget(world)
    world.settle()
    assert (image(world), partition(world)) == ("engine:1", "3")
    assert "complete" in world.gate()


def test_a_rewritten_source_and_a_fresh_cache_are_fine(world: World) -> None:
    test_the_same_content_under_other_commits_changes_nothing(world)
    world.cache = world.folder / "another"
    world.settings = world.replica().settings
    assert world.settle().settled


def test_commits_of_a_rendered_branch_name_the_commit_that_it_was_made_from(world: World) -> None:
    dry = "a" * 40
    told = {"drySha": dry, "author": "Grace <grace@example.test>"}
    world.commit({"env/prod/chat.yaml": serving(), "hydrator.metadata": json.dumps(told)})
    world.told(source=SourceSettings(str(world.source), paths=("env/prod",)))
    world.poll()
    message = gitrepo.git(world.output, "log", "-1", "--format=%B", "main")
    assert f"Source-Commit: {dry}\nSource-Author: Grace <grace@example.test>" in message


def test_a_rendered_branch_that_only_names_another_commit_writes_nothing(world: World) -> None:
    test_commits_of_a_rendered_branch_name_the_commit_that_it_was_made_from(world)
    before = world.refs()
    world.commit({"hydrator.metadata": json.dumps({"drySha": "b" * 40})})
    assert world.settle().settled
    assert world.refs() == before


def test_a_merge_commit_and_an_octopus_are_read_like_any_other(world: World) -> None:
    world.commit({"README.md": "words"})
    for name in ("chat", "b"):
        gitrepo.commit_files(world.source, name, {f"specs/{name}.yaml": serving(name)})
        gitrepo.git(world.source, "update-ref", f"refs/tags/{name}", f"refs/heads/{name}")
    gitrepo.commit_files(world.source, "main", {"specs/chat.yaml": serving(), "specs/b.yaml": serving("b")})
    tree = gitrepo.git(world.source, "rev-parse", "main^{tree}")
    joined = gitrepo.git(
        world.source, "commit-tree", tree, "-p", "main", "-p", "chat", "-p", "b", "-m", "all"
    )
    gitrepo.point(world.source, "main", joined)
    world.settle()
    assert (image(world), image(world, name="b")) == ("engine:1", "engine:1")
