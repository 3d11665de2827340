"""The JSON that machines read: its keys are pinned, and every command has it."""

from pathlib import Path
from typing import Any

import pytest

from tests.cli.shell import Team, run
from tests.passes.specs import serving

CHAT = ("ms/chat", "-n", "serving")
PROBLEM = {"file", "document", "path", "message", "code"}
KEY = {"kind", "namespace", "name"}
PASS = {
    "pipeline", "source", "output", "idle", "due", "commits", "workloads", "errors", "warnings",
}  # fmt: skip
WORKLOAD = KEY | {
    "reason", "message", "stable", "candidate", "offered", "attempt", "step", "partition", "requests",
    "change", "gate", "waiting", "impact", "conditions", "notes", "errors",
}  # fmt: skip
GATE = {"step", "revision", "effect", "allows", "branch", "from", "closed"}
WAITING = {"for", "since", "who", "how", "command"}
IMPACT = {"verdict", "components", "changes", "warnings"}
COMPONENT = {"name", "verdict", "pods", "gpus", "part"}
CHANGE = {"path", "old", "new", "note"}
REVISION = {"revision", "number", "digest", "commit", "role"}


@pytest.fixture
def offered(stable: Team) -> Team:
    stable.commit({"chat.yaml": serving(image="engine:2", policy="steps")})
    return stable


def check_workload(told: dict[str, Any]) -> None:
    impact = told["impact"]
    assert (set(told), set(told["gate"]), set(told["waiting"])) == (WORKLOAD, GATE, WAITING)
    assert (set(impact), set(impact["components"][0])) == (IMPACT, COMPONENT)
    assert set(impact["changes"][0]) == CHANGE
    assert {one["type"] for one in told["conditions"]} >= {"Ready", "Progressing", "Stalled"}


@pytest.mark.parametrize("command", ["plan", "status", "once"])
def test_a_pass_has_these_keys(offered: Team, command: str) -> None:
    told = offered.json(command)
    assert set(told) == PASS
    check_workload(told["workloads"][0])
    assert (set(told["errors"]), told["due"]) == (set(), command != "once")


@pytest.mark.parametrize("command", ["plan", "status"])
def test_what_was_only_foreseen_names_no_commit(offered: Team, command: str) -> None:
    told = offered.json(command)
    assert (told["commits"], told["due"]) == ([], True)
    assert len(offered.json("once")["commits"]) == 1
    assert offered.json(command)["due"] is False


def test_a_plan_explains_policies_when_asked(stable: Team) -> None:
    policies = stable.json("plan", "--explain-policy")["policies"]
    (fields,) = policies.values()
    assert {"field": "steps", "value": "1: 1, 50pct: 50%, 100pct: 100%"}.items() <= fields[0].items()
    assert all(set(field) == {"field", "value", "from"} for field in fields)


def test_open_gates_are_workloads(offered: Team) -> None:
    offered("once")
    (told,) = offered.json("gate", "list")
    check_workload(told)
    assert told["gate"]["branch"] == offered.gates()[0]


@pytest.mark.parametrize(
    "orders", [[["gate", "approve"]], [["gate", "decline"], ["gate", "retry"]], [["abort"]]]
)
def test_an_order_answers_with_the_pass_that_follows_it(offered: Team, orders: list[list[str]]) -> None:
    offered("once")
    for order in orders:
        told = offered.json(*order, *CHAT)
        assert set(told) == PASS
        assert len(told["commits"]) == 1


def test_a_history_has_these_keys(offered: Team) -> None:
    offered("once")
    told = offered.json("history", *CHAT)
    assert set(told) == KEY | {"revisions"}
    assert [set(one) for one in told["revisions"]] == [REVISION, REVISION]
    assert [one["role"] for one in told["revisions"]] == ["offered", "stable"]


def test_a_validation_has_these_keys(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(serving("a"))
    (tmp_path / "b.yaml").write_text(serving("b", replicas=-1))
    told = run("validate", tmp_path, "-o", "json").json
    assert set(told) == {"workloads", "errors", "warnings"}
    assert (set(told["workloads"][0]), set(told["errors"][0])) == (KEY, PROBLEM)


def test_init_answers_with_the_file_and_the_settings(tmp_path: Path) -> None:
    told = run("init", "a.git", "b.git", "--config", tmp_path / "s.yaml", "-o", "json").json
    assert set(told) == {"file", "settings"}


def test_an_error_leaves_standard_output_empty(team: Team) -> None:
    ran = team("once", "-o", "json")
    assert (ran.code, ran.out) == (1, "")
