"""The versions of one workload's folder along the first-parent line of the output branch."""

from collections.abc import Iterator
from dataclasses import dataclass

from gitops_rollout.api.values import Object, mapping
from gitops_rollout.api.workload import WorkloadKey
from gitops_rollout.documents.load import lone
from gitops_rollout.kinds.protocol import Kind
from gitops_rollout.output.obstacles import obstacle
from gitops_rollout.ports import Entry, Repository
from gitops_rollout.render.workload import paths, workload_path
from gitops_rollout.rollout import file as rollout_file
from gitops_rollout.rollout.file import NAME
from gitops_rollout.rollout.state import RolloutFile

MOST = 200
"""How many versions are looked at: far more than a rollout has, and a bound for a strange history."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a workload stands in the output."""

    repository: Repository
    root: str
    key: WorkloadKey
    kind: Kind

    @property
    def folder(self) -> str:
        """Give the folder's path in the repository."""
        return "/".join(part for part in (self.root, self.key.namespace, self.key.name) if part)

    def files(self, commit: str) -> dict[str, bytes]:
        """Read every file of the folder at a commit, by path relative to the folder."""
        start = len(self.folder) + 1
        return {
            entry.path[start:]: self.repository.blob(entry.oid) for entry in self._below(commit, self.folder)
        }

    def _below(self, commit: str, path: str) -> Iterator[Entry]:
        # Level by level through the reader that is open anyway: no process is started for a folder.
        for entry in self.repository.folder(commit, path):
            if entry.is_folder:
                yield from self._below(commit, entry.path)
            elif entry.mode in {"100644", "100755"}:
                yield entry

    def obstacle(self, commit: str) -> str | None:
        """Name what people have where a file of ours must be written, None where nothing is."""
        deepest = obstacle(self.repository, commit, f"{self.folder}/capacity/revisions/any")
        if deepest is not None:
            return deepest
        traffic = obstacle(self.repository, commit, f"{self.folder}/traffic/any")
        if traffic is not None:
            return traffic
        files = (NAME, "capacity/kustomization.yaml", f"capacity/{self.kind.filename}")
        places = (f"{self.folder}/{file}" for file in files)
        return next((place for place in places if self.repository.folder(commit, place)), None)

    def version(self, commit: str) -> "Version":
        """Read the folder at a commit; a rollout file that cannot be used is no error here."""
        files = self.files(commit)
        try:
            file = rollout_file.read(self.key, files)
        except rollout_file.BadRolloutFile as error:
            newer = isinstance(error, rollout_file.NewerRolloutFile)
            shows = workload_path(self.kind, self.key, self.key.name)
            return Version(commit, files, None, str(error), shows, newer)
        ours = {path: files[path] for path in paths(self.kind, self.key, file.state) if path in files}
        file = RolloutFile(file.key, file.fence, file.approved, file.state, file.seal, ours)
        candidate = file.state.graph(file.state.candidate)
        name = candidate.name if candidate is not None else self.key.name
        return Version(commit, ours, file, "", workload_path(self.kind, self.key, name))

    def objects(self, commit: str) -> Iterator[Object]:
        """Give the objects of this kind that stand in the folder, whoever put them there."""
        stem = f"{self.folder}/capacity/{self.kind.filename.partition('.')[0]}"
        for entry in self._below(commit, f"{self.folder}/capacity"):
            found = _object(self.repository.blob(entry.oid)) if entry.path.startswith(stem) else None
            if found is not None and found.get("kind") == self.key.kind:
                yield found

    def versions(self, head: str) -> Iterator["Version"]:
        """Give the versions of the folder, newest first."""
        for commit in self.repository.changed_on_first_parent(head, self.folder, MOST):
            yield self.version(commit)


@dataclass(frozen=True, slots=True)
class Version:
    """One version; `file` is None where the rollout file cannot be used, and `why` says so."""

    commit: str
    files: dict[str, bytes]
    file: RolloutFile | None
    why: str
    shows: str
    """The file of the candidate's object, which may be that of the whole workload."""
    newer: bool = False
    """A later version of this program wrote it: it is sound, and not for us to touch."""

    @property
    def sound(self) -> bool:
        """Say whether the folder is exactly what its fence names."""
        return (
            self.file is not None
            and self.file.fence.seq == self.file.state.seq
            and self.file.fence.digest == rollout_file.folder_digest(self.files)
        )

    @property
    def shown(self) -> Object | None:
        """Give the object that this version shows of a candidate, None where there is none to read."""
        return _object(self.files.get(self.shows, b""))


def _object(raw: bytes) -> Object | None:
    value = lone(raw)
    return mapping(value) if value is not None else None
