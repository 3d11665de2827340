"""Objects as they stand in the output, read once for each content."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

from gitops_rollout.api.values import Json, Object, at, mapping, sequence, text
from gitops_rollout.documents.load import lone
from gitops_rollout.render.marks import PROTECTED
from gitops_rollout.revision.record import OURS
from gitops_rollout.rollout.router_fence import BODY

Name: TypeAlias = tuple[str, str]
"""Kind and name: everything of one workload stands in one namespace, but for grants."""


@dataclass(frozen=True, eq=False)
class Manifest:
    """One object; it is known by its bytes, so two of the same bytes are one."""

    raw: bytes
    value: Object

    @cached_property
    def name(self) -> Name:
        """Give its kind and name."""
        return text(self.value.get("kind")), text(at(self.value, "metadata", "name"))

    @cached_property
    def annotations(self) -> Object:
        return mapping(at(self.value, "metadata", "annotations"))

    @cached_property
    def labels(self) -> Object:
        return mapping(at(self.value, "metadata", "labels"))

    @cached_property
    def seq(self) -> int | None:
        """Give the number of the commit that last changed it (R1), None where it carries none."""
        written = text(self.annotations.get(f"{OURS}/seq"))
        return int(written) if written.isdigit() else None

    @cached_property
    def revision(self) -> str:
        """Give the revision that a pool is of."""
        return text(self.labels.get(f"{OURS}/revision"))

    @cached_property
    def selector(self) -> Mapping[str, Json]:
        """Give the labels of the pods that a pool or a Service sends to."""
        chosen = at(self.value, "spec", "selector")
        return mapping(at(chosen, "matchLabels")) or mapping(chosen)

    @cached_property
    def references(self) -> frozenset[Name]:
        """Name the backends that a route names."""
        rules = [mapping(one) for one in sequence(at(self.value, "spec", "rules"))]
        refs = [mapping(ref) for rule in rules for ref in sequence(rule.get("backendRefs"))]
        return frozenset((text(ref.get("kind")) or "Service", text(ref.get("name"))) for ref in refs)

    def is_protected(self, mark: str) -> bool:
        """Say whether the consumer that reads `mark` must not prune it (R6)."""
        written = text(self.annotations.get(mark))
        return "Prune=false" in written or written == "disabled"


ARGO, FLUX = PROTECTED


_NO_OBJECTS = ("/kustomization.yaml", f"/{BODY}")


@dataclass
class Library:
    """Gives the object of each content; what cannot be read is no object."""

    known: dict[bytes, Manifest | None] = field(default_factory=dict)

    def read(self, raw: bytes | None) -> Manifest | None:
        """Read one document."""
        if raw is None:
            return None
        if raw not in self.known:
            self.known[raw] = _read(raw)
        return self.known[raw]

    def below(self, files: Mapping[str, bytes], folder: str) -> dict[Name, Manifest]:
        """Give the objects that stand in a folder, by name; the list of them is none."""
        found: dict[Name, Manifest] = {}
        for path in sorted(files):
            if path.startswith(f"{folder}/") and not path.endswith(_NO_OBJECTS):
                manifest = self.read(files[path])
                if manifest is not None:
                    found[manifest.name] = manifest
        return found


def _read(raw: bytes) -> Manifest | None:
    value = lone(raw)
    return Manifest(raw, mapping(value)) if value is not None else None
