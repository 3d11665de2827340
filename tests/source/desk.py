"""A team's repository in words, and what is read out of it, with real git underneath."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from shutil import which

import pytest

from gitops_rollout.adapters.fast_import import Identity
from gitops_rollout.adapters.git import open_repository
from gitops_rollout.adapters.remote import Remote
from gitops_rollout.api.workload import WorkloadKey
from gitops_rollout.kinds.registry import KINDS
from gitops_rollout.source.build import Builder
from gitops_rollout.source.cache import MemoryCache
from gitops_rollout.source.identify import Terms
from gitops_rollout.source.reader import Reader
from gitops_rollout.source.readings import Readings
from gitops_rollout.source.source import Source
from tests import gitrepo

BIN = Path(sys.executable).parent


def serving(name: str, namespace: str = "serving", image: str = "engine:1", extra: str = "") -> str:
    """Write a small ModelServing; `extra` are lines of its metadata."""
    return f"""\
apiVersion: workload.serving.volcano.sh/v1alpha1
kind: ModelServing
metadata:
  name: {name}
  namespace: {namespace}
{extra}spec:
  replicas: 2
  template:
    roles:
    - name: decode
      replicas: 1
      workerReplicas: 0
      entryTemplate:
        spec:
          containers:
          - name: main
            image: {image}
"""


def config(name: str, namespace: str = "serving") -> str:
    """Write a small ConfigMap."""
    return f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}, namespace: {namespace}}}\n"


def policy(name: str, spec: str, annotations: str = "{}") -> str:
    """Write a RolloutPolicy."""
    return f"""\
apiVersion: gitops-rollout.io/v1alpha1
kind: RolloutPolicy
metadata: {{name: {name}, annotations: {annotations}}}
spec: {spec}
"""


def key(name: str, namespace: str = "serving") -> WorkloadKey:
    return WorkloadKey(namespace, "ModelServing", name)


def builder(timeout: float = 60.0) -> Builder:
    """Give kubectl of this environment, or skip."""
    found = which("kubectl", path=f"{BIN}{os.pathsep}{os.environ['PATH']}")
    if found is None:
        reason = "kubectl is missing: pip install -e .[test] brings it"
        (pytest.fail if os.environ.get("CI") else pytest.skip)(reason)
    return Builder(Path(found), timeout)


class Desk:
    """One bare repository with branch main, and a reader whose cache lives as long."""

    def __init__(self, folder: Path) -> None:
        self.bare = gitrepo.make_bare(folder / "source.git")
        self.repository = open_repository(
            Remote(str(self.bare)), folder / "clone", Identity("Ada", "ada@example.test")
        )
        self.cache = MemoryCache()
        self.folder = folder

    def close(self) -> None:
        self.repository.close()

    def write(self, files: Mapping[str, str | bytes | None]) -> str:
        """Commit files; None removes one."""
        return gitrepo.commit_files(self.bare, "main", files)

    def link(self, path: str, target: str, mode: str = "120000") -> str:
        """Commit a symbolic link (or, with its mode, a submodule at the commit `target`)."""
        index = self.folder / "index"
        parent = gitrepo.head(self.bare)
        gitrepo.git(self.bare, *(["read-tree", parent] if parent else ["read-tree", "--empty"]), index=index)
        oid = target
        if mode == "120000":
            oid = gitrepo.git(self.bare, "hash-object", "-w", "--stdin", stdin=target.encode())
        gitrepo.git(
            self.bare, "update-index", "--index-info", stdin=f"{mode} {oid}\t{path}\n".encode(), index=index
        )
        tree = gitrepo.git(self.bare, "write-tree", index=index)
        onto = ["-p", parent] if parent else []
        commit = gitrepo.git(self.bare, "commit-tree", tree, *onto, "-m", "link")
        gitrepo.git(self.bare, "update-ref", "refs/heads/main", commit)
        return commit

    def reader(
        self, *paths: str, secrets: bool = False, builder: Builder | None = None, others: bool = True
    ) -> Reader:
        terms = Terms(KINDS, "serving", secrets)
        readings = Readings(self.repository, terms, self.cache, builder=builder)
        return Reader(readings, paths or ("specs",), others)

    def read(self, reader: Reader | None = None) -> Source:
        """Fetch main and read it."""
        refs = self.repository.refs("refs/heads/main")
        self.repository.fetch(refs)
        return (reader or self.reader()).read(refs["refs/heads/main"])


def codes(source: Source) -> list[tuple[str, str]]:
    """Give file and code of every problem."""
    return [(problem.file, problem.code) for problem in source.problems]


def warned(source: Source) -> list[tuple[str, str]]:
    """Give file and code of every warning."""
    return [(warning.file, warning.code) for warning in source.warnings]
