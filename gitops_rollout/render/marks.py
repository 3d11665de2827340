"""The marks on objects that serve: protection from pruning, and what a live object was applied from."""

from collections.abc import Mapping

from gitops_rollout.api.values import Json, Object, at, mapping, text
from gitops_rollout.documents.emit import emit
from gitops_rollout.documents.load import lone
from gitops_rollout.revision.identity import data_digest
from gitops_rollout.revision.record import OURS
from gitops_rollout.semantics.canonical import canonical_bytes

_SYNC = "argocd.argoproj.io/sync-options"
PROTECTED: Mapping[str, str] = {
    _SYNC: "Prune=false,Delete=false",
    "kustomize.toolkit.fluxcd.io/prune": "disabled",
}
"""What Argo CD and Flux must not delete by themselves (R6); see docs/argocd.md and docs/flux.md."""


def live_file(value: Object, before: bytes | None, seq: int, *, protect: bool) -> bytes:
    """Give the file of an object that serves: protected, with its digest, and the number of the commit
    that last changed it. Bytes that say the same already stay as they are (R1, R6, R28).
    """
    value = protected(value) if protect else value
    stamped = _stamped(value, _seq_of(before))
    if before is not None and _says(before, stamped):
        return before
    return emit(_stamped(value, seq)).encode()


def protected(value: Object) -> Object:
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
    seq = text(at(lone(raw or b""), "metadata", "annotations", f"{OURS}/seq"))
    return int(seq) if seq.isascii() and seq.isdigit() else 0


def is_numbered(raw: bytes) -> bool:
    """Say whether a file is one of an object that carries the number of the commit that changed it."""
    return f"{OURS}/seq".encode() in raw


def kept(before: bytes | None, value: Object) -> bytes:
    """Keep bytes that say the same already: another version of us rewrites nothing (R28)."""
    return before if before is not None and _says(before, value) else emit(value).encode()


def _says(raw: bytes, value: Object) -> bool:
    """Compare as JSON does; Python alone takes 1 and true for equal."""
    return canonical_bytes(lone(raw)) == canonical_bytes(value)
