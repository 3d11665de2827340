"""The clone is disposable: whatever happens to it, the next call or the next pass is as good as new."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from gitops_rollout.adapters.git import GitRepository
from gitops_rollout.adapters.remote import Remote
from gitops_rollout.errors import CloneDamaged
from gitops_rollout.ports import NewCommit, RefUpdate
from tests import gitrepo
from tests.adapters.conftest import Open

MAIN = "refs/heads/main"
FILES: dict[str, str | bytes | None] = {
    f"{folder}/{n}.yaml": f"{folder}{n}\n" * 9 for folder in "ab" for n in range(9)
}


def packs_gone(clone: Path) -> None:
    for path in (clone / "objects" / "pack").iterdir():
        path.unlink()


def packs_truncated(clone: Path) -> None:
    for path in (clone / "objects" / "pack").glob("*.pack"):
        _overwrite(path, path.read_bytes()[: path.stat().st_size // 2])


def packs_of_garbage(clone: Path) -> None:
    for path in (clone / "objects" / "pack").glob("*.pack"):
        _overwrite(path, path.read_bytes()[:12] + b"\xaa" * (path.stat().st_size - 12))


def indexes_of_garbage(clone: Path) -> None:
    for path in (clone / "objects" / "pack").glob("*.idx"):
        _overwrite(path, b"\0" * 64)


def loose_objects_emptied(clone: Path) -> None:
    _unpack(clone)
    for path in (clone / "objects").glob("??/*"):
        _overwrite(path, b"")


def half_the_objects_gone(clone: Path) -> None:
    _unpack(clone)
    for path in sorted((clone / "objects").glob("??/*"))[::2]:
        path.unlink()


def objects_gone(clone: Path) -> None:
    shutil.rmtree(clone / "objects")


def head_gone(clone: Path) -> None:
    (clone / "HEAD").unlink()


def head_of_garbage(clone: Path) -> None:
    (clone / "HEAD").write_bytes(b"\0\xff")


def settings_of_garbage(clone: Path) -> None:
    (clone / "config").write_text("[[[")


def settings_of_somebody_else(clone: Path) -> None:
    (clone / "config").write_text('[core]\n\tbare = true\n[url "/nowhere/"]\n\tinsteadOf = /\n')


def refs_of_garbage(clone: Path) -> None:
    for path in (clone / "refs" / "remote").iterdir():
        path.write_bytes(b"garbage\n")


def packed_refs_of_garbage(clone: Path) -> None:
    (clone / "packed-refs").write_text("garbage\n")


def refs_are_a_file(clone: Path) -> None:
    shutil.rmtree(clone / "refs")
    (clone / "refs").write_text("")


def stale_locks(clone: Path) -> None:
    for path in [*(clone / "refs" / "remote").iterdir(), clone / "packed-refs", clone / "config"]:
        path.with_name(path.name + ".lock").touch()


def borrowed_objects(clone: Path) -> None:
    (clone / "objects" / "info" / "alternates").write_text("/nowhere\n")


def a_file_in_its_place(clone: Path) -> None:
    shutil.rmtree(clone)
    clone.write_text("not a folder")


def gone(clone: Path) -> None:
    shutil.rmtree(clone)


DAMAGE: list[Callable[[Path], None]] = [
    packs_gone, packs_truncated, packs_of_garbage, indexes_of_garbage, loose_objects_emptied,
    half_the_objects_gone, objects_gone, head_gone, head_of_garbage, settings_of_garbage,
    settings_of_somebody_else, refs_of_garbage, packed_refs_of_garbage, refs_are_a_file, stale_locks,
    borrowed_objects, a_file_in_its_place, gone,
]  # fmt: skip
every_damage = pytest.mark.parametrize("damage", DAMAGE, ids=lambda damage: damage.__name__)


def _overwrite(path: Path, content: bytes) -> None:
    path.unlink()  # a new file, as after a crash: what is mapped into a process stays as it was
    path.write_bytes(content)


def _unpack(clone: Path) -> None:
    for pack in (clone / "objects" / "pack").glob("*.pack"):
        content = pack.read_bytes()
        for path in pack.parent.glob(pack.stem + ".*"):
            path.unlink()
        subprocess.run(["git", "--git-dir", str(clone), "unpack-objects", "-q"], input=content, check=True)


def one_pass(repository: GitRepository, number: int) -> str:
    """Read everything, add a file, publish: what a pass does."""
    refs = repository.refs(MAIN)
    repository.fetch(refs)
    read = {entry.path: repository.blob(entry.oid) for entry in repository.walk(refs[MAIN])}
    assert {path: read[path] for path in FILES} == {path: str(text).encode() for path, text in FILES.items()}
    commit = repository.write(NewCommit((refs[MAIN],), {f"new/{number}": b"x"}, f"{number}", number))
    repository.push([RefUpdate(MAIN, refs[MAIN], commit)])
    return commit


@every_damage
def test_a_clone_that_was_damaged_between_two_runs_heals(
    opened: Open, bare: Path, tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    gitrepo.commit_files(bare, "main", FILES)
    first = opened(Remote(str(bare)))
    one_pass(first, 1)
    first.close()
    damage(tmp_path / "clone")
    assert one_pass(opened(Remote(str(bare))), 2) == gitrepo.head(bare)
    assert len(gitrepo.paths(bare)) == len(FILES) + 2


@every_damage
def test_a_clone_that_is_damaged_while_open_heals_within_one_more_pass(
    opened: Open, bare: Path, tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    gitrepo.commit_files(bare, "main", FILES)
    repository = opened(Remote(str(bare)))
    one_pass(repository, 1)
    damage(tmp_path / "clone")
    try:
        last = one_pass(repository, 2)
    except CloneDamaged:
        last = one_pass(repository, 3)
    assert last == gitrepo.head(bare)
    assert len(gitrepo.paths(bare)) == len(FILES) + 2


@every_damage
def test_what_was_fetched_is_read_from_a_clone_that_was_damaged_since(
    opened: Open, bare: Path, tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    head = gitrepo.commit_files(bare, "main", FILES)
    repository = opened(Remote(str(bare)))
    repository.fetch({MAIN: head})
    damage(tmp_path / "clone")
    assert repository.read(head, "a/3.yaml") == b"a3\n" * 9
    assert len(list(repository.walk(head))) == len(FILES)
    assert repository.changed_on_first_parent(head, "b", 5) == (head,)


def test_a_commit_that_was_lost_before_it_was_pushed_is_said_to_be_lost(
    opened: Open, bare: Path, tmp_path: Path
) -> None:
    head = gitrepo.commit_files(bare, "main", FILES)
    repository = opened(Remote(str(bare)))
    repository.fetch({MAIN: head})
    commit = repository.write(NewCommit((head,), {"a/3.yaml": b"new\n"}, "x", 1))
    shutil.rmtree(tmp_path / "clone")
    with pytest.raises(CloneDamaged, match="lost"):
        repository.push([RefUpdate(MAIN, head, commit)])
    assert gitrepo.head(bare) == head


def test_what_was_never_fetched_is_not_made_up(opened: Open, bare: Path) -> None:
    head = gitrepo.commit_files(bare, "main", FILES)
    with pytest.raises(CloneDamaged):
        opened(Remote(str(bare))).read(head, "a/3.yaml")
