"""Objects as git stores them, also those that no tool of today would write."""

import os
import signal
from contextlib import closing
from pathlib import Path

from gitops_rollout.adapters.disk import CommitTree
from gitops_rollout.adapters.git import GitRepository
from gitops_rollout.adapters.objects import parse_commit, parse_tree
from gitops_rollout.ports import CommitInfo, Entry
from tests import gitrepo

OID = "0" * 40
MAIN = "refs/heads/main"


def test_a_commit_says_who_and_when() -> None:
    text = (
        b"tree t\nparent p\nparent q\nauthor A B <a@b> 12 +0200\ncommitter C <> 34 -0100\n\nSubject\n\nBody\n"
    )
    assert parse_commit(OID, text) == CommitInfo(
        OID, ("p", "q"), "t", "A B <a@b>", "C <>", 34, "Subject\n\nBody\n"
    )


def test_a_signature_is_no_message() -> None:
    who = b"tree t\nauthor A <a> 1 +0000\ncommitter A <a> 1 +0000\n"
    info = parse_commit(OID, who + b"gpgsig -----BEGIN\n \n parent x\n -----END\n\nHello")
    assert (info.parents, info.message) == ((), "Hello")


def test_a_commit_of_another_age_is_read_as_far_as_it_goes() -> None:
    info = parse_commit(OID, b"tree t\nauthor \xe4 <a> soon\ncommitter nobody\n\n\xff")
    assert (info.committed, info.message) == (0, "\ufffd")


def test_a_tree_keeps_names_that_are_not_utf_8() -> None:
    assert parse_tree(b"40000 d\0" + b"\1" * 20 + b"120000 \xff\0" + b"\2" * 20) == {
        "d": ("040000", "01" * 20),
        "\udcff": ("120000", "02" * 20),
    }


def test_links_and_submodules_are_listed_as_what_they_are(local: GitRepository, bare: Path) -> None:
    blob = gitrepo.git(bare, "hash-object", "-w", "--stdin", stdin=b"target")
    module = "1" * 40
    listing = f"120000 blob {blob}\tlink\n160000 commit {module}\tmodule\n100755 blob {blob}\trun\n"
    tree = gitrepo.git(bare, "mktree", "--missing", stdin=listing.encode())
    head = gitrepo.git(bare, "commit-tree", tree, "-m", "odd")
    gitrepo.point(bare, "main", head)
    local.fetch({MAIN: head})
    assert [(e.path, e.mode, e.size) for e in local.walk(head)] == [
        ("link", "120000", 6), ("module", "160000", None), ("run", "100755", 6),
    ]  # fmt: skip
    assert local.folder(head)[1] == Entry("module", "160000", module)
    assert local.read(head, "module") is None
    with closing(CommitTree(bare, head)) as tree_at_hand:
        assert tree_at_hand.read(head, "module") is None


def test_a_reading_process_that_was_killed_is_started_again(local: GitRepository, bare: Path) -> None:
    head = gitrepo.commit_files(bare, "main", {"a": "1\n"})
    local.fetch({MAIN: head})
    bare.rename(bare.with_name("gone.git"))  # nothing can be fetched again: the clone must do
    for child in children_running("cat-file"):
        os.kill(child, signal.SIGKILL)
    assert local.read(head, "a") == b"1\n"


def children_running(command: str) -> list[int]:
    """Give the processes that we started and that run `command`."""
    tasks = Path("/proc/self/task").glob("*/children")
    children = [int(child) for task in tasks for child in task.read_text().split()]
    found = [child for child in children if command in Path(f"/proc/{child}/cmdline").read_text()]
    assert found
    return found


def test_what_is_not_there_is_nothing(local: GitRepository, bare: Path) -> None:
    head = gitrepo.commit_files(bare, "main", {"a/b": "1\n"})
    local.fetch({MAIN: head})
    assert local.tree(head, "x") is None
    assert local.tree(head, "a/b/c") is None
    assert local.tree(head, "../a") is None
    assert local.read(head, "a") is None
    assert local.folder(head, "a/b") == ()
    assert list(local.walk(head, "a/b")) == []
    assert local.tree(head) == local.info(head).tree
