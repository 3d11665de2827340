"""The command as people use it: two files in, a timeline and a verdict out."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner, Result

from gitops_rollout.cli.app import app
from gitops_rollout.errors import BadSettings
from gitops_rollout.simulate.faults import told
from gitops_rollout.simulate.invariants import INVARIANTS, OTHERS
from tests.project.checkout import ROOT
from tests.rollout.routed import ALL_GATES
from tests.simulate.runs import PLAIN, ROUTED, workload


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "before.yaml").write_bytes(workload("a"))
    (tmp_path / "after.yaml").write_bytes(workload("b"))
    (tmp_path / "plain.yaml").write_text(PLAIN)
    (tmp_path / "routed.yaml").write_text(ROUTED)
    return tmp_path


def simulate(files: Path, *words: str, after: str = "after.yaml") -> Result:
    command = ["simulate", str(files / "before.yaml"), str(files / after), *words]
    return CliRunner().invoke(app, command)


def test_a_change_is_played_to_its_end(files: Path) -> None:
    result = simulate(files, "--policy", str(files / "plain.yaml"))
    assert result.exit_code == 0
    assert [line for line in result.stdout.splitlines() if "merges complete" in line]
    assert result.stdout.splitlines()[-1].startswith("Fine")


def test_its_gates_are_those_of_the_policy(files: Path) -> None:
    result = simulate(files, "--policy", str(files / "routed.yaml"), "-o", "json")
    merged = [row["does"] for row in json.loads(result.stdout)["timeline"] if row["who"] == "people"]
    assert [one.removeprefix("merges ") for one in merged] == ["attach", *ALL_GATES]


@pytest.mark.parametrize("words", [(), ("--faults", "some", "--seed", "7")])
def test_the_example_is_fine(files: Path, words: tuple[str, ...]) -> None:
    specs = ROOT / "examples/05-canary-by-requests/specs"
    files.joinpath("before.yaml").write_bytes((specs / "chat.yaml").read_bytes())
    files.joinpath("after.yaml").write_bytes((specs / "chat.yaml").read_bytes().replace(b"0.10.1", b"0.10.2"))
    policies = ("--policy", str(specs / "rollout.yaml"), "--policy", str(specs / "route.yaml"))
    assert simulate(files, *policies, *words).exit_code == 0


def test_its_page_names_every_fault_and_every_invariant() -> None:
    page = (ROOT / "docs/simulate.md").read_text(encoding="utf-8")
    rows = [f"| {one.numbers} | {one.sentence} |" for one in (*INVARIANTS, *OTHERS)]
    assert [row for row in rows if row not in page] == []
    assert [name for name, what in told().items() if name not in page or what not in page] == []


def test_equal_seeds_tell_the_same(files: Path) -> None:
    words = ("--faults", "all", "--seed", "3", "-o", "json")
    assert simulate(files, *words).stdout == simulate(files, *words).stdout


def test_the_picture_is_well_formed_and_names_every_gate(files: Path) -> None:
    svg = files / "run.svg"
    simulate(files, "--policy", str(files / "routed.yaml"), "--svg", str(svg))
    texts = [one.text for one in ElementTree.parse(svg).iter("{http://www.w3.org/2000/svg}text")]
    assert {"replicas", "requests", "canary", "half-traffic", "complete"} <= set(texts)


def test_a_rollout_that_cannot_end_is_not_fine(files: Path) -> None:
    (files / "held.yaml").write_text(f"{PLAIN}  suspend: true\n")
    result = simulate(files, "--policy", str(files / "held.yaml"))
    assert result.exit_code == 1
    assert "every rollout ends" in result.stderr


@pytest.mark.parametrize(
    ("before", "after", "code"),
    [
        (b"kind: [", workload("b"), 3),
        (workload("a"), b"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n", 3),
        (workload("a") + b"---\n" + workload("a").replace(b"chat", b"talk"), workload("b"), 3),
    ],
    ids=["unreadable", "another workload", "two workloads"],
)
def test_what_cannot_be_read_is_refused(files: Path, before: bytes, after: bytes, code: int) -> None:
    (files / "before.yaml").write_bytes(before)
    (files / "after.yaml").write_bytes(after)
    result = simulate(files)
    assert (result.exit_code, "refused" in result.stderr) == (code, True)


def test_what_is_not_there_is_bad_usage(files: Path) -> None:
    assert isinstance(simulate(files, after="nothing.yaml").exception, BadSettings)
    assert isinstance(simulate(files, "--faults", "typo").exception, BadSettings)
