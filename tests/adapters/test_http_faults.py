"""Servers that refuse, fail, cut, hang or point elsewhere."""

import socket
from dataclasses import replace
from pathlib import Path

import pytest

from gitops_rollout.adapters.git import GitRepository
from gitops_rollout.adapters.remote import HttpCredentials, Remote
from gitops_rollout.adapters.secrets import Secret
from gitops_rollout.errors import CredentialsRefused, RemoteUnavailable, RolloutError
from gitops_rollout.ports import NewCommit, RefUpdate
from tests import gitrepo
from tests.adapters.conftest import Open
from tests.servers.git_http import Fault, GitServer, serve

MAIN = "refs/heads/main"
FAULTS = {
    Fault.UNAUTHORIZED: CredentialsRefused,
    Fault.FORBIDDEN: CredentialsRefused,
    Fault.NOT_FOUND: RemoteUnavailable,
    Fault.UNAVAILABLE: RemoteUnavailable,
    Fault.CUT: RemoteUnavailable,
    Fault.HANG: RemoteUnavailable,
}
every_fault = pytest.mark.parametrize(
    ("fault", "error"), FAULTS.items(), ids=lambda row: getattr(row, "name", "")
)


@pytest.fixture
def hasty(opened: Open, over_http: Remote, bare: Path) -> GitRepository:
    """The repository with one commit, opened with little patience."""
    gitrepo.commit_files(bare, "main", {"a": "1\n"})
    return opened(replace(over_http, timeout_seconds=1))


def processes(about: str) -> list[int]:
    """Give the processes whose command line names `about`."""
    found = []
    for line in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if about.encode() in line.read_bytes():
                found.append(int(line.parent.name))
        except OSError:
            continue
    return found


@every_fault
def test_a_faulty_server_gives_no_refs(
    hasty: GitRepository, http: GitServer, fault: Fault, error: type[RolloutError]
) -> None:
    http.fault = fault
    with pytest.raises(error):
        hasty.refs(MAIN)


@every_fault
def test_a_fetch_that_failed_is_made_good_by_the_next(
    hasty: GitRepository, http: GitServer, fault: Fault, error: type[RolloutError]
) -> None:
    refs = hasty.refs(MAIN)
    http.fault = fault
    with pytest.raises(error):
        hasty.fetch(refs)
    http.fault = None
    hasty.fetch(refs)
    assert hasty.read(refs[MAIN], "a") == b"1\n"


@every_fault
def test_a_push_that_failed_moves_nothing_and_can_be_repeated(
    hasty: GitRepository, http: GitServer, bare: Path, fault: Fault, error: type[RolloutError]
) -> None:
    commit = hasty.write(NewCommit((), {"b": b"2\n"}, "gate", 1))
    http.fault, http.pushes_only = fault, True
    with pytest.raises(error):
        hasty.push([RefUpdate("refs/heads/gate", None, commit)])
    assert "gate" not in gitrepo.branches(bare)
    http.fault = None
    hasty.push([RefUpdate("refs/heads/gate", None, commit)])
    assert gitrepo.branches(bare)["gate"] == commit


def test_nothing_keeps_running_after_a_server_hung(hasty: GitRepository, http: GitServer) -> None:
    http.fault = Fault.HANG
    with pytest.raises(RemoteUnavailable, match="in time"):
        hasty.refs(MAIN)
    assert processes(http.url("repo.git")) == []


def test_a_server_that_is_not_there_is_unavailable(opened: Open, over_http: Remote) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    repository = opened(replace(over_http, url=f"http://127.0.0.1:{port}/repo.git"))
    with pytest.raises(RemoteUnavailable):
        repository.refs(MAIN)


@pytest.mark.parametrize("path", ["missing", "missing.git"])
def test_a_path_without_a_repository_is_unavailable(opened: Open, tmp_path: Path, path: str) -> None:
    with pytest.raises(RemoteUnavailable):
        opened(Remote(str(tmp_path / path))).refs(MAIN)


def test_a_wrong_password_is_refused(opened: Open, over_http: Remote, password: Path) -> None:
    repository = opened(over_http)
    password.write_text("wrong")
    with pytest.raises(CredentialsRefused):
        repository.refs(MAIN)


def test_a_password_is_read_anew_for_every_command(opened: Open, over_http: Remote, password: Path) -> None:
    right = password.read_text()
    password.write_text("expired")
    repository = opened(over_http)
    with pytest.raises(CredentialsRefused):
        repository.refs(MAIN)
    password.write_text(right)
    assert repository.refs(MAIN) == {}


def test_a_password_may_be_in_an_environment_variable(
    opened: Open, over_http: Remote, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORGE_TOKEN", GitServer.password)
    credentials = HttpCredentials(Secret(variable="FORGE_TOKEN"), GitServer.username)
    assert opened(replace(over_http, credentials=credentials)).refs(MAIN) == {}


def test_without_credentials_a_server_that_asks_for_them_refuses(opened: Open, over_http: Remote) -> None:
    with pytest.raises(CredentialsRefused):
        opened(replace(over_http, credentials=None)).refs(MAIN)


def test_a_password_goes_to_no_server_but_its_own(opened: Open, over_http: Remote, http: GitServer) -> None:
    # The other server would take the password and answer: that it does not shows that none was sent.
    with serve(http.root) as other:
        http.fault, http.elsewhere = Fault.REDIRECT, other.url("").rstrip("/")
        with pytest.raises(CredentialsRefused):
            opened(over_http).refs(MAIN)
