"""Reading objects through one long-lived `git cat-file --batch`: no process is spawned per read."""

import subprocess
from collections.abc import Iterator, Sequence
from functools import lru_cache
from threading import Lock
from typing import IO, cast

from gitops_rollout.adapters.command import Finished, GitCommand, end
from gitops_rollout.errors import CloneDamaged
from gitops_rollout.ports import FOLDER, SUBMODULE, CommitInfo, Entry

_REMEMBERED = 1024  # parsed trees, and commits: what has an id never changes


class Objects:
    """The objects of one clone, by id.

    Raises CloneDamaged for what is missing, corrupt or of another kind. Threads take turns.
    """

    def __init__(self, command: GitCommand) -> None:
        self._command = command
        self._process: subprocess.Popen[bytes] | None = None
        self._turn = Lock()
        self._tree = lru_cache(_REMEMBERED)(self._read_tree)
        self.commit = lru_cache(_REMEMBERED)(self._read_commit)

    def has(self, oid: str) -> bool:
        """Say whether the object is there and can be read."""
        try:
            return self._get(oid) is not None
        except CloneDamaged:
            return False

    def blob(self, oid: str) -> bytes:
        """Give the bytes of a file."""
        return self._of_kind(oid, b"blob")

    def entry(self, commit: str, path: str) -> Entry | None:
        """Find what is at `path`, None when nothing is; the path "" is the whole tree."""
        found = Entry("", FOLDER, self.commit(commit).tree)
        for name in path.split("/") if path else ():
            if not found.is_folder:
                return None
            entry = self._tree(found.oid).get(name)
            if entry is None:
                return None
            found = Entry(f"{found.path}/{name}" if found.path else name, *entry)
        return found

    def folder(self, commit: str, path: str) -> tuple[Entry, ...]:
        """List one level of the folder at `path`; nothing where there is none."""
        at = self.entry(commit, path)
        if at is None or not at.is_folder:
            return ()
        prefix = f"{at.path}/" if at.path else ""
        return tuple(Entry(prefix + name, *entry) for name, entry in self._tree(at.oid).items())

    def walk(self, commit: str, path: str) -> Iterator[Entry]:
        """List every file below the folder at `path`, with sizes."""
        at = self.entry(commit, path)
        if at is None or not at.is_folder:
            return iter(())
        listed = on_clone(self._command, "ls-tree", "-r", "-l", "-z", "--full-tree", at.oid).output
        return parse_listing(listed, f"{at.path}/" if at.path else "")

    def read(self, commit: str, path: str) -> bytes | None:
        """Give the bytes of the file, or of the link's target, at `path`; None where there is none."""
        at = self.entry(commit, path)
        return None if at is None or at.mode in (FOLDER, SUBMODULE) else self.blob(at.oid)

    def close(self) -> None:
        """End the process; the next read starts another one."""
        with self._turn:
            self._end()

    def forget(self) -> None:
        """Close, and forget what was read: the clone is about to be another one."""
        self.close()
        self._tree.cache_clear()
        self.commit.cache_clear()

    def _read_commit(self, oid: str) -> CommitInfo:
        return parse_commit(oid, self._of_kind(oid, b"commit"))

    def _read_tree(self, oid: str) -> dict[str, tuple[str, str]]:
        return parse_tree(self._of_kind(oid, b"tree"))

    def _of_kind(self, oid: str, kind: bytes) -> bytes:
        found = self._get(oid)
        if found is None or found[0] != kind:
            raise CloneDamaged(f"the {kind.decode()} {oid} is not in the clone")
        return found[1]

    def _get(self, oid: str) -> tuple[bytes, bytes] | None:
        with self._turn:
            for _ in range(2):
                try:
                    return self._ask(oid)
                except (OSError, ValueError, IndexError):
                    # git dies on a corrupt object: its answer is empty or stops short. It may also
                    # have died before, of something else; a new process tells.
                    self._end()
        raise CloneDamaged(f"{oid} cannot be read from the clone")

    def _ask(self, oid: str) -> tuple[bytes, bytes] | None:
        if self._process is None:
            self._process = self._command.start("cat-file", "--batch")
        asked, answer = cast(IO[bytes], self._process.stdin), cast(IO[bytes], self._process.stdout)
        asked.write(oid.encode() + b"\n")
        asked.flush()
        header = answer.readline().split()
        if header[-1] == b"missing":
            return None
        kind, size = header[1], int(header[2])
        content = answer.read(size + 1)
        if len(content) != size + 1:
            raise ValueError(f"{oid} stops short")
        return kind, content[:-1]

    def _end(self) -> None:
        if self._process is not None:
            end(self._process)
            self._process = None


def on_clone(
    command: GitCommand, *arguments: str, stdin: bytes = b"", fine: Sequence[int] = (0,)
) -> Finished:
    """Run a command on the clone alone; raises CloneDamaged when it fails."""
    try:
        finished = command.run(*arguments, stdin=stdin)
    except TimeoutError as error:
        raise CloneDamaged(f"{command.git_dir}: {error}") from None
    if finished.status not in fine:
        raise CloneDamaged(f"{command.git_dir}: git {arguments[0]}: {finished.complaint.strip()[:300]}")
    return finished


def parse_tree(content: bytes) -> dict[str, tuple[str, str]]:
    """Read a tree object: name → (mode, id), in git's order."""
    entries = {}
    start = 0
    while start < len(content):
        space = content.index(b" ", start)
        null = content.index(b"\0", space)
        name = content[space + 1 : null].decode("utf-8", "surrogateescape")
        mode = content[start:space].decode("ascii").zfill(6)
        entries[name] = (mode, content[null + 1 : null + 21].hex())
        start = null + 21
    return entries


def parse_commit(oid: str, content: bytes) -> CommitInfo:
    """Read a commit object; what is not UTF-8 in it is replaced, a date that is no number is 0."""
    head, _, message = content.decode("utf-8", "replace").partition("\n\n")
    fields: dict[str, list[str]] = {}
    for line in head.split("\n"):
        name, _, value = line.partition(" ")
        fields.setdefault(name, []).append(value)
    author, _ = _signature(fields, "author")
    committer, committed = _signature(fields, "committer")
    parents = tuple(fields.get("parent", ()))
    return CommitInfo(oid, parents, fields.get("tree", [""])[0], author, committer, committed, message)


def _signature(fields: dict[str, list[str]], name: str) -> tuple[str, int]:
    who, _, when = fields.get(name, [""])[0].rpartition("> ")
    seconds = when.split(" ")[0]
    return f"{who}>", int(seconds) if seconds.lstrip("-").isdecimal() else 0


def parse_listing(listing: bytes, prefix: str) -> Iterator[Entry]:
    """Read what `git ls-tree -r -l -z` prints; the paths get `prefix` before them."""
    for line in listing.split(b"\0")[:-1]:
        facts, _, path = line.partition(b"\t")
        mode, _, oid, size = facts.decode("ascii").split()
        yield Entry(
            prefix + path.decode("utf-8", "surrogateescape"), mode, oid, None if size == "-" else int(size)
        )
