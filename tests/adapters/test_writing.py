"""Commits that are written: what is in them, what is not, and that they are the same everywhere."""

from pathlib import Path
from typing import TypeVar

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from gitops_rollout.adapters.fast_import import checked
from gitops_rollout.adapters.git import GitRepository
from gitops_rollout.errors import PushRejected, Refused
from gitops_rollout.ports import NewCommit, RefUpdate
from tests import gitrepo
from tests.drawn import drawn

T = TypeVar("T")

MAIN = "refs/heads/main"
names = st.text("aZ0.-_ \"'ü\\ø漢%*$:~\t", min_size=1, max_size=5)
paths = st.lists(names, min_size=1, max_size=3).map("/".join)
world = drawn(40, suppress_health_check=[HealthCheck.function_scoped_fixture])


def fitting(files: dict[str, T]) -> dict[str, T]:
    """Leave out the paths that are not good, and those that are below another one."""
    good = {path: content for path, content in files.items() if is_good(path)}
    return {path: good[path] for path in good if not any(path.startswith(f"{other}/") for other in good)}


def is_good(path: str) -> bool:
    try:
        return checked(path) == path
    except ValueError:
        return False


trees = st.dictionaries(paths, st.binary(max_size=20), max_size=6).map(fitting)
contents = st.none() | st.binary(max_size=20)
changes = st.dictionaries(paths, st.tuples(contents, contents), max_size=8).map(fitting)


@given(changes=changes)
@world
def test_a_commit_holds_what_was_there_and_what_changed(
    local: GitRepository, changes: dict[str, tuple[bytes | None, bytes | None]]
) -> None:
    before = {path: old for path, (old, _) in changes.items() if old is not None}
    after = {path: new for path, (old, new) in changes.items() if old != new}
    first = local.write(NewCommit((), before, "before", 1))
    second = local.write(NewCommit((first,), after, "after", 2))
    expected = {path: content for path, content in (before | after).items() if content is not None}
    assert {entry.path: local.blob(entry.oid) for entry in local.walk(second)} == expected
    assert [entry.path for entry in local.walk(second)] == sorted(expected, key=str.encode)


@given(files=trees, message=st.text("ab\n ü", max_size=9), date=st.integers(0, 2**32))
@world
def test_equal_commits_have_equal_ids_in_any_order(
    local: GitRepository, files: dict[str, bytes], message: str, date: int
) -> None:
    turned = dict(reversed(files.items()))
    commit = local.write(NewCommit((), files, message, date))
    assert commit == local.write(NewCommit((), turned, message, date))
    info = local.info(commit)
    assert (info.message, info.committed, info.author) == (message, date, "rollout bot <bot@example.test>")
    assert info.author == info.committer


def test_the_tree_is_the_one_that_git_itself_would_make(local: GitRepository, bare: Path) -> None:
    files: dict[str, str | bytes | None] = {"a-b": "1", "a/b": "2", "a.b": "3", "ä/ö": "4", 'a b/"c"\'': "5"}
    theirs = gitrepo.commit_files(bare, "main", files)
    ours = local.write(NewCommit((), {path: str(text).encode() for path, text in files.items()}, "x", 1))
    assert local.info(ours).tree == gitrepo.git(bare, "rev-parse", f"{theirs}^{{tree}}")


def test_a_merge_has_two_parents_and_the_tree_of_the_first(local: GitRepository) -> None:
    first = local.write(NewCommit((), {"a": b"1"}, "a", 1))
    other = local.write(NewCommit((), {"b": b"1"}, "b", 1))
    merge = local.write(NewCommit((first, other), {"c": b"1"}, "c", 1))
    assert local.info(merge).parents == (first, other)
    assert [entry.path for entry in local.walk(merge)] == ["a", "c"]


def test_nothing_changed_is_a_commit_all_the_same(local: GitRepository) -> None:
    first = local.write(NewCommit((), {"a": b"1"}, "a", 1))
    second = local.write(NewCommit((first,), {}, "b", 2))
    assert local.tree(second) == local.tree(first)


def test_a_file_makes_room_for_a_folder_of_its_name(local: GitRepository) -> None:
    first = local.write(NewCommit((), {"a": b"1"}, "a", 1))
    second = local.write(NewCommit((first,), {"a/b": b"2", "a": None}, "b", 2))
    assert [entry.path for entry in local.walk(second)] == ["a/b"]


@pytest.mark.parametrize("changes", [{"a": b"2"}, {"a": None}, {"f/x": b"2"}, {"f/x/y": b"2"}])
def test_a_file_never_takes_the_place_of_what_others_put_there(
    local: GitRepository, changes: dict[str, bytes | None]
) -> None:
    first = local.write(NewCommit((), {"a/b": b"1", "f": b"1"}, "a", 1))
    with pytest.raises(Refused):
        local.write(NewCommit((first,), changes, "b", 2))


BAD = [
    "", "/a", "a/", "a//b", ".", "..", "a/../b", "a/./b", "a\\b", "a\nb", "a\0b", "a\x7fb", "\udcff",
    ".git/hooks/x", "a/.GIT/x", ".git ", ".git.", "git~1", ".g\u200bit/x", ".git::$INDEX",
]  # fmt: skip


@pytest.mark.parametrize("path", BAD)
def test_a_path_that_some_git_would_refuse_is_refused(local: GitRepository, path: str) -> None:
    with pytest.raises(ValueError, match="not a path"):
        local.write(NewCommit((), {path: b""}, "x", 1))


def test_a_branch_of_others_never_loses_commits(local: GitRepository, bare: Path) -> None:
    head = gitrepo.commit_files(bare, "main", {"a": "1\n"})
    local.fetch({MAIN: head})
    rewritten = local.write(NewCommit((), {"a": b"2\n"}, "x", 1))
    with pytest.raises(PushRejected, match="lose"):
        local.push([RefUpdate(MAIN, head, rewritten)])
    assert gitrepo.head(bare) == head


def test_a_gate_of_ours_is_rebuilt_under_its_lease(local: GitRepository, bare: Path) -> None:
    gate = gitrepo.commit_files(bare, "gate", {"a": "1\n"})
    local.fetch({"refs/heads/gate": gate})
    rebuilt = local.write(NewCommit((), {"a": b"2\n"}, "x", 1))
    local.push([RefUpdate("refs/heads/gate", gate, rebuilt, fast_forward=False)])
    assert gitrepo.head(bare, "gate") == rebuilt
    other = local.write(NewCommit((), {"a": b"3\n"}, "x", 1))
    with pytest.raises(PushRejected):
        local.push([RefUpdate("refs/heads/gate", gate, other, fast_forward=False)])
    assert gitrepo.head(bare, "gate") == rebuilt
