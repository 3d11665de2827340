"""make bench: what a pass costs beside bare git, for 100, 1,000 and 10,000 specs, in one run.

Prints ratios, not times, for machines differ. Each pair is measured in turn and the best of a few
is taken. The floor of a cold pass is what nobody can leave out: every source through
yaml.CSafeLoader, every output file through yaml.CSafeDumper, one commit by bare git.
"""

import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import yaml

from gitops_rollout.api.settings import Settings
from gitops_rollout.api.settings_document import settings_from_urls
from gitops_rollout.report import Report
from gitops_rollout.wiring import opened
from tests.gitrepo import commit_files, git, make_bare

NOW = datetime(2026, 1, 1, tzinfo=UTC)
SIZES = (100, 1_000, 10_000)


@dataclass(frozen=True, slots=True)
class Bench:
    """One source with `size` specs, its output, and the settings of a pass between them."""

    place: Path
    size: int

    @property
    def source(self) -> Path:
        """Give the source repository."""
        return self.place / "source.git"

    @property
    def output(self) -> Path:
        """Give the output repository."""
        return self.place / "output.git"

    @property
    def settings(self) -> Settings:
        """Give the settings, with a cache of their own."""
        return replace(
            settings_from_urls(str(self.source), str(self.output)), cache=str(self.place / "cache")
        )

    def once(self) -> Report:
        """Do one pass in this process."""
        settings = self.settings
        with opened(settings, settings.pipelines[0]) as pipeline:
            return pipeline.once(NOW)


def spec(number: int, tag: str) -> str:
    """Give one ModelServing of ordinary size."""
    return f"""apiVersion: workload.serving.volcano.sh/v1alpha1
kind: ModelServing
metadata:
  name: model-{number}
  namespace: team-{number % 20}
spec:
  replicas: 4
  schedulerName: volcano
  template:
    roles:
    - name: prefill
      replicas: 1
      workerReplicas: 0
      entryTemplate: &template
        metadata:
          labels:
            app: model-{number}
        spec:
          containers:
          - name: engine
            image: registry.example.com/engine:{tag}
            args: [--model, /models/{number}, --port, "8000"]
            env:
            - name: MODE
              value: fast
            - name: POD_IP
              valueFrom:
                fieldRef:
                  fieldPath: status.podIP
            ports:
            - name: http
              containerPort: 8000
            resources:
              limits:
                cpu: "8"
                memory: 64Gi
                nvidia.com/gpu: 1
              requests:
                cpu: 4
                memory: 32Gi
            volumeMounts:
            - name: models
              mountPath: /models
          volumes:
          - name: models
            persistentVolumeClaim:
              claimName: models
    - name: decode
      replicas: 2
      workerReplicas: 1
      entryTemplate: *template
      workerTemplate: *template
"""


def path(number: int) -> str:
    """Give where a spec stands."""
    return f"specs/team-{number % 20}/model-{number}.yaml"


def build(place: Path, size: int) -> Bench:
    """Make the repositories."""
    bench = Bench(place, size)
    make_bare(bench.source)
    make_bare(bench.output)
    commit_files(bench.source, "main", {path(i): spec(i, "1.0") for i in range(size)})
    return bench


def best(times: int, action: Callable[[], object]) -> float:
    """Give the shortest of a few runs, in seconds."""
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        action()
        taken.append(time.perf_counter() - start)
    return min(taken)


def timed(action: Callable[[], object]) -> float:
    """Give how long one run takes."""
    return best(1, action)


def floor(bench: Bench) -> float:
    """Measure what a cold pass cannot leave out."""
    load = timed(lambda: [yaml.load(spec(i, "1.0"), yaml.CSafeLoader) for i in range(bench.size)])
    return load + dumped(bench) + committed(bench)


def dumped(bench: Bench) -> float:
    """Measure yaml.CSafeDumper over every output file, from a sample of them."""
    names = git(bench.output, "ls-tree", "-r", "--name-only", "main").splitlines()
    names = [name for name in names if name.endswith(".yaml")]
    sample = names[:: max(1, len(names) // 200)]
    values = [yaml.load(git(bench.output, "show", f"main:{name}"), yaml.CSafeLoader) for name in sample]
    return (
        timed(lambda: [yaml.dump(value, Dumper=yaml.CSafeDumper) for value in values])
        * len(names)
        / len(sample)
    )


def committed(bench: Bench) -> float:
    """Measure one commit of the whole output by bare git."""
    work = bench.place / "floor"
    subprocess.run(["git", "clone", "--quiet", str(bench.output), str(work)], check=True, capture_output=True)
    subprocess.run(["git", "-C", str(work), "checkout", "--quiet", "--orphan", "again"], check=True)
    subprocess.run(["git", "-C", str(work), "rm", "--quiet", "-r", "--cached", "."], check=True)
    identity = ["-c", "user.name=a", "-c", "user.email=a@example.com"]

    def commit() -> None:
        subprocess.run(["git", "-C", str(work), "add", "."], check=True)
        subprocess.run(["git", "-C", str(work), *identity, "commit", "--quiet", "-m", "all"], check=True)

    return timed(commit)


def bare_change(bench: Bench, number: int) -> float:
    """Measure what bare git needs to read one changed file and to publish one: fetch, read, commit, push."""
    clone = bench.place / "bare-source.git"
    work = bench.place / "bare-work.git"
    for url, folder in ((bench.source, clone), (bench.output, work)):
        if not folder.exists():
            subprocess.run(["git", "clone", "--quiet", "--bare", str(url), str(folder)], check=True)
    commit_files(bench.source, "main", {path(number): spec(number, f"1.{number}b")})
    git(bench.output, "branch", "--force", "bench", "main")

    def change() -> None:
        git(clone, "fetch", "--quiet", "origin", "+main:main")
        content = git(clone, "show", f"main:{path(number)}")
        git(work, "fetch", "--quiet", "origin", "+bench:bench")
        commit_files(work, "bench", {f"rollouts/team-{number % 20}/model-{number}/x.yaml": content})
        git(work, "push", "--quiet", "origin", "bench:bench")

    return timed(change)


def measure(size: int) -> list[str]:
    """Measure one size; gives the cells of its row."""
    with tempfile.TemporaryDirectory() as folder:
        bench = build(Path(folder), size)
        cold = timed(bench.once)
        bench.once()
        bench.once()
        refs = best(5, lambda: [git(url, "ls-remote", str(url)) for url in (bench.source, bench.output)])
        idle = best(5, bench.once)
        changed, bare = [], []
        for number in range(3):
            bare.append(bare_change(bench, number + 10))
            commit_files(bench.source, "main", {path(number): spec(number, f"2.{number}")})
            changed.append(timed(bench.once))
            bench.once()
        least = floor(bench)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return [
        f"{size:,}",
        f"{idle / refs:.2f}",
        f"{min(changed) / min(bare):.2f}",
        f"{cold / least:.2f}",
        f"{cold:.1f} s",
        f"{peak:.0f} MB",
    ]


def main() -> None:
    """Print one row a size."""
    sizes = [int(one) for one in sys.argv[1:]] or SIZES
    print("| specs | idle / 2 ls-remote | one change / bare git | cold / floor | cold | peak memory |")
    print("|---|---|---|---|---|---|")
    for size in sizes:
        print(f"| {' | '.join(measure(size))} |", flush=True)


if __name__ == "__main__":
    main()
