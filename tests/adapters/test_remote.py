"""Which URLs are taken, and that a refusal gives nothing away."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitops_rollout.adapters.fast_import import Identity
from gitops_rollout.adapters.remote import HttpCredentials, Remote, SshCredentials
from gitops_rollout.adapters.secrets import Secret
from gitops_rollout.errors import BadSettings

TAKEN = {
    "/srv/git/specs.git": "file",
    "./specs.git": "file",
    "specs.git": "file",
    "/srv/with space/ä:b.git": "file",
    "file:///srv/git/specs.git": "file",
    "http://forge.example.test/team/specs": "http",
    "https://forge.example.test:8443/team/specs.git": "https",
    "https://[::1]:8443/team/specs.git": "https",
    "ssh://git@forge.example.test/team/specs.git": "ssh",
    "ssh://forge.example.test:2222/team/specs.git": "ssh",
    "git@forge.example.test:team/specs.git": "ssh",
    "forge.example.test:team/specs.git": "ssh",
}
REFUSED = [
    "",
    "-u/srv/git",
    "--upload-pack=touch /tmp/x",
    "ext::sh -c touch% /tmp/x",
    "fd::3",
    "https://a\nb/c",
    "https://forge.example.test/\x1b[2J",
    "ftp://forge.example.test/specs",
    "git://forge.example.test/specs",
    "HTTPS://forge.example.test/specs",
    "file://host/srv/git",
    "https:///specs",
    "ssh://-oProxyCommand=touch/specs",
    "ssh://git@-oProxyCommand=touch/specs",
    "-oProxyCommand=touch:specs",
    "ssh://git:secret@forge.example.test/specs",
    "https://user@forge.example.test/specs",
    "https://forge.example.test:port/specs",
    "https://forge.example.test:80@evil.example.test/specs",
]


@pytest.mark.parametrize(("url", "protocol"), TAKEN.items())
def test_a_url_says_how_it_is_reached(url: str, protocol: str) -> None:
    assert Remote(url).protocol == protocol


@pytest.mark.parametrize("url", REFUSED)
def test_a_url_that_could_mean_something_else_is_refused(url: str) -> None:
    with pytest.raises(BadSettings):
        Remote(url)


@pytest.mark.parametrize("scheme", ["http://", "https://", "ssh://", "file://", "ftp://", ""])
@given(user=st.text(max_size=8), secret=st.text(min_size=1), rest=st.text(max_size=8))
def test_a_secret_in_a_url_is_never_repeated(scheme: str, user: str, secret: str, rest: str) -> None:
    assert "Zq" not in said_of(f"{scheme}{user}:Zq{secret}Zq@forge.example.test/{rest}")


def said_of(url: str) -> str:
    """Give what is said of a URL, be it taken (a slash makes a path of some) or refused."""
    try:
        return str(Remote(url))
    except BadSettings as error:
        return str(error)


def test_a_relative_path_is_meant_from_here() -> None:
    assert Remote("specs.git").address == str(Path.cwd() / "specs.git")


@pytest.mark.parametrize("url", ["/srv/specs.git", "ssh://git@forge.example.test/specs"])
def test_a_password_is_for_http_alone(url: str) -> None:
    with pytest.raises(BadSettings):
        Remote(url, HttpCredentials(Secret(variable="X")))


@pytest.mark.parametrize("name", ["", "a:b", "a\nb"])
def test_a_user_name_is_one_that_http_can_carry(name: str) -> None:
    with pytest.raises(BadSettings):
        HttpCredentials(Secret(variable="X"), name)


@pytest.mark.parametrize("path", ["known_hosts", "/a b/known_hosts", "/a'b", "/%h"])
def test_ssh_files_are_plain_absolute_paths(path: str) -> None:
    with pytest.raises(BadSettings):
        Remote("ssh://git@forge.example.test/specs", SshCredentials(Path(path)))


def test_a_password_is_not_in_what_a_remote_prints_of_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORGE_TOKEN", "t0k3n")
    remote = Remote("https://forge.example.test/specs", HttpCredentials(Secret(variable="FORGE_TOKEN")))
    assert "t0k3n" not in f"{remote} {remote!r}"
    assert "t0k3n" not in str(remote.refusal("fatal: https://bot:t0k3n@forge.example.test says t0k3n"))


@pytest.mark.parametrize("name", ["", " ", "a\nb", "a <b>", " a"])
def test_an_identity_is_what_git_stores(name: str) -> None:
    with pytest.raises(BadSettings):
        Identity(name, "bot@example.test")
