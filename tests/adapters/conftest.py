"""One bare repository, reached in every way there is."""

import ssl
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
import trustme

from gitops_rollout.adapters.fast_import import Identity
from gitops_rollout.adapters.git import GitRepository, open_repository
from gitops_rollout.adapters.remote import HttpCredentials, Remote, SshCredentials
from gitops_rollout.adapters.secrets import Secret
from tests.gitrepo import make_bare
from tests.servers import git_http, git_ssh

BOT = Identity("rollout bot", "bot@example.test")


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """An empty repository on the server's side."""
    return make_bare(tmp_path / "served" / "repo.git")


@pytest.fixture
def http(bare: Path) -> Iterator[git_http.GitServer]:
    """A server over HTTP of what lies beside `bare`."""
    with git_http.serve(bare.parent) as server:
        yield server


@pytest.fixture
def https(bare: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[git_http.GitServer]:
    """The same under TLS, with an authority that SSL_CERT_FILE names."""
    authority = trustme.CA()
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    monkeypatch.delenv("GIT_SSL_CAINFO", raising=False)
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "ca.pem"))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    with git_http.serve(bare.parent, context) as server:
        yield server


@pytest.fixture
def password(tmp_path: Path) -> Path:
    """The file that holds the right password."""
    file = tmp_path / "password"
    file.write_text(git_http.GitServer.password + "\n")
    return file


@pytest.fixture
def over_http(http: git_http.GitServer, password: Path) -> Remote:
    """The repository as it is reached over HTTP, with patience for nothing."""
    return Remote(http.url("repo.git"), HttpCredentials(Secret(file=password), "bot"), timeout_seconds=20)


@pytest.fixture(params=["path", "file", "http", "https", "ssh"])
def remote(request: pytest.FixtureRequest, bare: Path, tmp_path: Path) -> Iterator[Remote]:
    """The repository, reached in one of five ways."""
    match request.param:
        case "path":
            yield Remote(str(bare))
        case "file":
            yield Remote(bare.as_uri())
        case "ssh":
            with git_ssh.serve(tmp_path) as server:
                yield Remote(server.url(bare), SshCredentials(server.known_hosts, server.key))
        case _:
            served: git_http.GitServer = request.getfixturevalue(request.param)
            secret = Secret(file=request.getfixturevalue("password"))
            yield Remote(served.url("repo.git"), HttpCredentials(secret, "bot"))


Open = Callable[[Remote], GitRepository]


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Open]:
    """Opens a remote over one and the same clone; what is open is closed at the end."""
    with ExitStack() as stack:

        def open_it(remote: Remote) -> GitRepository:
            repository = open_repository(remote, tmp_path / "clone", BOT)
            stack.callback(repository.close)
            return repository

        yield open_it


@pytest.fixture
def repository(opened: Open, remote: Remote) -> GitRepository:
    """The repository, opened."""
    return opened(remote)


@pytest.fixture
def local(opened: Open, bare: Path) -> GitRepository:
    """The repository, opened by its path: for what does not depend on the way to it."""
    return opened(Remote(str(bare)))
