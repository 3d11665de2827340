"""Several at once, and one that dies: nothing is lost and nothing is left in the way."""

import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from gitops_rollout.adapters.git import GitRepository, open_repository
from gitops_rollout.adapters.remote import Remote
from gitops_rollout.errors import PushRejected
from gitops_rollout.ports import NewCommit, RefUpdate
from tests import gitrepo
from tests.adapters.conftest import BOT, Open

MAIN = "refs/heads/main"
WRITER = """
import sys
from pathlib import Path
from tests.adapters.test_races import add, open_repository, BOT, Remote
repository = open_repository(Remote(sys.argv[1]), Path(sys.argv[2]), BOT)
for number in range(1000):
    add(repository, f"{sys.argv[3]}/{number}")
    print(number, flush=True)
"""


def add(repository: GitRepository, path: str) -> None:
    """Add one file to main, on whatever head there is, for as long as others are faster."""
    while True:
        refs = repository.refs(MAIN)
        repository.fetch(refs)
        head = refs.get(MAIN)
        commit = repository.write(NewCommit((head,) if head else (), {path: b"x\n"}, path, 1))
        try:
            return repository.push([RefUpdate(MAIN, head, commit)])
        except PushRejected:
            continue


def write_many(remote: Remote, clone: Path) -> None:
    repository = open_repository(remote, clone, BOT)
    for number in range(6):
        add(repository, f"{clone.name}/{number}")
    repository.close()


@contextmanager
def dying_writer(bare: Path, clone: Path, name: str, after: int) -> Iterator[None]:
    """Run a writer in a process of its own and kill it while it works on its file number `after`."""
    command = [sys.executable, "-c", WRITER, str(bare), str(clone), name]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as writer:
        assert writer.stdout is not None
        for _ in range(after):
            writer.stdout.readline()
        writer.kill()
        yield


def test_two_writers_lose_no_commit(remote: Remote, bare: Path, tmp_path: Path) -> None:
    clones = [tmp_path / name for name in ("one", "two")]
    with ThreadPoolExecutor() as both:
        list(both.map(write_many, [remote, remote], clones))
    assert gitrepo.paths(bare) == [f"{clone.name}/{number}" for clone in clones for number in range(6)]
    assert len(gitrepo.commits(bare)) == 12


@pytest.mark.parametrize("after", [1, 2, 3, 5])
def test_a_writer_that_is_killed_leaves_nothing_in_the_way(
    opened: Open, bare: Path, tmp_path: Path, after: int
) -> None:
    with dying_writer(bare, tmp_path / "clone", "victim", after):
        pass
    add(opened(Remote(str(bare))), "heir/0")
    paths = gitrepo.paths(bare)
    assert "heir/0" in paths
    assert {f"victim/{number}" for number in range(after)} <= set(paths)


def test_refs_that_are_created_at_once_are_created_once(bare: Path, tmp_path: Path) -> None:
    with ExitStack() as stack, ThreadPoolExecutor() as both:
        repositories = [open_repository(Remote(str(bare)), tmp_path / name, BOT) for name in ("one", "two")]
        for repository in repositories:
            stack.callback(repository.close)
        created = list(both.map(create_gates, repositories, ("one", "two")))
    assert len(created[0]) + len(created[1]) == 10
    assert gitrepo.branches(bare) == created[0] | created[1]


def create_gates(repository: GitRepository, name: str) -> dict[str, str]:
    """Try to create ten gates and give those that became ours."""
    commit = repository.write(NewCommit((), {"a": name.encode()}, name, 1))
    ours = {}
    for number in range(10):
        try:
            repository.push([RefUpdate(f"refs/heads/gate/{number}", None, commit)])
        except PushRejected:
            continue
        ours[f"gate/{number}"] = commit
    return ours
