"""The whole way over HTTP with credentials, and a server that has bad days."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from gitops_rollout.api.settings import Credentials, OutputSettings, Secret, SourceSettings
from gitops_rollout.errors import BranchProtected, CredentialsRefused, RemoteUnavailable
from tests import gitrepo
from tests.passes.arranged import merged_gate
from tests.passes.specs import serving
from tests.passes.test_protected import NO_MAIN
from tests.passes.world import World, image, partition
from tests.servers.git_http import Fault, GitServer, serve


@pytest.fixture
def server(tmp_path: Path) -> Iterator[GitServer]:
    with serve(tmp_path) as running:
        yield running


@pytest.fixture
def world(server: GitServer, tmp_path: Path) -> World:
    """A world whose two repositories are reached over HTTP."""
    password, user = tmp_path / "password", tmp_path / "user"
    password.write_text(GitServer.password)
    user.write_text(GitServer.username)
    secrets = Credentials(Secret(file=str(user)), Secret(file=str(password)))
    made = World(tmp_path)
    made.told(
        source=SourceSettings(server.url("source.git"), credentials=secrets),
        output=OutputSettings(server.url("output.git"), credentials=secrets),
    )
    return made


def test_one_full_rollout(world: World) -> None:
    merged_gate(world)
    for _ in range(3):
        world.settle()
        world.merge()
    world.settle()
    assert (image(world), partition(world), world.gates()) == ("engine:2", None, [])
    assert world.poll().idle


def test_a_wrong_password_is_one_clear_word_and_changes_nothing(world: World, tmp_path: Path) -> None:
    world.commit({"specs/chat.yaml": serving()})
    (tmp_path / "password").write_text("wrong-and-secret")
    with pytest.raises(CredentialsRefused) as caught:
        world.poll()
    assert "wrong-and-secret" not in str(caught.value)
    assert world.refs() == {}
    (tmp_path / "password").write_text(GitServer.password)
    world.poll()
    assert image(world) == "engine:1"


@pytest.mark.parametrize("pushes_only", [False, True])
@pytest.mark.parametrize("fault", [Fault.UNAVAILABLE, Fault.CUT, Fault.NOT_FOUND])
def test_a_server_that_is_down_is_waited_for(
    world: World, server: GitServer, fault: Fault, pushes_only: bool
) -> None:
    merged_gate(world)
    before = world.refs()
    server.fault, server.pushes_only = fault, pushes_only
    with pytest.raises(RemoteUnavailable):
        world.poll()
    assert world.refs() == before
    server.fault = None
    world.settle()
    assert partition(world) == "3"


def test_a_server_that_lets_nobody_push_opens_no_gate(world: World, server: GitServer) -> None:
    merged_gate(world)
    before = world.refs()
    server.fault, server.pushes_only = Fault.FORBIDDEN, True
    with pytest.raises(CredentialsRefused):
        world.poll()
    server.fault = None
    gitrepo.install_hook(world.output, "update", NO_MAIN)
    with pytest.raises(BranchProtected, match="changes need a review"):
        world.poll()
    assert world.refs() == before


def test_a_server_that_hangs_is_left_in_time(world: World, server: GitServer) -> None:
    world.commit({"specs/chat.yaml": serving()})
    world.settings = replace(world.settings, timeout=1)
    server.fault = Fault.HANG
    with pytest.raises(RemoteUnavailable, match="in time"):
        world.poll()
    server.fault, world.settings = None, replace(world.settings, timeout=20)
    world.poll()
    assert image(world) == "engine:1"


def test_a_repository_that_is_not_there_is_unavailable(world: World, server: GitServer) -> None:
    world.told(output=replace(world.pipeline.output, url=server.url("nowhere.git")))
    world.commit({"specs/chat.yaml": serving()})
    with pytest.raises(RemoteUnavailable):
        world.poll()
