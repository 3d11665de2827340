"""The scenarios beside the checkout: real repositories, and the real program as one command a pass."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests import gitrepo
from tests.shared import case

SCENARIOS = (
    "12-symlink-escape",
    "14-deleted-and-moved-spec",
    "58-output-commit-loop",
    "59-concurrent-push",
    "60-source-force-push",
    "61-never-rewrite-output-history",
)


def play(name: str, folder: Path, **more: str) -> str:
    """Play a scenario in `folder`; gives what it printed. Every check of it must have passed."""
    script = case(name, "scenario.sh")
    once = [sys.executable, "-m", "gitops_rollout", "once", "--cache", str(folder / "cache")]
    command = f'{shlex.join(once)} --source "$SRC" --output "$OUT"'
    environment = {"PATH": os.environ["PATH"], "W": str(folder), "PRODUCT_CMD": command, **more}
    done = subprocess.run(["bash", str(script)], env=environment, capture_output=True, text=True, check=False)
    assert "PASS" in done.stdout
    assert (done.returncode, "FAIL" in done.stdout) == (0, False), done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("name", SCENARIOS)
def test_scenario(name: str, tmp_path: Path) -> None:
    play(name, tmp_path)


def test_every_scenario_is_played() -> None:
    there = {path.parent.name for path in case(".").glob("*/scenario.sh")}
    assert there == {*SCENARIOS, "65-pr-squash-or-rebase-merge"}


@pytest.mark.parametrize("mode", ["merge", "squash", "rebase"])
def test_a_gate_merged_in_any_way_leads_to_exactly_the_next(tmp_path: Path, mode: str) -> None:
    printed = play("65-pr-squash-or-rebase-merge", tmp_path, MODE=mode)
    merged = next(line.split()[-1] for line in printed.splitlines() if line.startswith("gate branch:"))
    output = tmp_path / "out.git"
    (left,) = [name for name in gitrepo.branches(output) if name != "main"]
    published = gitrepo.read(output, "main", "rollouts/serving/aurora-chat/capacity/modelserving.yaml")
    assert merged.split("/")[-1].startswith("1-all-")
    assert left.split("/")[-1].startswith("1-complete-")
    assert "engine:1.5.0" in published
    assert "partition: 0" in published
