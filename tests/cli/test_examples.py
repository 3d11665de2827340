"""Every example is run: published, one change, every gate approved by command, to the end; and the demo."""

import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests import gitrepo
from tests.cli.shell import Team
from tests.project.checkout import ROOT, build
from tests.rollout.graphs import ALL_GATES as GRAPH_GATES
from tests.rollout.routed import ALL_GATES


@dataclass(frozen=True)
class Example:
    """A folder of examples/, the file that somebody changes in it, and what they change."""

    folder: str
    workload: str
    file: str
    old: str
    new: str
    steps: tuple[str, ...]


EXAMPLES = [
    Example("01-first-rollout", "chat", "chat.yaml", "0.10.1", "0.10.2", ("1", "50pct", "100pct")),
    Example("02-role-by-role", "search", "search.yaml", "0.5.2", "0.5.3", ("1", "100pct")),
    Example("04-dynamo-graph", "answers", "answers.yaml", "1.1.0", "1.1.1", ("all",)),
    Example("03-kustomize-overlay", "embed", "production/kustomization.yaml", "2.4.1", "2.5.0", ("all",)),
    Example(
        "05-canary-by-requests",
        "chat",
        "chat.yaml",
        "0.10.1",
        "0.10.2",
        ("attach", "attach-traffic", *ALL_GATES[:-1]),
    ),
    Example(
        "06-graph-by-requests",
        "assist",
        "assist.yaml",
        "1.1.0",
        "1.1.1",
        ("attach", *GRAPH_GATES[:-1]),
    ),
]


def test_every_example_is_run() -> None:
    folders = {
        path.name for path in (ROOT / "examples").iterdir() if path.is_dir() and path.name[0].isdigit()
    }
    assert folders == {example.folder for example in EXAMPLES}


@pytest.mark.parametrize("example", EXAMPLES, ids=[example.folder for example in EXAMPLES])
def test_an_example_goes_from_one_revision_to_the_next(team: Team, example: Example, tmp_path: Path) -> None:
    specs = ROOT / "examples" / example.folder / "specs"
    team.copy(specs)
    # Ten minutes are too long for a test: a second shows the same.
    text = (specs / example.file).read_text(encoding="utf-8").replace("soak: 10m", "soak: 1s")
    team.commit({example.file: text})
    assert team("once").code == 0
    team.commit({example.file: text.replace(example.old, example.new)})
    assert team("once").code == 0
    assert approve_all(team, example.workload) == [*example.steps, "complete"]
    (workload,) = team.json("status")["workloads"]
    assert (workload["reason"], workload["candidate"], team.gates()) == ("Stable", None, [])
    assert example.new in served(team, example.workload)
    assert builds(team.output, tmp_path) > len(example.steps)


def served(team: Team, workload: str) -> str:
    """Read the one object that is published for a workload."""
    name = re.compile(rf"rollouts/serving/{workload}/capacity/(modelserving|dgd.*)\.yaml")
    (path,) = filter(name.fullmatch, gitrepo.paths(team.output))
    return gitrepo.read(team.output, "main", path)


def builds(output: Path, folder: Path) -> int:
    """Let kubectl build the output at every commit; give how many there are."""
    commits = gitrepo.git(output, "rev-list", "--first-parent", "main").split()
    for commit in commits:
        place = folder / commit
        place.mkdir()
        archive = ["git", "-C", str(output), "archive", commit]
        packed = subprocess.run(archive, capture_output=True, check=True).stdout
        subprocess.run(["tar", "-x", "-C", str(place)], input=packed, check=True)
        kinds = [one["kind"] for one in build(place / "rollouts")]
        assert {"ModelServing", "DynamoGraphDeployment"} & set(kinds), commit
    return len(commits)


def short(team: Team) -> str:
    """Name the kind of the only workload as people type it."""
    (workload,) = team.json("status")["workloads"]
    return {"ModelServing": "ms", "DynamoGraphDeployment": "dgd"}[workload["kind"]]


def approve_all(team: Team, workload: str) -> list[str]:
    """Approve until nothing is asked any more; give the steps. What still soaks is asked for again."""
    steps: list[str] = []
    for _ in range(60):
        asked = team.json("once") and team.json("status")["workloads"][0]["gate"]
        if asked is None:
            return steps
        if (
            team(
                "gate", "approve", f"{short(team)}/{workload}", "-n", "serving", "--step", asked["step"]
            ).code
            == 0
        ):
            steps.append(asked["step"])
    raise AssertionError(f"no end after {steps}")


def test_the_soak_of_an_example_is_kept(team: Team) -> None:
    specs = ROOT / "examples/02-role-by-role/specs"
    team.copy(specs)
    team("once")
    text = (specs / "search.yaml").read_text(encoding="utf-8")
    team.commit({"search.yaml": text.replace("0.5.2", "0.5.3")})
    team("once")
    approve = ("gate", "approve", "ms/search", "-n", "serving")
    assert [team(*approve).code, team(*approve).code] == [0, 1]


def test_the_demo_plays_to_its_end(tmp_path: Path) -> None:
    command = [sys.executable, str(ROOT / "examples/demo.py")]
    played = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (played.returncode, played.stderr.count("Traceback")) == (0, 0), played.stderr
    output = tmp_path / "demo/output.git"
    workload = gitrepo.read(output, "main", "rollouts/serving/chat/capacity/modelserving.yaml")
    assert set(gitrepo.branches(output)) == {"main"}
    assert "vllm:0.10.2" in workload
    assert "partition" not in workload
    assert len([path for path in gitrepo.paths(output) if "/revisions/" in path]) == 4
    assert "X-Chat-Canary" not in gitrepo.read(output, "main", "rollouts/serving/chat/traffic/httproute.yaml")
