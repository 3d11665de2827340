"""URLs, branches and folders that settings may name."""

import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitops_rollout.api.places import branch, folder, overlapping, same_repository, url

REPOSITORY = [
    "https://git.example.test/team/specs.git",
    "https://GIT.example.test:443/team/specs",
    "http://git.example.test//team/specs/",
    "ssh://git@git.example.test:22/team/specs.git",
    "git@git.example.test:team/specs.git",
    "git.example.test:team/specs",
]


@pytest.mark.parametrize(
    "value", [*REPOSITORY, "/git/specs.git", "../specs.git", "file:///git/specs", "C_D/x"]
)
def test_what_names_a_repository_is_accepted_as_it_is(value: str) -> None:
    assert url(value) == value


@pytest.mark.parametrize(
    "value",
    [
        "",
        "-x",
        "--upload-pack=touch",
        "ext::sh -c id",
        "ftp://a/b",
        "git://a/b",
        "https://",
        "https://-a/b",
        "a b",
        "a\nb",
        "https://ada@example.test/x",
        "https://ada:hush@example.test/x",
        "ssh://ada:hush@example.test/x",
        "ssh://-o@a/x",
    ],
)
def test_what_is_none_or_holds_a_secret_is_refused(value: str) -> None:
    with pytest.raises(ValueError, match=r"URL|protocol|credentials"):
        url(value)


@pytest.mark.parametrize("one", REPOSITORY)
@pytest.mark.parametrize("other", REPOSITORY)
def test_one_repository_has_many_spellings(one: str, other: str) -> None:
    assert same_repository(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("/a/b", "/a/c"),
        ("https://a.test/x", "https://b.test/x"),
        ("https://a.test/x", "/x"),
        ("a.test:x", "a.test:y"),
    ],
)
def test_other_repositories_are_others(one: str, other: str) -> None:
    assert not same_repository(one, other)


@given(
    st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=12)
    | st.text("a/.-@{~^:*[\\ ", max_size=6)
)
def test_a_branch_that_is_accepted_is_one_for_git(value: str) -> None:
    try:
        accepted = branch(value)
    except ValueError:
        return
    checked = subprocess.run(
        ["git", "check-ref-format", "--branch", accepted], capture_output=True, check=False
    )
    assert checked.returncode == 0


@pytest.mark.parametrize("value", ["main", "release/1.2", "env/prod-next", "ünïcode"])
def test_ordinary_branches_are_accepted(value: str) -> None:
    assert branch(value) == value


@pytest.mark.parametrize(
    "value", ["", "-f", "a..b", "a b", "a~1", "refs/heads/main", "HEAD", "@", "a.lock", "/a", "a/", "a//b"]
)
def test_what_is_no_branch_is_refused(value: str) -> None:
    with pytest.raises(ValueError, match="branch"):
        branch(value)


@pytest.mark.parametrize(
    ("value", "expected"), [("specs", "specs"), ("./specs//team/", "specs/team"), (".", ""), ("", "")]
)
def test_a_folder_has_one_spelling(value: str, expected: str) -> None:
    assert folder(value) == expected


@pytest.mark.parametrize("value", ["..", "a/../b", "/a", "a\\b", ".git", "a/.git/hooks", "a\nb", "a\0"])
def test_a_folder_never_leaves_the_repository(value: str) -> None:
    with pytest.raises(ValueError, match="folder"):
        folder(value)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("a", "a", True),
        ("a", "a/b", True),
        ("a/b", "a", True),
        ("", "a", True),
        ("a", "ab", False),
        ("a/b", "a/c", False),
    ],
)
def test_folders_overlap_when_one_holds_the_other(one: str, other: str, expected: bool) -> None:
    assert overlapping(one, other) is expected
