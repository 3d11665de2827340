"""The two commands of the README, the pins, and what CI runs."""

import os
import re
import subprocess
import tomllib
from importlib import metadata
from pathlib import Path

import pytest

from tests.project.checkout import ROOT

PINS = dict(line.split("==") for line in (ROOT / ".ci/constraints.txt").read_text().split())
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
DIRECT = [*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["test"]]


# Neither the oracle nor the flags of a make that runs these tests.
ENVIRONMENT = {k: v for k, v in os.environ.items() if not k.startswith(("GITOPS_", "MAKE", "MFLAGS"))}


def run(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, check=False, cwd=folder, capture_output=True, text=True, env=ENVIRONMENT)


def normal(name: str) -> str:
    """Spell a distribution's name in the one way of PEP 503."""
    return re.sub(r"[-_.]+", "-", name).lower()


@pytest.mark.parametrize("command", ["make demo", "make test"])
def test_the_readme_gives_the_command_on_a_line_of_its_own(command: str) -> None:
    blocks = re.findall(r"^```[a-z]*\n(.*?)^```", (ROOT / "README.md").read_text("utf-8"), re.M | re.S)
    assert command in "".join(blocks).splitlines()


@pytest.mark.parametrize("target", ["demo", "test", "check", "bench", "manifests", "docs", "clean"])
def test_make_knows_the_target(target: str) -> None:
    known = run(ROOT, "make", "--dry-run", target)
    assert (known.returncode, known.stderr) == (0, "")


def test_what_ci_runs_is_the_tests_of_the_readme() -> None:
    script = ROOT / ".ci/run"
    assert os.access(script, os.X_OK)
    assert "\nmake test " in script.read_text(encoding="utf-8")


def test_a_failing_check_fails_ci(tmp_path: Path) -> None:
    (tmp_path / ".ci").mkdir()
    (tmp_path / ".ci/run").write_bytes((ROOT / ".ci/run").read_bytes())
    (tmp_path / "Makefile").write_text('test:\n\t@echo "== 1 failed, 2 passed in 0.1s =="; exit 1\n')
    ran = run(tmp_path, "bash", ".ci/run")
    assert ran.returncode != 0
    assert ran.stdout.splitlines()[-1] == "== 1 failed, 2 passed in 0.1s =="


def test_each_direct_dependency_is_pinned_alike_in_both_files() -> None:
    direct = dict(requirement.partition(";")[0].split("==") for requirement in DIRECT)
    pinned = {normal(name): version for name, version in PINS.items()}
    assert {normal(name): pinned.get(normal(name)) for name in direct} == {
        normal(name): version for name, version in direct.items()
    }


def test_all_that_is_installed_is_pinned() -> None:
    ours = {"pip", "setuptools", "gitops-rollout"}
    installed = {normal(d.metadata["Name"]): d.version for d in metadata.distributions()}
    pinned = {normal(name): version for name, version in PINS.items()}
    assert {name: v for name, v in installed.items() if name not in ours} == pinned
