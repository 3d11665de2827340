"""What git says of a push, and what it means."""

import pytest

from gitops_rollout.adapters.porcelain import refusal, server_words
from gitops_rollout.errors import BranchProtected, PushRejected, RemoteUnavailable, RolloutError

REASONS = {
    "[rejected] (stale info)": PushRejected,
    "[rejected] (fetch first)": PushRejected,
    "[rejected] (non-fast-forward)": PushRejected,
    "[rejected] (atomic push failed)": PushRejected,
    "[remote rejected] (failed to update ref)": PushRejected,
    "[remote rejected] (cannot lock ref 'refs/heads/main': is at 1 but expected 2)": PushRejected,
    "[remote rejected] (incorrect old value provided)": PushRejected,
    "[remote rejected] (reference already exists)": PushRejected,
    "[remote rejected] (pre-receive hook declined)": BranchProtected,
    "[remote rejected] (protected branch hook declined)": BranchProtected,
    "[remote rejected] (deletion prohibited)": BranchProtected,
    "[remote rejected] (non-fast-forward)": BranchProtected,
    "[remote rejected]": BranchProtected,
    "[remote rejected] (unpacker error)": RemoteUnavailable,
    "[remote failure] (remote failed to report status)": RemoteUnavailable,
}


def line(ref: str, reason: str) -> str:
    return f"!\tabc:refs/heads/{ref}\t{reason}\n"


@pytest.mark.parametrize(("reason", "error"), REASONS.items())
def test_a_reason_is_an_error(reason: str, error: type[RolloutError]) -> None:
    output = f"To /srv/specs\n{line('main', reason)}Done\n"
    assert type(refusal(output, "")) is error


@pytest.mark.parametrize("output", ["", "Done\n", "To /srv\n*\tabc:refs/heads/main\t[new branch]\nDone\n"])
def test_nothing_refused_is_no_error(output: str) -> None:
    assert refusal(output, "") is None


def test_the_gravest_reason_speaks_for_the_push() -> None:
    output = line("gate", "[remote rejected] (atomic transaction failed)") + line(
        "main", "[remote rejected] (hook declined)"
    )
    error = refusal(output, "not today")
    assert isinstance(error, BranchProtected)
    assert str(error) == "refs/heads/main takes no push of ours: not today"


def test_a_deleted_ref_is_refused_like_any_other() -> None:
    assert isinstance(refusal("!\t:refs/heads/gate\t[rejected] (stale info)\n", ""), PushRejected)


def test_the_words_of_the_server_are_told_from_those_of_git() -> None:
    assert (
        server_words("remote: GH006: no.  \nremote: \nerror: failed to push\nremote: ask\n")
        == "GH006: no. ask"
    )
