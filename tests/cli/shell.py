"""A shell in words: one command line in, exit code and both streams out; and a team's two repositories."""

import io
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gitops_rollout.__main__ import main
from tests import gitrepo

BIN = Path(sys.executable).parent
PREFIX = "gitops-rollout/gate/serving"


@dataclass(frozen=True)
class Ran:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def last(self) -> str:
        return self.out.rstrip("\n").rpartition("\n")[2]


def run(*arguments: object) -> Ran:
    """Run one command line in this process, exactly as the console script does."""
    out, err, before = io.StringIO(), io.StringIO(), sys.argv
    sys.argv = ["gitops-rollout", *map(str, arguments)]
    try:
        with redirect_stdout(out), redirect_stderr(err):
            main()
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else 0
    else:
        code = 0
    finally:
        sys.argv = before
    return Ran(code, out.getvalue(), err.getvalue())


def start(*arguments: object, **environment: str) -> "subprocess.Popen[str]":
    """Start a real process, with both streams at hand."""
    command = [sys.executable, "-m", "gitops_rollout", *map(str, arguments)]
    told = {**os.environ, **environment}
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=told)


@dataclass(frozen=True)
class Team:
    """A spec repository and an output repository below `folder`."""

    folder: Path

    @property
    def source(self) -> Path:
        return self.folder / "specs.git"

    @property
    def output(self) -> Path:
        return self.folder / "output.git"

    @property
    def where(self) -> tuple[str, ...]:
        """Give the options that name both."""
        cache = str(self.folder / "cache")
        return ("--source", str(self.source), "--output", str(self.output), "--cache", cache)

    def __call__(self, *arguments: object) -> Ran:
        """Run a command on this pipeline."""
        return run(*arguments, *self.where)

    def json(self, *arguments: object) -> Any:
        """Run a command on this pipeline and read its JSON."""
        return self(*arguments, "-o", "json").json

    def commit(self, files: Mapping[str, str | None]) -> str:
        """Commit below specs/ of the source."""
        return gitrepo.commit_files(
            self.source, "main", {f"specs/{path}": text for path, text in files.items()}
        )

    def copy(self, folder: Path) -> None:
        """Commit a folder of the disk as specs/."""
        files = (path for path in sorted(folder.rglob("*")) if path.is_file())
        self.commit({str(path.relative_to(folder)): path.read_text(encoding="utf-8") for path in files})

    def gates(self) -> list[str]:
        """Name the gate branches."""
        return [name for name in gitrepo.branches(self.output) if name.startswith(f"{PREFIX}/")]

    def published(self, name: str = "chat", file: str = "capacity/modelserving.yaml") -> str:
        """Read a published file of a workload."""
        return gitrepo.read(self.output, "main", f"rollouts/serving/{name}/{file}")


def made(folder: Path) -> Team:
    """Make both repositories, empty."""
    team = Team(folder)
    gitrepo.make_bare(team.source)
    gitrepo.make_bare(team.output)
    return team
