"""Bad usage, settings, and what happens around commands: exit codes and clear words, no traceback."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.shell import BIN, Team, run
from tests.passes.specs import serving


@pytest.mark.parametrize(
    "words",
    [
        "once --bogus", "diff onlyone", "init onlyone", "validate", "nonsense", "gate", "",
        "history chat --source a --output b", "once --source a", "once --source a --output a",
        "once --source a --output b --output-branch -x", "status --config nowhere.yaml", "run",
        "once -o yaml --source a --output b", "once --source https://u:p@example.com/x --output b",
    ],
)  # fmt: skip
def test_bad_usage_exits_2_and_says_why(words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    ran = run(*words.split())
    assert ran.code == 2
    assert ran.err or not words or words == "gate"
    assert list(tmp_path.iterdir()) == []


def test_a_repository_that_is_not_there_is_an_error_of_the_world(team: Team, tmp_path: Path) -> None:
    team.commit({"chat.yaml": serving()})
    ran = run("once", "--source", team.source, "--output", tmp_path / "none", "--cache", tmp_path / "c")
    assert ran.code == 1
    assert "to do: check the URL" in ran.err


def test_an_empty_source_is_never_read_as_deleted(team: Team) -> None:
    ran = team("once")
    assert ran.code == 1
    assert "has no branch main" in ran.err


def test_init_makes_settings_that_work(team: Team, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    team.commit({"chat.yaml": serving()})
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert run("init", "specs.git", "output.git").code == 0
    assert run("init", "specs.git", "output.git").code == 2
    assert [run(command).code for command in ("plan", "once", "status")] == [0, 0, 0]


def test_settings_may_be_used_from_another_folder(
    team: Team, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    team.commit({"chat.yaml": serving()})
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    monkeypatch.chdir(tmp_path)
    run("init", "specs.git", "output.git")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert run("once", "--config", "../gitops-rollout.yaml").code == 0


def test_the_command_that_is_told_can_be_typed_as_it_stands(stable: Team) -> None:
    stable.commit({"chat.yaml": serving(image="engine:2", policy="steps")})
    stable("once")
    words = stable.json("status")["workloads"][0]["waiting"]["command"].split()
    assert words[0] == "gitops-rollout"
    assert run(*words[1:]).code == 0
    assert "partition: 3" in stable.published()


def test_other_branches_and_paths_can_be_named(team: Team) -> None:
    team.commit({"deep/chat.yaml": serving()})
    ran = team("once", "--path", "specs/deep", "--output-branch", "rendered")
    assert ran.code == 0
    assert team("status", "--output-branch", "rendered").last == "Nothing waits for anybody."


def test_a_second_pass_has_nothing_to_do(stable: Team) -> None:
    assert stable("once").out.endswith("Nothing to write.\n")
    assert stable("once").out == "Nothing new since the last pass.\n"
    assert stable("sync").out == "Nothing new since the last pass.\n"


@pytest.mark.parametrize("command", [[BIN / "gitops-rollout"], [sys.executable, "-m", "gitops_rollout"]])
def test_both_ways_to_start_it_are_one(command: list[object]) -> None:
    done = subprocess.run([*map(str, command), "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("gitops-rollout ")


@pytest.mark.parametrize("encoding", ["ascii", "utf-8"])
def test_a_terminal_without_arrows_gets_no_traceback(tmp_path: Path, encoding: str) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.yaml").write_text(serving(image=f"engine:{name}"))
    command = [sys.executable, "-m", "gitops_rollout", "diff", "a.yaml", "b.yaml"]
    done = subprocess.run(
        command, capture_output=True, cwd=tmp_path, env={"PYTHONIOENCODING": encoding}, check=True
    )
    assert b"engine:a" in done.stdout
    assert done.stderr == b""
