"""A spec that is refused: seen wherever people look, while its last accepted state stays in force."""

import pytest

from tests import gitrepo
from tests.cli.shell import Team
from tests.passes.specs import serving

BAD = serving(image="engine:2", replicas=-4, policy="steps")


@pytest.fixture
def refused(stable: Team) -> Team:
    stable.commit({"chat.yaml": BAD})
    return stable


@pytest.mark.parametrize(("command", "code"), [("once", 3), ("plan", 3), ("status", 0)])
def test_it_is_seen_with_file_document_path_and_what_is_wrong(refused: Team, command: str, code: int) -> None:
    ran = refused(command)
    assert ran.code == code
    assert ran.err.count("specs/chat.yaml (document 1): spec.replicas: -4 is negative [RANGE]") == 1


@pytest.mark.parametrize("command", ["once", "plan", "status"])
def test_a_machine_sees_it_at_the_workload_and_in_the_whole(refused: Team, command: str) -> None:
    told = refused.json(command)
    (chat,) = told["workloads"]
    assert chat["reason"] == "Refused"
    assert chat["errors"] == told["errors"]
    assert [error["path"] for error in told["errors"]] == ["spec.replicas"]
    assert {one["type"]: one["status"] for one in chat["conditions"]}["Stalled"] == "True"


def test_its_last_accepted_state_stays_in_force_and_is_named(refused: Team) -> None:
    refused("once")
    assert "engine:1" in refused.published()
    assert "stay in force" in refused("status", "ms/chat", "-n", "serving").out


def test_another_pass_exits_3_as_long_as_it_is_refused(refused: Team) -> None:
    assert [refused("once").code for _ in range(3)] == [3, 3, 3]
    refused.commit({"chat.yaml": serving(policy="steps")})
    assert refused("once").code == 0


def test_a_new_spec_that_is_refused_is_not_told_as_published(team: Team) -> None:
    team.commit({"chat.yaml": BAD})
    ran = team("once")
    assert ran.code == 3
    assert "nothing of it is published" in ran.out


def test_a_file_that_cannot_be_read_keeps_what_it_held(stable: Team) -> None:
    stable.commit({"chat.yaml": "kind: [\n"})
    assert stable("once").code == 3
    assert "engine:1" in stable.published()
    assert stable.gates() == []


def test_others_go_on(refused: Team) -> None:
    refused.commit({"other.yaml": serving("other")})
    assert refused("once").code == 3
    assert "engine:1" in refused.published("other")


def test_a_protected_branch_is_an_error_with_what_to_do(stable: Team) -> None:
    gitrepo.install_hook(stable.output, "pre-receive", "echo protected; exit 1")
    stable.commit({"chat.yaml": serving(image="engine:2", policy="steps")})
    ran = stable("once")
    assert ran.code == 1
    assert "[BranchProtected]" in ran.err
    assert "to do: let the configured identity push" in ran.err
