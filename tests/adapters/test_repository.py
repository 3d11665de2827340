"""What every Repository promises, over every way to reach one."""

from pathlib import Path

import pytest

from gitops_rollout.adapters.git import GitRepository
from gitops_rollout.errors import BranchProtected, PushRejected
from gitops_rollout.ports import Entry, NewCommit, RefUpdate
from tests import gitrepo
from tests.gitrepo import commit_files, install_hook

MAIN = "refs/heads/main"
GATE = "refs/heads/gitops-rollout/gate/serving/ms-chat/1-50pct"
FILES: dict[str, str | bytes | None] = {
    "a/b/one.yaml": "one\n",
    "a-b": "dash\n",
    "a.b": "",
    "ü/ä ö.txt": "umlaut\n",
}


def new(changes: dict[str, bytes | None], *parents: str, message: str = "Record chat\n") -> NewCommit:
    return NewCommit(parents, changes, message, 1_700_000_123)


def at_main(repository: GitRepository) -> str:
    """Fetch main and give the commit it is at."""
    refs = repository.refs(MAIN)
    repository.fetch(refs)
    return refs[MAIN]


def test_an_empty_repository_has_no_refs(repository: GitRepository) -> None:
    assert repository.refs() == {}
    assert repository.refs(MAIN) == {}


def test_refs_are_asked_of_the_remote_every_time(repository: GitRepository, bare: Path) -> None:
    first = commit_files(bare, "main", FILES)
    assert repository.refs(MAIN, "refs/heads/gate/*") == {MAIN: first}
    second = commit_files(bare, "gate/x/y", FILES, "gate")
    assert repository.refs(MAIN, "refs/heads/gate/*") == {MAIN: first, "refs/heads/gate/x/y": second}


def test_a_fetched_commit_can_be_read(repository: GitRepository, bare: Path) -> None:
    commit_files(bare, "main", FILES)
    head = at_main(repository)
    assert repository.read(head, "a/b/one.yaml") == b"one\n"
    assert repository.read(head, "ü/ä ö.txt") == b"umlaut\n"
    assert [entry.path for entry in repository.walk(head)] == ["a-b", "a.b", "a/b/one.yaml", "ü/ä ö.txt"]


def test_a_written_commit_is_published_by_the_push_alone(repository: GitRepository, bare: Path) -> None:
    commit = repository.write(new({"chat/rollout.yaml": b"fence: 1\n"}))
    assert gitrepo.branches(bare) == {}
    repository.push([RefUpdate(MAIN, None, commit)])
    assert gitrepo.branches(bare) == {"main": commit}
    assert gitrepo.read(bare, "main", "chat/rollout.yaml") == "fence: 1\n"


def test_a_push_moves_all_its_refs(repository: GitRepository, bare: Path) -> None:
    old = commit_files(bare, "main", FILES)
    gone = commit_files(bare, "gate/old", FILES, "gate")
    head = at_main(repository)
    commit = repository.write(new({"a-b": b"new\n"}, head))
    removed = RefUpdate("refs/heads/gate/old", gone, None)
    repository.push([RefUpdate(MAIN, old, commit), RefUpdate(GATE, None, commit), removed])
    assert gitrepo.branches(bare) == {"main": commit, GATE.removeprefix("refs/heads/"): commit}


def test_a_lost_race_moves_nothing(repository: GitRepository, bare: Path) -> None:
    commit_files(bare, "main", FILES)
    head = at_main(repository)
    commit = repository.write(new({"a-b": b"ours\n"}, head))
    theirs = commit_files(bare, "main", {"a-b": "theirs\n"})
    with pytest.raises(PushRejected):
        repository.push([RefUpdate(GATE, None, commit), RefUpdate(MAIN, head, commit)])
    assert gitrepo.branches(bare) == {"main": theirs}


def test_a_ref_is_created_only_where_there_is_none(repository: GitRepository, bare: Path) -> None:
    theirs = commit_files(bare, "main", FILES)
    commit = repository.write(new({"a": b"ours\n"}))
    with pytest.raises(PushRejected):
        repository.push([RefUpdate(MAIN, None, commit)])
    assert gitrepo.branches(bare) == {"main": theirs}


def test_a_ref_is_removed_only_as_it_was_read(repository: GitRepository, bare: Path) -> None:
    seen = commit_files(bare, "gate", FILES)
    theirs = commit_files(bare, "gate", {"a-b": "a person was here\n"})
    with pytest.raises(PushRejected):
        repository.push([RefUpdate("refs/heads/gate", seen, None)])
    assert gitrepo.branches(bare) == {"gate": theirs}


def test_a_hook_that_refuses_protects_the_branch(repository: GitRepository, bare: Path) -> None:
    install_hook(bare, "pre-receive", "echo 'only people may push here' >&2; exit 1")
    commit = repository.write(new({"a": b"ours\n"}))
    with pytest.raises(BranchProtected, match="only people may push here"):
        repository.push([RefUpdate(MAIN, None, commit)])
    assert gitrepo.branches(bare) == {}


def test_one_protected_branch_keeps_all_refs_where_they_are(repository: GitRepository, bare: Path) -> None:
    head = commit_files(bare, "main", FILES)
    install_hook(bare, "update", 'test "$1" != refs/heads/main')
    commit = repository.write(new({"a-b": b"ours\n"}, at_main(repository)))
    with pytest.raises(BranchProtected):
        repository.push([RefUpdate(GATE, None, commit), RefUpdate(MAIN, head, commit)])
    assert gitrepo.branches(bare) == {"main": head}


def test_a_push_that_was_refused_may_be_tried_again(repository: GitRepository, bare: Path) -> None:
    install_hook(bare, "pre-receive", 'test -e tried && exit 0; touch tried; echo "moved" >&2; exit 1')
    commit = repository.write(new({"a": b"ours\n"}))
    with pytest.raises(BranchProtected):
        repository.push([RefUpdate(MAIN, None, commit)])
    repository.push([RefUpdate(MAIN, None, commit)])
    assert gitrepo.branches(bare) == {"main": commit}


def test_a_source_may_be_rewritten_and_collected(repository: GitRepository, bare: Path) -> None:
    first = commit_files(bare, "main", FILES)
    at_main(repository)
    gitrepo.point(bare, "main", None)
    second = commit_files(bare, "main", {"else": "where\n"})
    gitrepo.git(bare, "reflog", "expire", "--expire=now", "--all")
    gitrepo.git(bare, "gc", "--quiet", "--prune=now")
    assert at_main(repository) == second
    assert repository.folder(second) == (Entry("else", "100644", repository.tree(second, "else") or ""),)
    assert repository.read(first, "a-b") == b"dash\n"


def test_a_ref_that_moved_on_is_still_fetched_as_it_was_read(repository: GitRepository, bare: Path) -> None:
    read = commit_files(bare, "main", FILES)
    commit_files(bare, "main", {"a-b": None})
    repository.fetch({MAIN: read})
    assert repository.read(read, "a-b") == b"dash\n"
