"""Names on git's command line: stricter than git, never looser."""

import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitops_rollout.adapters.names import checked_oid, checked_pattern, checked_ref, matching

MAIN = "a" * 40
TAG = "b" * 40
PEELED = "c" * 40


@given(st.text("ab/.*?[@{~^:\\- \tülock", max_size=12))
def test_what_git_takes_for_no_ref_is_no_ref(tail: str) -> None:
    try:
        checked_ref(f"refs/heads/{tail}")
    except ValueError:
        return
    assert subprocess.run(["git", "check-ref-format", f"refs/heads/{tail}"], check=False).returncode == 0


@pytest.mark.parametrize(
    "ref", ["main", "-main", "--upload-pack=x", "HEAD", "", "refs/heads/a b", "refs/heads/a..b"]
)
def test_a_ref_is_a_full_name(ref: str) -> None:
    with pytest.raises(ValueError, match="not a ref"):
        checked_ref(ref)


@pytest.mark.parametrize("oid", ["", "abc", "A" * 40, "a" * 39 + "\n", "-" * 40, "a" * 64])
def test_an_object_id_is_whole(oid: str) -> None:
    with pytest.raises(ValueError, match="not an object id"):
        checked_oid(oid)


def test_a_pattern_is_a_whole_name_and_not_its_end() -> None:
    listing = f"{MAIN}\trefs/heads/main\n{TAG}\trefs/notes/refs/heads/main\n"
    assert matching(listing, (checked_pattern("refs/heads/main"),)) == {"refs/heads/main": MAIN}
    assert matching(listing, (checked_pattern("refs/n*"),)) == {"refs/notes/refs/heads/main": TAG}


def test_a_tag_is_listed_by_its_commit() -> None:
    listing = f"{MAIN}\tHEAD\n{TAG}\trefs/tags/v1\n{PEELED}\trefs/tags/v1^{{}}\n"
    assert matching(listing, ()) == {"refs/tags/v1": PEELED}
