"""The first-parent line, against the same story told in Python."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from gitops_rollout.adapters.git import GitRepository
from gitops_rollout.ports import NewCommit
from tests import gitrepo
from tests.drawn import drawn

PATHS = ("out/a/rollout.yaml", "out/b/c/rollout.yaml", "out/rollout.yaml", "out/a/other.yaml", "rollout.yaml")
MAIN = "refs/heads/main"
worlds = st.lists(st.frozensets(st.sampled_from(PATHS), min_size=0), min_size=1, max_size=6)


def tell(repository: GitRepository, worlds: list[frozenset[str]]) -> list[str]:
    """Write one commit for each world (the files that exist in it) and give their ids."""
    commits: list[str] = []
    before: frozenset[str] = frozenset()
    for number, world in enumerate(worlds):
        added: dict[str, bytes | None] = dict.fromkeys(world - before, b"x\n")
        changes = added | dict.fromkeys(before - world)
        commits.append(repository.write(NewCommit(tuple(commits[-1:]), changes, str(number), number)))
        before = world
    return commits


@given(worlds=worlds)
@drawn(25, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_removed_file_is_found_with_the_last_commit_that_removed_it(
    local: GitRepository, worlds: list[frozenset[str]]
) -> None:
    commits = tell(local, worlds)
    steps = zip(commits[1:], worlds, worlds[1:], strict=False)
    told = {path: commit for commit, before, after in steps for path in before - after}
    expected = {path: commit for path, commit in told.items() if path.endswith("/rollout.yaml")}
    assert local.removed_on_first_parent(commits[-1], "out", "rollout.yaml") == expected


@given(worlds=worlds, most=st.integers(1, 4))
@drawn(25, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_commits_that_change_a_folder_are_found_newest_first(
    local: GitRepository, worlds: list[frozenset[str]], most: int
) -> None:
    commits = tell(local, worlds)
    inside = [frozenset(path for path in world if path.startswith("out/a/")) for world in worlds]
    steps = zip(commits, [frozenset(), *inside], inside, strict=False)
    expected = [commit for commit, before, after in steps if before != after]
    assert local.changed_on_first_parent(commits[-1], "out/a", most) == tuple(expected[::-1][:most])


def test_a_merge_counts_for_what_it_brings_and_its_branch_does_not(local: GitRepository, bare: Path) -> None:
    base = gitrepo.commit_files(bare, "main", {"out/a/rollout.yaml": "1\n", "out/b": "1\n"})
    gitrepo.point(bare, "gate", base)
    gitrepo.commit_files(bare, "gate", {"out/a/rollout.yaml": None})
    gitrepo.commit_files(bare, "main", {"out/b": "2\n"})
    merged = gitrepo.merge(bare, "main", "gate")
    local.fetch({MAIN: merged})
    assert local.changed_on_first_parent(merged, "out/a", 9) == (merged, base)
    assert local.removed_on_first_parent(merged, "out", "rollout.yaml") == {"out/a/rollout.yaml": merged}


def test_what_a_branch_removed_and_put_back_before_its_merge_was_never_removed(
    local: GitRepository, bare: Path
) -> None:
    base = gitrepo.commit_files(bare, "main", {"out/a/rollout.yaml": "1\n"})
    gitrepo.point(bare, "gate", base)
    gitrepo.commit_files(bare, "gate", {"out/a/rollout.yaml": None})
    gitrepo.commit_files(bare, "gate", {"out/a/rollout.yaml": "1\n", "out/b": "2\n"})
    merged = gitrepo.merge(bare, "main", "gate")
    local.fetch({MAIN: merged})
    assert local.removed_on_first_parent(merged, "out", "rollout.yaml") == {}
    assert local.changed_on_first_parent(merged, "out/a", 9) == (base,)


def test_a_renamed_file_is_a_removed_file(local: GitRepository) -> None:
    first = local.write(NewCommit((), {"out/a/rollout.yaml": b"same\n" * 9}, "1", 1))
    moved = {"out/a/rollout.yaml": None, "out/b/rollout.yaml": b"same\n" * 9}
    second = local.write(NewCommit((first,), moved, "2", 2))
    assert local.removed_on_first_parent(second, "out", "rollout.yaml") == {"out/a/rollout.yaml": second}


@pytest.mark.parametrize("name", ["*", "[ab]", "a?", ":(top)x", "ä ö"])
def test_a_path_is_no_pattern(local: GitRepository, name: str) -> None:
    path = f"out/{name}"
    first = local.write(NewCommit((), {f"{path}/f": b"1", "out/ab/f": b"1"}, "1", 1))
    second = local.write(NewCommit((first,), {"out/ab/f": None}, "2", 2))
    third = local.write(NewCommit((second,), {f"{path}/f": None, "x": b""}, "3", 3))
    assert local.changed_on_first_parent(third, path, 9) == (third, first)
    assert local.removed_on_first_parent(third, path, "f") == {f"{path}/f": third}
