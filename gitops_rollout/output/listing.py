"""What the output branch holds below the root: workloads, other objects, aggregates."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from gitops_rollout.api.values import at, text
from gitops_rollout.api.workload import WorkloadKey
from gitops_rollout.documents.load import Limits, Unreadable, load
from gitops_rollout.output.obstacles import obstacle
from gitops_rollout.ports import Entry, Repository
from gitops_rollout.render.root import CLUSTER, OTHERS, Listing, listed
from gitops_rollout.rollout.file import NAME

AGGREGATES = (
    "kustomization.yaml",
    "_capacity/kustomization.yaml",
    "_traffic/kustomization.yaml",
    ".gitattributes",
)


@dataclass(frozen=True, slots=True)
class Output:
    """The output at one head; `folders` maps each folder where a workload may stand to its tree's id."""

    repository: Repository
    head: str | None
    root: str
    folders: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """(namespace, name) → tree id. Whether it holds a rollout file is seen when it is looked at."""

    def path(self, *parts: str) -> str:
        """Give a path below the root."""
        return "/".join(part for part in (self.root, *parts) if part)

    def tree(self, key: WorkloadKey) -> str | None:
        """Give the tree id of a workload's folder, None when there is no such folder."""
        return self.folders.get((key.namespace, key.name))

    def applies(self, namespace: str, name: str, half: str = "capacity") -> bool:
        """Say whether a workload's folder holds what an aggregate of this half can refer to."""
        needed = (NAME, f"{half}/kustomization.yaml")
        return all(self.holds(namespace, name, path) for path in needed)

    def holds(self, namespace: str, name: str, path: str) -> bool:
        """Say whether something stands at `path` of a workload's folder."""
        return self.head is not None and bool(
            self.repository.tree(self.head, self.path(namespace, name, path))
        )

    def obstacle(self, path: str) -> str | None:
        """Name what people have where the file `path`, below the root, belongs; None where nothing is."""
        return obstacle(self.repository, self.head, self.path(path)) if self.head else None

    def listing(self, folder: str) -> Listing:
        """Read one folder of other objects."""
        if self.head is None:
            return Listing(None, {})
        path = self.path(folder)
        files = {
            name: self.repository.blob(entry.oid)
            for entry in self.repository.folder(self.head, path)
            if not entry.is_folder and (name := entry.path.removeprefix(f"{path}/"))
        }
        return Listing(files.pop("kustomization.yaml", None), files)

    def other_folders(self) -> list[str]:
        """Name the folders of other objects."""
        if self.head is None:
            return []
        names = [f"{one}/{OTHERS}" for one in self._namespaces(self.head)]
        return [name for name in [*names, CLUSTER] if self.repository.tree(self.head, self.path(name))]

    def routed(self) -> frozenset[tuple[str, str]]:
        """Give the (namespace, name) of the workloads that the aggregate of routes lists."""
        path = self.path("_traffic", "kustomization.yaml")
        raw = self.repository.read(self.head, path) if self.head else None
        parts = (one.split("/") for one in listed(raw))
        return frozenset((part[1], part[2]) for part in parts if len(part) == 4)

    def aggregates(self) -> dict[str, bytes | None]:
        """Read the files that join everything; where one cannot be written, it is left out."""
        free = [name for name in AGGREGATES if self.obstacle(name) is None]
        if self.head is None:
            return dict.fromkeys(free)
        return {name: self.repository.read(self.head, self.path(name)) for name in free}

    def _namespaces(self, head: str) -> Iterator[str]:
        return (_last(entry) for entry in _folders(self.repository.folder(head, self.root)))


def read_output(repository: Repository, head: str | None, root: str) -> Output:
    """List the workloads of a head; one tree object a namespace is read, and no file."""
    if head is None:
        return Output(repository, None, root)
    found = {
        (_last(namespace), _last(workload)): workload.oid
        for namespace in _folders(repository.folder(head, root))
        for workload in _folders(repository.folder(head, namespace.path))
    }
    return Output(repository, head, root, found)


def kind_of(output: Output, namespace: str, name: str) -> str | None:
    """Read of which kind a recorded workload is: "" when its rollout file does not tell, None without one."""
    raw = output.repository.read(output.head, output.path(namespace, name, NAME)) if output.head else None
    if raw is None:
        return None
    try:
        documents = load(raw, Limits())
    except Unreadable:
        return ""
    return text(at(documents[0].value, "state", "workload", "kind")) if documents else ""


def _folders(entries: Iterable[Entry]) -> Iterator[Entry]:
    return (entry for entry in entries if entry.is_folder and not _last(entry).startswith("_"))


def _last(entry: Entry) -> str:
    return entry.path.rpartition("/")[2]
