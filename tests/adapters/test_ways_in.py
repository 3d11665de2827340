"""What is particular to one way of reaching a repository."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from gitops_rollout.adapters.remote import HttpCredentials, Remote, SshCredentials
from gitops_rollout.adapters.secrets import Secret
from gitops_rollout.errors import CredentialsRefused, RemoteUnavailable
from gitops_rollout.ports import NewCommit, RefUpdate
from tests import gitrepo
from tests.adapters.conftest import Open
from tests.servers import git_http, git_ssh


@pytest.fixture
def ssh(tmp_path: Path) -> Iterator[git_ssh.SshServer]:
    """A server over SSH."""
    with git_ssh.serve(tmp_path) as server:
        yield server


def test_a_host_that_is_not_known_is_not_talked_to(
    opened: Open, ssh: git_ssh.SshServer, bare: Path, tmp_path: Path
) -> None:
    (tmp_path / "nobody").write_text("")
    credentials = SshCredentials(tmp_path / "nobody", ssh.key)
    with pytest.raises(CredentialsRefused, match="Host key"):
        opened(Remote(ssh.url(bare), credentials)).refs()


def test_a_key_that_is_not_authorized_is_refused(
    opened: Open, ssh: git_ssh.SshServer, bare: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SSH_AUTH_SOCK", raising=False)
    other = tmp_path / "other"
    other.mkdir()
    with git_ssh.serve(other) as stranger, pytest.raises(CredentialsRefused, match="Permission denied"):
        opened(Remote(ssh.url(bare), SshCredentials(ssh.known_hosts, stranger.key))).refs()


def test_a_repository_that_the_ssh_server_lacks_is_unavailable(
    opened: Open, ssh: git_ssh.SshServer, bare: Path
) -> None:
    with pytest.raises(RemoteUnavailable):
        opened(Remote(ssh.url(bare / "not"), SshCredentials(ssh.known_hosts, ssh.key))).refs()


def test_a_certificate_of_an_authority_that_is_not_trusted_is_refused_without_the_password(
    opened: Open, https: git_http.GitServer, monkeypatch: pytest.MonkeyPatch, password: Path
) -> None:
    monkeypatch.delenv("SSL_CERT_FILE")
    with pytest.raises(RemoteUnavailable, match="certificate"):
        opened(Remote(https.url("repo.git"), HttpCredentials(Secret(file=password), "bot"))).refs()


def test_a_push_of_many_bytes_arrives(opened: Open, over_http: Remote, bare: Path) -> None:
    # More than git sends in one piece: the body comes in chunks.
    noise = b"".join(bytes([(n * n) % 251, n % 256]) * 2 + n.to_bytes(4, "big") for n in range(400_000))
    repository = opened(over_http)
    commit = repository.write(NewCommit((), {"noise": noise}, "x", 1))
    repository.push([RefUpdate("refs/heads/main", None, commit)])
    assert gitrepo.git(bare, "cat-file", "-s", "refs/heads/main:noise") == str(len(noise))


@pytest.mark.parametrize("name", ["bot", "b o t@example.test", "bö't"])
def test_any_user_name_reaches_the_server(
    opened: Open, http: git_http.GitServer, password: Path, name: str
) -> None:
    http.username = name
    assert opened(Remote(http.url("repo.git"), HttpCredentials(Secret(file=password), name))).refs() == {}


@pytest.mark.parametrize("branch", ["gate/größe", "漢字", "a'b", 'a"b', "a,b;c$(d)"])
def test_any_branch_name_is_read_and_written(
    opened: Open, over_http: Remote, bare: Path, branch: str
) -> None:
    repository = opened(over_http)
    commit = repository.write(NewCommit((), {"a": b"1\n"}, "x", 1))
    repository.push([RefUpdate(f"refs/heads/{branch}", None, commit)])
    assert repository.refs(f"refs/heads/{branch}") == {f"refs/heads/{branch}": commit}
    assert gitrepo.branches(bare) == {branch: commit}
    repository.push([RefUpdate(f"refs/heads/{branch}", commit, None)])
    assert gitrepo.branches(bare) == {}
