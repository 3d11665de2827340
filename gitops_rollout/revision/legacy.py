"""History that an older Kthena wrote: Roles-only ControllerRevisions become durable baselines.

A legacy snapshot holds no scheduler and no plugins. Its baseline takes those of the current spec, once,
so that a first migration never rolls and a later plugin edit is seen against it (Kthena #1799). The
source object is only read, never rewritten; where anything about it is not certain, nothing is made.
"""

from dataclasses import dataclass

from gitops_rollout.api.problems import Problem
from gitops_rollout.api.values import Json, Object, at, mapping, sequence, text
from gitops_rollout.api.workload import WorkloadKey
from gitops_rollout.kinds.protocol import Kind

_KTHENA = "modelserving.volcano.sh"
_VERSION = f"{_KTHENA}/revision-data-version"
_READ = (None, "v1")


@dataclass(frozen=True, slots=True)
class Legacy:
    """One ControllerRevision of the controller: name, UID of its owner, data, and what that restores now."""

    name: str
    uid: str
    number: int
    data: Json
    text: Object


def read_legacy(kind: Kind, key: WorkloadKey, value: Json, current: Object) -> Legacy | Problem | None:
    """Read one object of the cluster as history of this workload.

    None: it is nothing of ours to read (a pod, a revision of something else). A Problem says why it
    looks like history of this workload and cannot be used; it is never adopted, changed or guessed at.
    """
    if not _concerns(key, value):
        return None
    name, number = text(at(value, "metadata", "name")), at(value, "revision")
    restored = kind.restored(at(value, "data"), current)
    fault = _fault(key, value, restored)
    if fault is not None or restored is None:
        code, why = fault or ("", "")
        return Problem(path=name, code=code, message=f"this ControllerRevision is not used: {why}")
    uid = text((_owner(value) or {}).get("uid"))
    return Legacy(name, uid, number if isinstance(number, int) else 0, at(value, "data"), restored)


def _concerns(key: WorkloadKey, value: Json) -> bool:
    """Say whether an object claims to be history of this workload."""
    about = (at(value, "apiVersion"), at(value, "kind"), at(value, "metadata", "labels", f"{_KTHENA}/name"))
    namespace = text(at(value, "metadata", "namespace")) or key.namespace
    return (*about, namespace) == ("apps/v1", "ControllerRevision", key.name, key.namespace)


def _fault(key: WorkloadKey, value: Json, restored: Object | None) -> tuple[str, str] | None:
    """Give the first reason not to use it, as (code, words)."""
    owner = _owner(value) or {}
    version = mapping(at(value, "metadata", "annotations")).get(_VERSION)
    whose = f"{text(owner.get('kind'))} {text(owner.get('name'))}"
    rows = (
        (not owner, "HISTORY_FOREIGN", "nothing owns it as its controller"),
        (whose != f"{key.kind} {key.name}", "HISTORY_FOREIGN", f"it belongs to {whose}"),
        (not text(owner.get("uid")), "HISTORY_FOREIGN", "its owner has no UID"),
        (version not in _READ, "HISTORY_UNSUPPORTED", f"its data version {version!r} is not known"),
        (restored is None, "HISTORY_MALFORMED", "its data holds no roles that can be read"),
    )
    return next(((code, why) for holds, code, why in rows if holds), None)


def _owner(value: Json) -> Object | None:
    owners = [mapping(one) for one in sequence(at(value, "metadata", "ownerReferences"))]
    return next((one for one in owners if one.get("controller") is True), None)
