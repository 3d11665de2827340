"""One workload's folder, rendered from its state alone; what stands there is never an input (R3)."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from gitops_rollout.api.values import Json, Object, at, mapping, text
from gitops_rollout.api.workload import WorkloadKey
from gitops_rollout.documents.emit import emit
from gitops_rollout.documents.load import Limits, Unreadable, load
from gitops_rollout.kinds.protocol import Kind
from gitops_rollout.render.kustomization import kustomization
from gitops_rollout.revision.history import History
from gitops_rollout.revision.identity import data_digest
from gitops_rollout.revision.record import OURS, controller_revision
from gitops_rollout.rollout.file import fenced
from gitops_rollout.rollout.gate import Gate, everything_approved
from gitops_rollout.rollout.state import Approval, Fence, RolloutFile, State, written
from gitops_rollout.semantics.canonical import canonical_bytes

_SYNC = "argocd.argoproj.io/sync-options"
PROTECTED: Mapping[str, str] = {
    _SYNC: "Prune=false,Delete=false",
    "kustomize.toolkit.fluxcd.io/prune": "disabled",
}
"""What Argo CD and Flux must not delete by themselves (R6); see docs/argocd.md and docs/flux.md."""


@dataclass(frozen=True, slots=True)
class Folder:
    """A workload's place in the output: `before` are its files as they stand in the head."""

    key: WorkloadKey
    kind: Kind
    before: Mapping[str, bytes]


def render(folder: Folder, state: State, approved: Approval | None, history: History) -> dict[str, bytes]:
    """Give all files of the folder, by path relative to it."""
    state = replace(state, inventory=inventory(folder.key, history))
    files = _capacity(folder, state, history, state.seq)
    file = RolloutFile(folder.key, Fence(state.seq, ""), approved, state, seal="")
    return fenced(file, files)


def render_gate(folder: Folder, state: State, base: Fence, history: History, gate: Gate) -> dict[str, bytes]:
    """Give all files as the merge of `gate` leaves them: fence, approval, and for a step the workload."""
    published = state
    if gate.partition is not None:
        shown = replace(state.published, partition=written(gate.partition), step=gate.step)
        published = replace(state, candidate=state.offered, published=shown)
    fence = Fence(state.seq + 1, "")
    files = _capacity(folder, published, history, fence.seq)
    return fenced(RolloutFile(folder.key, fence, gate.approval(str(base)), state, seal=""), files)


def inventory(key: WorkloadKey, history: History) -> tuple[str, ...]:
    """Name everything that is ours, as kind/name."""
    names = [f"ControllerRevision/{name}" for name in (*(one.name(key) for one in history), *history.damaged)]
    return tuple(sorted([*names, f"{key.kind}/{key.name}"]))


def paths(kind: Kind, state: State) -> tuple[str, ...]:
    """Give the paths of our files in a folder that `state` describes; everything else is people's."""
    revisions = [name.partition("/")[2] for name in state.inventory if name.startswith("ControllerRevision/")]
    return (
        "rollout.yaml",
        "capacity/kustomization.yaml",
        f"capacity/{kind.filename}",
        *(f"capacity/revisions/{name}.yaml" for name in revisions),
    )


def _capacity(folder: Folder, state: State, history: History, seq: int) -> dict[str, bytes]:
    files = {f"capacity/{folder.kind.filename}": _workload(folder, state, history, seq)}
    for revision in history:
        path = f"capacity/revisions/{revision.name(folder.key)}.yaml"
        files[path] = _kept(folder.before.get(path), controller_revision(folder.key, revision))
    for name in history.damaged:
        path = f"capacity/revisions/{name}.yaml"
        files.update({path: folder.before[path]} if path in folder.before else {})
    resources = sorted(path.removeprefix("capacity/") for path in files)
    files["capacity/kustomization.yaml"] = kustomization(resources)
    return files


def _workload(folder: Folder, state: State, history: History, seq: int) -> bytes:
    path = f"capacity/{folder.kind.filename}"
    revision = history[_rendered(folder.kind, state)]
    value = folder.kind.render(
        revision.text,
        state.accepted.controls,
        revision.injection,
        state.partition if state.candidate is not None else None,
    )
    value = _named(folder.key, value)
    if state.withdraw is None or state.withdraw.stage == "delete":
        value = _protected(value)
    before = folder.before.get(path)
    stamped = _stamped(value, _seq_of(before))
    if before is not None and _says(before, stamped):
        return before
    return emit(_stamped(value, seq)).encode()


def _rendered(kind: Kind, state: State) -> str:
    """Name the revision that the workload is rendered from.

    Where nothing runs Kthena takes whatever it is shown for its current revision: what was not
    approved for everything is not shown then, so that scaling up again gives stable (case 44, R24).
    """
    if state.candidate is None or state.offered is None:
        return state.stable
    runs = any(kind.counts(state.accepted.controls).values())
    return state.candidate if runs or everything_approved(state) else state.stable


def _named(key: WorkloadKey, value: Object) -> Object:
    return {
        **value,
        "metadata": {**mapping(value.get("metadata")), "name": key.name, "namespace": key.namespace},
    }


def _protected(value: Object) -> Object:
    """Put the protection on; other options that people gave to Argo CD stay."""
    written = text(at(value, "metadata", "annotations", _SYNC))
    options = [option.strip() for option in written.split(",") if option.strip()]
    kept = [option for option in options if not option.startswith(("Prune=", "Delete="))]
    return _annotated(value, {**PROTECTED, _SYNC: ",".join([*kept, PROTECTED[_SYNC]])})


def _stamped(value: Object, seq: int) -> Object:
    """Put on the two marks that prove what a live object was applied from (R1)."""
    return _annotated(value, {f"{OURS}/digest": data_digest(value), f"{OURS}/seq": str(seq)})


def _annotated(value: Object, annotations: Mapping[str, Json]) -> Object:
    metadata = mapping(value.get("metadata"))
    merged: Object = {**mapping(metadata.get("annotations")), **annotations}
    return {**value, "metadata": {**metadata, "annotations": merged}}


def _seq_of(raw: bytes | None) -> int:
    seq = text(at(_value(raw), "metadata", "annotations", f"{OURS}/seq"))
    return int(seq) if seq.isascii() and seq.isdigit() else 0


def _kept(before: bytes | None, value: Object) -> bytes:
    """Keep bytes that say the same already: another version of us rewrites nothing (R28)."""
    return before if before is not None and _says(before, value) else emit(value).encode()


def _says(raw: bytes, value: Object) -> bool:
    """Compare as JSON does; Python alone takes 1 and true for equal."""
    return canonical_bytes(_value(raw)) == canonical_bytes(value)


def _value(raw: bytes | None) -> Json:
    try:
        documents = load(raw or b"", Limits())
    except Unreadable:
        return None
    return documents[0].value if len(documents) == 1 else None
