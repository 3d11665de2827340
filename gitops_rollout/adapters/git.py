"""Repository over git plumbing in a bare clone.

Resting state. The clone is bare, and no command here has a work tree or an index: a pass that dies
leaves unreachable objects behind, which git collects, and nothing that the next pass could trip
over. Its refs are named after a digest of the remote's refs, so no two of them get in each other's
way; they keep objects alive and are never read. Everything that decides is asked of the remote.

Damage. The clone is disposable. What cannot be read from it makes us throw it away, fetch again
what was fetched, and try once more. CloneDamaged is raised only where that cannot help: commits
that were written and not pushed are lost with the clone, and the pass starts again.

Freshness. `refs` asks the remote every time. Nothing else does but `fetch`, when it lacks a commit,
and `push`, which moves a ref only from exactly the commit that the caller has read.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import TypeVar

from gitops_rollout.adapters import history
from gitops_rollout.adapters.clone import Clone
from gitops_rollout.adapters.command import Finished, GitCommand
from gitops_rollout.adapters.fast_import import Identity, stream
from gitops_rollout.adapters.names import checked_oid, checked_pattern, checked_ref
from gitops_rollout.adapters.objects import Objects, on_clone
from gitops_rollout.adapters.remote import Remote
from gitops_rollout.adapters.secrets import install_askpass
from gitops_rollout.adapters.transport import Transport
from gitops_rollout.errors import CloneDamaged, PushRejected, Refused, RemoteUnavailable
from gitops_rollout.ports import CommitInfo, Entry, NewCommit, RefUpdate

T = TypeVar("T")

_LOCAL_SECONDS = 300.0  # a local command that takes longer hangs


def open_repository(remote: Remote, clone: Path, identity: Identity) -> "GitRepository":
    """Open `remote` over the folder `clone`, which is made or mended as needed.

    The folder is ours alone until `close`; next to it lie its lock and the ASKPASS program. Waits
    at most the remote's time limit for another process to let go of it, then raises CloneBusy.
    """
    folder = Clone(clone, remote.timeout_seconds)
    try:
        install_askpass(folder.beside("askpass"))
    except OSError as error:
        folder.close()
        raise CloneDamaged(f"nothing can be written beside {clone}: {error.strerror}") from error
    return GitRepository(remote, folder, identity)


class GitRepository:
    """One remote repository; see ports.Repository for what each method promises."""

    def __init__(self, remote: Remote, clone: Clone, identity: Identity) -> None:
        self._clone = clone
        self._transport = Transport(remote, str(clone.path), clone.beside("askpass"))
        self._identity = identity
        self._local = GitCommand(str(clone.path), _LOCAL_SECONDS)
        self._objects = Objects(self._local)
        self._wanted: dict[str, str] = {}  # what callers have fetched: fetched again after damage
        self._kept: dict[str, str] = {}  # what our own refs are known to hold

    def close(self) -> None:
        self._objects.close()
        self._clone.close()

    # The remote.

    def refs(self, *patterns: str) -> Mapping[str, str]:
        for pattern in patterns:
            checked_pattern(pattern)
        return self._transport.refs(*patterns)

    def fetch(self, refs: Mapping[str, str]) -> None:
        self._wanted |= {checked_ref(ref): checked_oid(commit) for ref, commit in refs.items()}
        try:
            self._bring(refs)
        except CloneDamaged:
            self._rebuild()
        gone = [ref for ref, commit in refs.items() if not self._objects.has(commit)]
        if gone:
            raise RemoteUnavailable(f"{', '.join(gone)} moved while it was read, and its commit is gone")

    def push(self, updates: Sequence[RefUpdate]) -> None:
        """Move refs on the remote, all or none, each only if it still is at `old` (or already at `new`).

        A server without atomic pushes gets one push per ref, in the given order, and the first
        refusal ends it. A hook that refuses because it lost a race looks like one that protects the
        branch: it raises BranchProtected, and a caller may read again and try a few times.
        """
        self._mended(self._clone.check)
        for update in updates:
            self._check(update)
        try:
            if updates:
                self._transport.push(updates)
        except RemoteUnavailable:
            if not self._lost(updates):
                raise
            self._rebuild()
            raise CloneDamaged("what was to be pushed was lost with the clone") from None
        for update in updates:
            if update.new is None:
                self._wanted.pop(update.ref, None)

    # The clone.

    def info(self, commit: str) -> CommitInfo:
        return self._mended(lambda: self._objects.commit(checked_oid(commit)))

    def tree(self, commit: str, path: str = "") -> str | None:
        found = self._mended(lambda: self._objects.entry(checked_oid(commit), path))
        return found.oid if found else None

    def folder(self, commit: str, path: str = "") -> tuple[Entry, ...]:
        return self._mended(lambda: self._objects.folder(checked_oid(commit), path))

    def walk(self, commit: str, path: str = "") -> Iterator[Entry]:
        return self._mended(lambda: self._objects.walk(checked_oid(commit), path))

    def blob(self, oid: str) -> bytes:
        return self._mended(lambda: self._objects.blob(checked_oid(oid)))

    def read(self, commit: str, path: str) -> bytes | None:
        return self._mended(lambda: self._objects.read(checked_oid(commit), path))

    def changed_on_first_parent(self, head: str, path: str, most: int) -> tuple[str, ...]:
        return self._mended(lambda: history.changed(self._run, checked_oid(head), path, most))

    def removed_on_first_parent(self, head: str, path: str, name: str) -> Mapping[str, str]:
        return self._mended(lambda: history.removed(self._run, checked_oid(head), path, name))

    def has(self, commit: str) -> bool:
        return self._objects.has(checked_oid(commit))

    def is_ancestor(self, old: str, new: str) -> bool:
        if checked_oid(old) == checked_oid(new) or old in self.info(new).parents:
            return True
        arguments = ("merge-base", "--is-ancestor", old, new)
        return self._mended(lambda: self._finish(*arguments, fine=(0, 1)).status == 0)

    def write(self, commit: NewCommit) -> str:
        """Write a commit into the local store and give its id; nothing is published.

        Equal input gives equal ids. Files are written as plain files (100644). Raises Refused where
        a folder stands at a file's path, or a file at a folder's, and ValueError for a path that is
        not one of a file of ours. What is not pushed within an hour may be collected.
        """
        commands = stream(commit, self._identity)
        for parent in commit.parents:
            checked_oid(parent)

        def written() -> str:
            self._guard(commit)
            return self._run("fast-import", "--quiet", "--done", stdin=commands).decode().strip()

        return self._mended(written)

    # How it is done.

    def _mended(self, action: Callable[[], T]) -> T:
        """Do `action` on the clone; if the clone is damaged, make it again and do it once more."""
        try:
            return action()
        except CloneDamaged:
            self._rebuild()
            return action()

    def _guard(self, commit: NewCommit) -> None:
        # fast-import would put a file in the place of a whole folder, whoever's it is.
        for path, content in commit.changes.items() if commit.parents else ():
            at = self._objects.entry(commit.parents[0], path)
            if at is not None and at.is_folder:
                raise Refused(f"{path} is a folder, and no file can be written or removed there")
            above = path
            while content is not None and "/" in above:
                above = above.rpartition("/")[0]
                at = self._objects.entry(commit.parents[0], above)
                if at is not None and not at.is_folder and commit.changes.get(above, b"") is not None:
                    raise Refused(f"{above} is a file, and {path} cannot be written below it")

    def _bring(self, refs: Mapping[str, str]) -> None:
        absent = {ref: commit for ref, commit in refs.items() if not self._objects.has(commit)}
        if absent:
            self._download_all(absent)
        loose = {
            ref: oid for ref, oid in refs.items() if self._kept.get(ref) != oid and self._objects.has(oid)
        }
        if loose:
            lines = "".join(f"update {_kept_as(ref)} {commit}\n" for ref, commit in loose.items())
            self._run("update-ref", "--stdin", stdin=lines.encode())
            self._kept |= loose
        if (absent or loose) and self._clone.crowded():
            self._tidy()

    def _download_all(self, absent: Mapping[str, str]) -> None:
        # By id nothing can come between; by name an old server also gives what it does not by id.
        if self._download([(commit, ref) for ref, commit in absent.items()]):
            self._kept |= absent
            return
        there = self._transport.refs(*absent)
        if there and not self._download([(ref, ref) for ref in there]):
            raise CloneDamaged(f"nothing can be fetched into {self._clone.path}")

    def _download(self, sources: Sequence[tuple[str, str]]) -> bool:
        """Fetch each source (a commit, or a ref) for a ref; say whether all of them came."""
        self._clone.check()
        return self._transport.fetch([f"+{source}:{_kept_as(ref)}" for source, ref in sources])

    def _rebuild(self) -> None:
        self._objects.forget()
        self._kept.clear()
        self._clone.reset()
        try:
            self._bring(self._wanted)
        except CloneDamaged as error:
            raise RemoteUnavailable(f"{self._transport.remote} gives nothing that can be used") from error

    def _tidy(self) -> None:
        self._objects.close()  # it holds packs that are about to go
        self._run("gc", "--quiet", "--prune=1.hour.ago")

    def _check(self, update: RefUpdate) -> None:
        checked_ref(update.ref)
        for oid in filter(None, (update.old, update.new)):
            checked_oid(oid)
        if update.new is None:
            return
        if not self._objects.has(update.new):
            raise CloneDamaged(f"the commit {update.new} was lost with the clone before it was pushed")
        if update.fast_forward and update.old and not self.is_ancestor(update.old, update.new):
            raise PushRejected(f"{update.new} does not follow {update.old}: {update.ref} would lose commits")

    def _lost(self, updates: Sequence[RefUpdate]) -> bool:
        """Say whether the clone cannot give what is to be pushed."""
        new = [update.new for update in updates if update.new]
        old = [f"^{update.old}" for update in updates if update.old]
        check = ("rev-list", "--verify-objects", "--quiet", *new, *old)
        return bool(new) and self._finish(*check, fine=range(256)).status != 0

    def _run(self, *arguments: str, stdin: bytes = b"") -> bytes:
        return self._finish(*arguments, stdin=stdin).output

    def _finish(self, *arguments: str, stdin: bytes = b"", fine: Sequence[int] = (0,)) -> Finished:
        return on_clone(self._local, *arguments, stdin=stdin, fine=fine)


def _kept_as(ref: str) -> str:
    return f"refs/remote/{sha256(ref.encode()).hexdigest()[:20]}"
