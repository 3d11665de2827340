"""Neither the caller's environment nor what a remote holds changes what git does here."""

from pathlib import Path

import pytest

from gitops_rollout.adapters.remote import Remote
from gitops_rollout.ports import NewCommit, RefUpdate
from tests import gitrepo
from tests.adapters.conftest import Open

MAIN = "refs/heads/main"


def test_variables_of_the_caller_do_not_reach_git(
    opened: Open, bare: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    head = gitrepo.commit_files(bare, "main", {"a": "1\n"})
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / ".gitconfig").write_text(f'[url "/nowhere"]\n\tinsteadOf = {bare}\n')
    hostile = {
        "HOME": str(tmp_path / "home"),
        "GIT_DIR": "/nowhere",
        "GIT_OBJECT_DIRECTORY": "/nowhere",
        "GIT_INDEX_FILE": "/nowhere",
        "GIT_CONFIG_GLOBAL": str(tmp_path / "home" / ".gitconfig"),
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "url./nowhere.insteadOf",
        "GIT_CONFIG_VALUE_0": str(bare),
        "GIT_CONFIG_PARAMETERS": "'core.bare=false'",
        "GIT_ALLOW_PROTOCOL": "none",
        "GIT_TRACE": str(tmp_path / "trace"),
        "GIT_AUTHOR_DATE": "2001-01-01T00:00:00Z",
    }
    for name, value in hostile.items():
        monkeypatch.setenv(name, value)
    repository = opened(Remote(str(bare)))
    assert repository.refs() == {MAIN: head}
    repository.fetch({MAIN: head})
    assert repository.read(head, "a") == b"1\n"
    assert repository.info(repository.write(NewCommit((), {"a": b"2"}, "x", 5))).committed == 5
    assert not (tmp_path / "trace").exists()


def test_a_server_on_the_same_machine_sees_nothing_of_our_environment(
    opened: Open, bare: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOKEN_OF_SOMEBODY", "t0k3n")
    gitrepo.install_hook(bare, "pre-receive", "env > seen")
    repository = opened(Remote(str(bare)))
    repository.push([RefUpdate(MAIN, None, repository.write(NewCommit((), {"a": b"1"}, "x", 1)))])
    assert "TOKEN_OF_SOMEBODY" not in (bare / "seen").read_text()
    assert "PATH=" in (bare / "seen").read_text()


def test_what_a_remote_holds_is_never_run(opened: Open, bare: Path, tmp_path: Path) -> None:
    witness = tmp_path / "was-run"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {witness}\nexec cat\n")
    program.chmod(0o755)
    for hook in ("pre-push", "post-checkout", "post-merge"):
        gitrepo.install_hook(bare, hook, f"touch {witness}-by-a-hook")
    gitrepo.git(bare, "config", "uploadpack.packObjectsHook", str(program))
    gitrepo.git(bare, "config", "core.fsmonitor", str(program))
    gitrepo.git(bare, "config", "filter.evil.smudge", str(program))
    head = gitrepo.commit_files(
        bare,
        "main",
        {
            ".gitattributes": "* filter=evil diff=evil\n",
            "a": "1\n",
            "hooks/pre-push": f"#!/bin/sh\n{program}\n",
        },
    )
    repository = opened(Remote(str(bare)))
    repository.fetch({MAIN: head})
    assert repository.read(head, "a") == b"1\n"
    commit = repository.write(NewCommit((head,), {"a": b"2\n"}, "x", 1))
    repository.push([RefUpdate(MAIN, head, commit)])
    assert repository.changed_on_first_parent(commit, "a", 5) == (commit, head)
    assert not list(tmp_path.glob("was-run*"))


def test_the_clone_holds_no_settings_hooks_or_index(opened: Open, bare: Path, tmp_path: Path) -> None:
    head = gitrepo.commit_files(bare, "main", {"a": "1\n"})
    repository = opened(Remote(str(bare)))
    repository.fetch({MAIN: head})
    repository.push([RefUpdate("refs/heads/gate", None, repository.write(NewCommit((head,), {}, "x", 1)))])
    assert {path.name for path in (tmp_path / "clone").iterdir()} == {"HEAD", "config", "objects", "refs"}
