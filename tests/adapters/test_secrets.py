"""Secrets are in no argv, no file of ours and no message."""

import threading
from contextlib import suppress
from pathlib import Path

import pytest

from gitops_rollout.adapters.remote import Remote
from gitops_rollout.adapters.secrets import Secret
from gitops_rollout.errors import BadSettings, BranchProtected, CredentialsRefused, RemoteUnavailable
from gitops_rollout.ports import NewCommit, RefUpdate
from tests import gitrepo
from tests.adapters.conftest import Open
from tests.adapters.test_http_faults import processes
from tests.servers.git_http import Fault, GitServer


def everything_below(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


def test_no_command_line_holds_the_password(opened: Open, over_http: Remote, http: GitServer) -> None:
    http.fault = Fault.HANG
    repository = opened(over_http)

    def ask() -> None:
        with suppress(RemoteUnavailable):
            repository.refs()

    asking = threading.Thread(target=ask)
    asking.start()
    while not http.hangs.wait(0.001):
        assert processes(GitServer.password) == []
    assert processes(http.url("repo.git"))
    assert processes(GitServer.password) == []
    http.stopped.set()
    asking.join()


def test_no_file_of_ours_holds_the_password(
    opened: Open, over_http: Remote, bare: Path, tmp_path: Path
) -> None:
    gitrepo.commit_files(bare, "main", {"a": "1\n"})
    repository = opened(over_http)
    repository.fetch(repository.refs())
    repository.push([RefUpdate("refs/heads/gate", None, repository.refs()["refs/heads/main"])])
    ours = [path for path in tmp_path.iterdir() if path.name.startswith("clone")]
    assert {path.name for path in ours} == {"clone", "clone.lock", "clone.askpass"}
    held = everything_below(tmp_path / "clone") + b"".join(
        path.read_bytes() for path in ours if path.is_file()
    )
    assert GitServer.password.encode() not in held
    assert b"127.0.0.1" not in held


def test_a_server_that_repeats_the_password_is_not_quoted(
    opened: Open, over_http: Remote, bare: Path
) -> None:
    gitrepo.install_hook(bare, "pre-receive", f"echo 'you are {GitServer.password}!' >&2; exit 1")
    repository = opened(over_http)
    commit = repository.write(NewCommit((), {"a": b"1\n"}, "x", 1))
    with pytest.raises(BranchProtected, match=r"you are \*\*\*!") as caught:
        repository.push([RefUpdate("refs/heads/main", None, commit)])
    assert GitServer.password not in str(caught.value)


def test_a_long_complaint_of_a_server_is_cut_to_one_line(opened: Open, over_http: Remote, bare: Path) -> None:
    gitrepo.install_hook(bare, "pre-receive", "seq 1000 >&2; exit 1")
    repository = opened(over_http)
    commit = repository.write(NewCommit((), {"a": b"1\n"}, "x", 1))
    with pytest.raises(BranchProtected) as caught:
        repository.push([RefUpdate("refs/heads/main", None, commit)])
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize("content", ["", "\n", "two\nlines", "bell\a"])
def test_a_secret_is_one_printable_line(tmp_path: Path, content: str) -> None:
    (tmp_path / "secret").write_text(content)
    with pytest.raises(CredentialsRefused):
        Secret(file=tmp_path / "secret").read()


def test_a_secret_that_is_not_there_is_named_by_its_place(tmp_path: Path) -> None:
    with pytest.raises(CredentialsRefused, match="nowhere"):
        Secret(file=tmp_path / "nowhere").read()
    with pytest.raises(CredentialsRefused, match=r"\$NOT_SET_AT_ALL"):
        Secret(variable="NOT_SET_AT_ALL").read()


def test_a_secret_is_in_one_place() -> None:
    for arguments in ({}, {"file": Path("/x"), "variable": "X"}):
        with pytest.raises(BadSettings):
            Secret(**arguments)  # type: ignore[arg-type]
