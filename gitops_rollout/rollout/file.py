"""Reading and writing rollout.yaml: the border where a version in Git becomes a RolloutFile.

A version whose seal does not fit is not read: somebody else wrote under `state` (R3).
"""

import dataclasses
import hashlib
import re
from collections.abc import Mapping
from enum import StrEnum
from typing import cast

from pydantic import TypeAdapter, ValidationError

from gitops_rollout.api.policy import Policy
from gitops_rollout.api.values import Json, Object, at, mapping, sequence, text
from gitops_rollout.api.workload import WorkloadKey
from gitops_rollout.documents.emit import emit
from gitops_rollout.documents.load import Limits, Unreadable, load
from gitops_rollout.kinds.written import without
from gitops_rollout.rollout.state import FORMAT, RENDERER, Approval, Fence, RolloutFile, State
from gitops_rollout.semantics.canonical import canonical_bytes

NAME = "rollout.yaml"
API_VERSION = "gitops-rollout.io/v1alpha1"
_FENCE = re.compile(rb"^fence: .*\n", re.MULTILINE)
_STATE = TypeAdapter(State)
_APPROVAL = TypeAdapter(Approval)
_LATER = {"routed", "graphs", "bindings"}
"""Members that format 1 did not have from the start: absent where they are null or empty."""
_LATER_OF_GRAPHS = ("workers", "holds", "contracts")


class BadRolloutFile(Exception):
    """This version cannot be used: not ours, or damaged."""


class NewerRolloutFile(BadRolloutFile):
    """A later version of this program wrote it; nothing of it may be guessed at."""


def seal(state: State) -> str:
    """Give the checksum over `state`: nobody but us writes there."""
    return _sealed(as_json(state))


def _sealed(written: Object) -> str:
    return hashlib.sha256(b"gitops-rollout/seal\n" + canonical_bytes(written)).hexdigest()


def as_json(value: State | Approval) -> Object:
    """Give the value as it is written: fields in their order, everything inside them sorted."""
    written = cast(Object, dataclasses.asdict(value))
    found = {name: _sorted(member) for name, member in written.items() if name not in _LATER or member}
    if graphs := sequence(found.get("graphs")):
        found["graphs"] = [without(mapping(one), _absent(mapping(one))) for one in graphs]
    return found


def _absent(graph: Object) -> tuple[str, ...]:
    return tuple(name for name in _LATER_OF_GRAPHS if not graph.get(name))


def write(file: RolloutFile) -> bytes:
    """Give the file's bytes. `file.seal` is not read: the seal is made here."""
    state = as_json(file.state)
    value: Object = {
        "apiVersion": API_VERSION,
        "kind": "Rollout",
        "metadata": {"name": file.key.name, "namespace": file.key.namespace},
        "fence": str(file.fence),
        "approved": as_json(file.approved) if file.approved else None,
        "state": state,
        "seal": _sealed(state),
    }
    return emit(value, sort=False).encode()


def fenced(file: RolloutFile, others: Mapping[str, bytes]) -> dict[str, bytes]:
    """Give the folder's files with the fence put on: it names this folder's content without itself.

    `others` are the folder's other files by relative path; `file.fence.seq` is kept.
    """
    files = {**others, NAME: write(file)}
    fence = Fence(file.fence.seq, folder_digest(files))
    files[NAME] = _FENCE.sub(f"fence: {fence}\n".encode(), files[NAME], count=1)
    return files


def folder_digest(files: Mapping[str, bytes]) -> str:
    """Give the 10 hex digits that a fence carries: over all files, without the fence line."""
    whole = hashlib.sha256()
    for path in sorted(files):
        content = _FENCE.sub(b"", files[path], count=1) if path == NAME else files[path]
        whole.update(f"{path}\0{hashlib.sha256(content).hexdigest()}\n".encode())
    return whole.hexdigest()[:10]


def read(key: WorkloadKey, files: Mapping[str, bytes]) -> RolloutFile:
    """Read one version of a workload's folder; raises BadRolloutFile, saying why it cannot be used."""
    if NAME not in files:
        raise BadRolloutFile("there is no rollout.yaml")
    value = _document(files[NAME])
    if (at(value, "metadata", "name"), at(value, "metadata", "namespace")) != (key.name, key.namespace):
        raise BadRolloutFile("it is of another workload")
    for name, ours in (("format", FORMAT), ("renderer", RENDERER)):
        theirs = at(value, "state", name)
        if isinstance(theirs, int) and theirs > ours:
            raise NewerRolloutFile(
                f"its {name} is {theirs}, this version writes {ours}: run the newer version"
            )
    if at(value, "state", "format") != FORMAT:
        raise BadRolloutFile(f"its format is {at(value, 'state', 'format')!r}, this version reads {FORMAT}")
    try:
        state = _STATE.validate_python(value["state"])
        Policy.from_json(state.accepted.policy)
        fence = Fence.read(text(value.get("fence")))
    except (ValidationError, ValueError) as error:
        raise BadRolloutFile(f"it cannot be read: {_first_line(error)}") from error
    sealed = seal(state)
    if text(value.get("seal")) != sealed or state.workload.kind != key.kind:
        raise BadRolloutFile("its seal does not fit what stands under state")
    return RolloutFile(key, fence, _approval(value.get("approved")), state, sealed, files)


def seen_seq(files: Mapping[str, bytes]) -> int:
    """Give the highest seq that a version shows, damaged or not: a seq is never used again."""
    try:
        value = _document(files.get(NAME, b""))
    except BadRolloutFile:
        return 0
    fence = re.match(r"[0-9]{1,12}", text(value.get("fence")))
    seq = at(value, "state", "seq")
    return max(int(fence[0]) if fence else 0, seq if isinstance(seq, int) else 0)


def _approval(value: Json) -> Approval | None:
    # People may write here. What is not an approval approves nothing.
    try:
        return _APPROVAL.validate_python(value)
    except ValidationError:
        return None


def _document(raw: bytes) -> Object:
    try:
        documents = load(raw, Limits())
    except Unreadable as error:
        raise BadRolloutFile(error.problem.message) from error
    if len(documents) != 1:
        raise BadRolloutFile("it is not one document")
    return mapping(documents[0].value)


def _sorted(value: Json) -> Json:
    if isinstance(value, dict):
        return {name: _sorted(value[name]) for name in sorted(value)}
    if isinstance(value, list | tuple):
        return [_sorted(member) for member in value]
    if isinstance(value, float) and value.is_integer():
        return int(value)  # YAML writes and reads both alike, and the seal must not tell them apart
    return str(value) if isinstance(value, StrEnum) else value


def _first_line(error: Exception) -> str:
    return " ".join(str(error).split())[:200]
