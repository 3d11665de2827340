"""A team, with nothing published yet, and with one workload that is stable."""

from pathlib import Path

import pytest

from tests.cli.shell import BIN, Team, made
from tests.passes.specs import policy, serving


@pytest.fixture(autouse=True)
def _kubectl_at_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(BIN), prepend=":")


@pytest.fixture
def team(tmp_path: Path) -> Team:
    return made(tmp_path)


@pytest.fixture
def stable(team: Team) -> Team:
    """Give a team whose workload chat is published, with steps 1, 50 %, 100 %."""
    team.commit({"policy.yaml": policy(), "chat.yaml": serving(policy="steps")})
    assert team("once").code == 0
    return team
