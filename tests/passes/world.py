"""A team's two repositories and the service between them, in words; real git everywhere, a fixed clock."""

import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from gitops_rollout.api.settings import OutputSettings, Pipeline, Settings, SourceSettings
from gitops_rollout.api.workload import WorkloadKey
from gitops_rollout.ports import Repository
from gitops_rollout.report import Report
from gitops_rollout.rollout.draft import Order
from gitops_rollout.wiring import Opened, opened
from tests import gitrepo

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
Files = Mapping[str, str | bytes | None]
Around = Callable[[Repository], Repository]


def key(name: str = "chat") -> WorkloadKey:
    return WorkloadKey("serving", "ModelServing", name)


def as_it_is(repository: Repository) -> Repository:
    return repository


@dataclass
class World:
    """Everything below `folder`, where it may stand already; `now` is what the service's clock shows."""

    folder: Path
    now: datetime = NOON
    workload: WorkloadKey = field(default_factory=key)
    """The workload that orders are about."""
    cache: Path = field(init=False)
    pipeline: Pipeline = field(init=False)
    settings: Settings = field(init=False)

    def __post_init__(self) -> None:
        self.cache = self.folder / "cache"
        if not self.source.exists():
            gitrepo.make_bare(self.source)
            gitrepo.make_bare(self.output)
        self.pipeline = Pipeline("test", SourceSettings(str(self.source)), OutputSettings(str(self.output)))
        self.settings = Settings((self.pipeline,), cache=str(self.cache), timeout=20)

    @property
    def source(self) -> Path:
        return self.folder / "source.git"

    @property
    def output(self) -> Path:
        return self.folder / "output.git"

    def replica(self) -> "World":
        """Give the same world as a second installation sees it: with a cache of its own."""
        other = copy(self)
        other.cache = self.folder / "other-cache"
        other.settings = replace(self.settings, cache=str(other.cache))
        return other

    def beside(self, name: str, branch: str, root: str = "rollouts") -> "World":
        """Give a second pipeline with the same source and another output in the same repository."""
        other = self.replica()
        other.told(name=name, output=replace(self.pipeline.output, branch=branch, root=root))
        return other

    def told(self, **changes: object) -> None:
        """Change the pipeline's settings."""
        self.pipeline = replace(self.pipeline, **changes)  # type: ignore[arg-type]
        self.settings = replace(self.settings, pipelines=(self.pipeline,))

    def commit(self, files: Files) -> str:
        """Commit to the source, as its people do."""
        return gitrepo.commit_files(self.source, "main", files)

    def edit(self, files: Files, message: str = "by hand") -> str:
        """Commit to the output, as people do by hand."""
        return gitrepo.commit_files(self.output, "main", files, message)

    @contextmanager
    def open(self, around: Around = as_it_is) -> Iterator[Opened]:
        """Open the pipeline; `around` puts something around its output repository."""
        with opened(self.settings, self.pipeline) as pipeline:
            yield replace(pipeline, output=around(pipeline.output))

    def poll(self, order: Order | None = None, around: Around = as_it_is) -> Report:
        """Do one pass; `order` is for the workload."""
        with self.open(around) as pipeline:
            return pipeline.once(self.now, {self.workload: order} if order else None)

    def settle(self) -> Report:
        """Do passes until one writes nothing; more than three are a loop."""
        for _ in range(4):
            report = self.poll()
            if report.settled:
                return report
        raise AssertionError("the passes come to no end")

    def later(self, **span: float) -> None:
        """Let time pass."""
        self.now += timedelta(**span)

    def keep(self) -> None:
        """Keep the output and the cache as they are, for `back`."""
        for folder in (self.output, self.cache):
            if folder.exists():
                shutil.copytree(folder, self._kept(folder))

    def back(self) -> None:
        """Put the output and the cache back as they were kept; a replica is as new."""
        for folder in (self.output, self.cache, self.folder / "other-cache"):
            shutil.rmtree(folder, ignore_errors=True)
            if self._kept(folder).exists():
                shutil.copytree(self._kept(folder), folder)

    def _kept(self, folder: Path) -> Path:
        return self.folder / "kept" / folder.name

    def gates(self, name: str = "") -> list[str]:
        """Name the open gate branches, of one workload or of all."""
        branches = gitrepo.branches(self.output)
        gates = [one for one in branches if one.startswith("gitops-rollout/gate/")]
        return [one for one in gates if f"/ms-{name}" in one or f"/dgd-{name}" in one]

    def gate(self, name: str = "") -> str:
        """Name the one open gate of a workload."""
        (one,) = self.gates(f"{name or self.workload.name}/")
        return one

    def merge(self, gate: str | None = None, how: str = "merge") -> str:
        """Merge a gate into the output branch: merge, squash, rebase, cherry-pick or fast-forward."""
        gate = gate or self.gate()
        if how == "merge":
            return gitrepo.merge(self.output, "main", gate)
        if how == "squash":
            return gitrepo.squash(self.output, "main", gate, "forge's own words (#7)")
        if how == "fast-forward":
            gitrepo.point(self.output, "main", gitrepo.head(self.output, gate))
            return gate
        return self._picked(gate)

    def _picked(self, gate: str) -> str:
        """Put each commit of the gate on the branch by itself, as a rebase and a cherry-pick do."""
        bare = self.output
        for commit in gitrepo.git(bare, "rev-list", "--reverse", f"main..{gate}").split():
            tree = gitrepo.git(bare, "merge-tree", "--write-tree", "main", commit)
            picked = gitrepo.git(bare, "commit-tree", tree, "-p", "main", "-m", "picked")
            gitrepo.point(bare, "main", picked)
        return self.head()

    def tree(self, branch: str = "main") -> dict[str, str]:
        """Give every file of an output branch: path → blob id."""
        listed = gitrepo.git(self.output, "ls-tree", "-r", "-z", branch).split("\0")
        entries = (line.partition("\t") for line in listed if line)
        return {path: about.split()[2] for about, _, path in entries}

    def read(self, path: str, branch: str = "main") -> str:
        """Read a file of the output."""
        return gitrepo.read(self.output, branch, path)

    def refs(self) -> dict[str, str]:
        """Give every branch of the output."""
        return gitrepo.branches(self.output)

    def log(self, branch: str = "main") -> list[str]:
        """Give the subjects of the output branch's first-parent line, the newest first."""
        return gitrepo.git(self.output, "log", "--first-parent", "--format=%s", branch).splitlines()

    def changed(self, since: str) -> list[str]:
        """Name the files that differ between a commit and the output branch."""
        return gitrepo.git(self.output, "diff", "--name-only", "--no-renames", since, "main").splitlines()

    def head(self) -> str:
        """Give the output branch's head."""
        return gitrepo.git(self.output, "rev-parse", "main")

    def checkout(self, folder: Path) -> Path:
        """Give a fresh clone of the output branch."""
        subprocess.run(["git", "clone", "-q", str(self.output), str(folder)], check=True)
        return folder


def image(world: World, branch: str = "main", name: str = "chat") -> str:
    """Give the image that the output publishes for a workload."""
    text = world.read(f"rollouts/serving/{name}/capacity/modelserving.yaml", branch)
    return next(line.split("image:")[1].strip() for line in text.splitlines() if "image:" in line)


def partition(world: World, branch: str = "main") -> str | None:
    """Give the partition that the output publishes for chat, None when the file has none."""
    text = world.read("rollouts/serving/chat/capacity/modelserving.yaml", branch)
    return next((line.split(":")[1].strip() for line in text.splitlines() if "partition:" in line), None)


def codes(report: Report) -> list[str]:
    """Give the code of everything that a pass tells."""
    told = [*report.problems, *report.warnings]
    for one in report.workloads:
        told += [*one.notes, *one.problems, *one.blocked]
    return sorted({problem.code for problem in told})
