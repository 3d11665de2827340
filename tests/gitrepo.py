"""Bare repositories in words, for tests: what other people do with git while we look on.

Everything happens in the bare repository itself, by plumbing, with a fixed author and fixed dates:
equal input gives equal commit ids. `branch` is a short name (`main`), everywhere.
"""

import os
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

_ENVIRONMENT = {
    "PATH": os.environ["PATH"],
    "HOME": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "LC_ALL": "C",
} | {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "Ada"), ("EMAIL", "ada@example.test"), ("DATE", "1700000000 +0000"))
}


def git(bare: Path, *arguments: str, stdin: bytes | None = None, index: Path | None = None) -> str:
    """Run git in `bare` and give what it prints; a failure is a failure of the test."""
    return _run(bare, list(arguments), stdin, index).rstrip("\n")


def _run(bare: Path, arguments: list[str], stdin: bytes | None = None, index: Path | None = None) -> str:
    environment = _ENVIRONMENT | ({"GIT_INDEX_FILE": str(index)} if index else {})
    command = ["git", "-C", str(bare), *arguments]
    done = subprocess.run(command, input=stdin, capture_output=True, env=environment, check=False)
    if done.returncode:
        raise AssertionError(f"git {' '.join(arguments)}: {done.stdout.decode()}{done.stderr.decode()}")
    return done.stdout.decode()


def make_bare(path: Path) -> Path:
    """Make an empty bare repository that takes pushes, also over HTTP."""
    path.mkdir(parents=True)
    git(path, "init", "--quiet", "--bare", "--initial-branch=main")
    git(path, "config", "http.receivepack", "true")
    return path


def head(bare: Path, branch: str = "main") -> str | None:
    """Give the commit that the branch is at, None when there is no such branch."""
    return git(bare, "for-each-ref", "--format=%(objectname)", f"refs/heads/{branch}") or None


def commit_files(
    bare: Path, branch: str, files: Mapping[str, str | bytes | None], message: str = "change"
) -> str:
    """Commit `files` (path → content, None: removed) on top of the branch, which may be new."""
    parent = head(bare, branch)
    with tempfile.TemporaryDirectory() as folder:
        index = Path(folder) / "index"
        if parent:
            git(bare, "read-tree", parent, index=index)
        lines = [_index_line(bare, path, content) for path, content in files.items()]
        git(bare, "update-index", "-z", "--index-info", stdin=b"".join(lines), index=index)
        tree = git(bare, "write-tree", index=index)
    return _advance(bare, branch, tree, [parent] if parent else [], message)


def _index_line(bare: Path, path: str, content: str | bytes | None) -> bytes:
    if content is None:
        return f"0 {'0' * 40}\t{path}\0".encode()
    data = content.encode() if isinstance(content, str) else content
    return f"100644 {git(bare, 'hash-object', '-w', '--stdin', stdin=data)}\t{path}\0".encode()


def merge(bare: Path, branch: str, other: str, message: str = "merge") -> str:
    """Merge `other` into `branch` with a merge commit; a conflict fails the test."""
    return _advance(
        bare, branch, _merged(bare, branch, other), [_at(bare, branch), _at(bare, other)], message
    )


def squash(bare: Path, branch: str, other: str, message: str = "squash") -> str:
    """Put the changes of `other` on `branch` as one ordinary commit; a conflict fails the test."""
    return _advance(bare, branch, _merged(bare, branch, other), [_at(bare, branch)], message)


def conflicts(bare: Path, branch: str, other: str) -> bool:
    """Say whether merging `other` into `branch` would conflict."""
    try:
        _merged(bare, branch, other)
    except AssertionError:
        return True
    return False


def point(bare: Path, branch: str, commit: str | None) -> None:
    """Set the branch to `commit`, whatever it was at (a force push); None deletes it."""
    git(
        bare,
        "update-ref",
        *(["-d", f"refs/heads/{branch}"] if commit is None else [f"refs/heads/{branch}", commit]),
    )


def read(bare: Path, branch: str, path: str) -> str:
    """Give the text of a file on the branch, exactly; a missing file fails the test."""
    return _run(bare, ["cat-file", "blob", f"refs/heads/{branch}:{path}"])


def paths(bare: Path, branch: str = "main") -> list[str]:
    """List the files of the branch."""
    listed = git(bare, "ls-tree", "-r", "-z", "--name-only", f"refs/heads/{branch}")
    return [path for path in listed.split("\0") if path]


def commits(bare: Path, branch: str = "main") -> list[str]:
    """List the commits of the branch, newest first."""
    return git(bare, "rev-list", f"refs/heads/{branch}").split()


def branches(bare: Path) -> dict[str, str]:
    """Give every branch, short name → commit."""
    listed = git(bare, "for-each-ref", "--format=%(refname) %(objectname)", "refs/heads")
    return {
        name.removeprefix("refs/heads/"): oid for name, oid in (line.split() for line in listed.splitlines())
    }


def install_hook(bare: Path, name: str, script: str) -> None:
    """Install a server-side hook (`pre-receive`, `update`); `script` is the body of a sh script."""
    hook = bare / "hooks" / name
    hook.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    hook.chmod(0o755)


def _at(bare: Path, branch: str) -> str:
    return git(bare, "rev-parse", "--verify", f"refs/heads/{branch}^{{commit}}")


def _merged(bare: Path, branch: str, other: str) -> str:
    return git(bare, "merge-tree", "--write-tree", _at(bare, branch), _at(bare, other))


def _advance(bare: Path, branch: str, tree: str, parents: list[str], message: str) -> str:
    onto = [word for parent in parents for word in ("-p", parent)]
    commit = git(bare, "commit-tree", tree, *onto, "-m", message)
    git(bare, "update-ref", f"refs/heads/{branch}", commit)
    return commit
