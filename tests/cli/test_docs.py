"""What the pages say can be typed and read: command lines are run, YAML is read, words are the program's."""

import ast
import re
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import typer
import yaml

from gitops_rollout.api.calendar_document import read_freeze
from gitops_rollout.api.policy_document import read_policy, read_rollout
from gitops_rollout.api.problems import Problem
from gitops_rollout.api.settings_document import read_settings
from gitops_rollout.cli.app import app
from tests.cli import test_json
from tests.cli.shell import Team, run
from tests.passes.specs import policy, serving
from tests.project.checkout import ROOT

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
OWN = [
    ROOT / "docs" / f"{name}.md"
    for name in ("commands", "policy", "traffic", "output", "codes", "operations")
]
COMMANDS = (ROOT / "docs/commands.md").read_text(encoding="utf-8")


def blocks(page: Path, language: str) -> list[str]:
    found = re.findall(rf"^```{language}\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S)
    return [str(block) for block in found]


def documents() -> list[dict[str, Any]]:
    """Give every whole document that a page shows; `…` stands for what the reader fills in."""
    texts = [text for page in PAGES for block in blocks(page, "yaml") for text in block.split("\n---\n")]
    return [yaml.safe_load(text) for text in texts if "…" not in text]


def names(commands: typer.Typer) -> set[str]:
    hidden = {one.name for one in commands.registered_commands if one.hidden}
    own = {str(one.name) for one in commands.registered_commands} - hidden
    groups = ((str(group.name), group.typer_instance) for group in commands.registered_groups)
    return own | {f"{group} {name}" for group, inner in groups if inner for name in names(inner)}


def test_a_day_with_it_can_be_played_as_written(
    team: Team, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    team.commit({"policy.yaml": policy(), "chat.yaml": serving(policy="steps")})
    team("once")
    team.commit({"chat.yaml": serving(image="engine:2", policy="steps")})
    desk = tmp_path / "desk"
    subprocess.run(["git", "clone", "-q", team.source, desk], check=True)
    monkeypatch.chdir(desk)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    run("init", team.source, team.output)
    (day,) = blocks(ROOT / "docs/commands.md", "sh")
    lines = day.splitlines()
    assert {line: run(*shlex.split(line)[1:]).code for line in lines} == dict.fromkeys(lines, 0)


def test_every_command_is_in_the_page_and_has_help() -> None:
    for name in names(app):
        assert f"| `{name}" in COMMANDS
        assert run(*name.split(), "--help").code == 0


def test_every_command_that_the_pages_type_is_one() -> None:
    inline = [
        line for page in PAGES for line in re.findall(r"`(gitops-rollout [^`]*)`", page.read_text("utf-8"))
    ]
    lines = [line for page in PAGES for block in blocks(page, "sh") for line in block.splitlines()]
    words = [line.split()[1:3] for line in [*inline, *lines] if line.startswith("gitops-rollout ")]
    typed = {" ".join(one) if one[0] == "gate" else one[0] for one in words}
    assert {"once", "gate approve", "diff"} <= typed
    assert typed - names(app) == set()


def test_settings_in_the_pages_are_settings() -> None:
    shown = [document for document in documents() if "pipelines" in document]
    assert shown
    assert [len(read_settings(document).pipelines) for document in shown] == [1] * len(shown)


KINDS = {"modelserving": "ModelServing", "dgd": "DynamoGraphDeployment"}
READERS: dict[str, Callable[[dict[str, Any]], tuple[object, tuple[Problem, ...]]]] = {
    "RolloutPolicy": read_policy,
    "RevisionRollout": lambda one: read_rollout(one, "default", KINDS),
    "Freeze": read_freeze,
}


def test_policies_in_the_pages_are_policies() -> None:
    shown = [one for one in documents() if str(one.get("apiVersion")).startswith("gitops-rollout.io/")]
    assert {one["kind"] for one in shown} == set(READERS)
    assert [problems for one in shown for problems in READERS[one["kind"]](one)[1:]] == [()] * len(shown)


def test_every_policy_field_in_the_page_is_taken(tmp_path: Path) -> None:
    spec = (
        "{steps: [{name: one, replicas: 1, soak: 90s, gate: Merge}, 100%], soak: 1h30m, gate: Merge, "
        "proof: Manual, suspend: false, deletion: Keep, revisionHistoryLimit: 10, rollbackWindow: 3, "
        "onNewRevision: Wait, replicasFrom: Source, checks: [ttft], timeouts: {drain: 5m, settle: 5s}, "
        "strategy: NewGraph, renamesGraph: Accepted, capacity: {maxSurge: 25%}, retireDelay: 30m, "
        "windows: [{cron: '0 9 * * 1-5', duration: 8h, tz: UTC}]}"
    )
    own = {"route", "gateway", "adopt", "releaseGroups", "compatibility", "routerPolicy"}
    (tmp_path / "policy.yaml").write_text(policy(spec=spec))
    assert run("validate", tmp_path).code == 0
    fields = re.findall(r"^\| `(\w+)` \|", (ROOT / "docs/policy.md").read_text("utf-8"), re.M)
    assert fields
    assert set(fields) == set(yaml.safe_load(spec)) | own


def test_states_in_the_page_are_the_program_s() -> None:
    tree = ast.parse((ROOT / "gitops_rollout/conclude.py").read_text(encoding="utf-8"))
    words = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)}
    states = {word for word in words if isinstance(word, str) and re.fullmatch(r"([A-Z][a-z]+)+", word)}
    page = COMMANDS.partition("| state |")[2].partition("## ")[0]
    told = set(re.findall(r"`([A-Z][A-Za-z]+)`", page))
    assert states - {"Ready", "Progressing", "Stalled", "True", "False", "Gone"} == told


def test_every_key_of_the_json_is_in_the_page() -> None:
    keys = test_json.PASS | test_json.WORKLOAD | test_json.GATE | test_json.WAITING | test_json.REVISION
    assert {key for key in keys if f"`{key}`" not in COMMANDS} == set()
    shown = blocks(ROOT / "docs/commands.md", "json")[0]
    more = test_json.IMPACT | test_json.COMPONENT | test_json.CHANGE | test_json.PROBLEM
    assert {key for key in more if f'"{key}"' not in shown} == set()


@pytest.mark.parametrize("page", OWN, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []
