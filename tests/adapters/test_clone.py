"""The clone's folder: who may have it, and that it stays small."""

import threading
from dataclasses import replace
from pathlib import Path

import pytest

from gitops_rollout.adapters.git import GitRepository, open_repository
from gitops_rollout.adapters.remote import Remote
from gitops_rollout.errors import BadSettings, CloneDamaged, Transient
from gitops_rollout.ports import NewCommit, RefUpdate
from tests import gitrepo
from tests.adapters.conftest import BOT, Open

MAIN = "refs/heads/main"


def test_a_clone_belongs_to_one_at_a_time(opened: Open, bare: Path) -> None:
    hasty = Remote(str(bare), timeout_seconds=0.2)
    first = opened(hasty)
    with pytest.raises(Transient, match="in use"):
        opened(hasty)
    first.close()
    assert opened(hasty).refs() == {}


def test_who_waits_for_a_clone_gets_it_when_it_is_free(opened: Open, bare: Path) -> None:
    first = opened(Remote(str(bare)))
    closing = threading.Timer(0.2, first.close)
    closing.start()
    assert opened(replace(Remote(str(bare)), timeout_seconds=20)).refs() == {}
    closing.join()


def test_a_folder_with_other_files_is_not_thrown_away(opened: Open, bare: Path, tmp_path: Path) -> None:
    (tmp_path / "clone").mkdir()
    (tmp_path / "clone" / "thesis.txt").write_text("years of work")
    with pytest.raises(BadSettings, match="other files"):
        opened(Remote(str(bare)))
    assert (tmp_path / "clone" / "thesis.txt").read_text() == "years of work"


def test_a_folder_that_cannot_be_written_is_no_bug(bare: Path) -> None:
    with pytest.raises(CloneDamaged):
        open_repository(Remote(str(bare)), Path("/proc/clone"), BOT)


def test_many_passes_leave_few_packs(local: GitRepository, tmp_path: Path) -> None:
    head, first = None, None
    for number in range(60):
        changes = {f"file-{number}": b"%d" % number}
        commit = local.write(NewCommit((head,) if head else (), changes, "x", number))
        local.push([RefUpdate(MAIN, head, commit)])
        local.fetch({MAIN: commit})
        head, first = commit, first or commit
    assert len(list((tmp_path / "clone" / "objects" / "pack").glob("*.pack"))) < 20
    assert head is not None
    assert first is not None
    assert len(list(local.walk(head))) == 60
    assert local.is_ancestor(first, head)


def test_refs_that_cannot_stand_beside_each_other_in_one_folder_are_fetched_one_after_the_other(
    local: GitRepository, bare: Path
) -> None:
    gitrepo.commit_files(bare, "gate", {"a": "1\n"})
    local.fetch(local.refs())
    gitrepo.point(bare, "gate", None)
    below = gitrepo.commit_files(bare, "gate/below", {"a": "2\n"})
    local.fetch(local.refs())
    assert local.read(below, "a") == b"2\n"


def test_an_annotated_tag_is_the_commit_it_names(local: GitRepository, bare: Path) -> None:
    head = gitrepo.commit_files(bare, "main", {"a": "1\n"})
    gitrepo.git(bare, "tag", "-a", "-m", "release", "v1", head)
    assert local.refs("refs/tags/*") == {"refs/tags/v1": head}
    local.fetch(local.refs("refs/tags/*"))
    assert local.read(head, "a") == b"1\n"


def test_a_repository_with_longer_ids_is_refused_by_name(opened: Open, tmp_path: Path) -> None:
    (tmp_path / "long").mkdir()
    gitrepo.git(tmp_path / "long", "init", "--quiet", "--bare", "--object-format=sha256")
    gitrepo.commit_files(tmp_path / "long", "main", {"a": "1\n"})
    with pytest.raises(BadSettings, match="SHA-256"):
        opened(Remote(str(tmp_path / "long"))).refs()


def test_a_server_without_atomic_pushes_gets_one_push_per_ref(local: GitRepository, bare: Path) -> None:
    gitrepo.git(bare, "config", "receive.advertiseAtomic", "false")
    commit = local.write(NewCommit((), {"a": b"1\n"}, "x", 1))
    local.push([RefUpdate(MAIN, None, commit), RefUpdate("refs/heads/gate", None, commit)])
    assert gitrepo.branches(bare) == {"main": commit, "gate": commit}
