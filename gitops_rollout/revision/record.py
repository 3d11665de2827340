"""A revision and the ControllerRevision that records it for good.

Name, labels, annotations and data of a recorded revision never change; only its number is raised when
an older revision is offered again (as StatefulSets do). The labels are ours alone: Kthena deletes what
carries `modelserving.volcano.sh/name`.
"""

import json
from dataclasses import dataclass

from gitops_rollout.api.problems import Problem
from gitops_rollout.api.values import Json, Object, at, mapping, text
from gitops_rollout.api.workload import WorkloadKey
from gitops_rollout.kinds.protocol import Injection
from gitops_rollout.revision.identity import FORMAT, data_digest

OURS = "gitops-rollout.io"
UNTOUCHED = Injection({})


@dataclass(frozen=True, slots=True)
class Revision:
    """An immutable source text with its name, number and what its pod templates carry (R23)."""

    id: str
    digest: str
    number: int
    text: Object
    injection: Injection
    commit: str

    def name(self, key: WorkloadKey) -> str:
        """Give the name of the ControllerRevision."""
        return f"{key.name}-{self.id}"


def controller_revision(key: WorkloadKey, revision: Revision) -> Object:
    """Give the object to publish."""
    annotations: Object = {
        f"{OURS}/format": str(FORMAT),
        f"{OURS}/digest": revision.digest,
        f"{OURS}/commit": revision.commit,
        f"{OURS}/injected": json.dumps(
            {name: dict(labels) for name, labels in revision.injection.labels.items()},
            sort_keys=True,
            separators=(",", ":"),
        ),
    }
    labels: Object = {
        f"{OURS}/kind": key.kind,
        f"{OURS}/workload": key.name,
        f"{OURS}/revision": revision.id,
    }
    value: Object = {
        "apiVersion": "apps/v1",
        "kind": "ControllerRevision",
        "metadata": {
            "name": revision.name(key),
            "namespace": key.namespace,
            "labels": labels,
            "annotations": annotations,
        },
        "revision": revision.number,
        "data": revision.text,
    }
    annotations[f"{OURS}/seal"] = _seal(value)
    return value


def read_controller_revision(key: WorkloadKey, value: Json) -> Revision | Problem:
    """Read a recorded revision back; a Problem says why it is not one of ours, or not whole."""
    annotations = mapping(at(value, "metadata", "annotations"))
    labels = mapping(at(value, "metadata", "labels"))
    number, data = at(value, "revision"), at(value, "data")
    if text(annotations.get(f"{OURS}/format")) != str(FORMAT):
        return _unknown(f"its format is {annotations.get(f'{OURS}/format')!r}; this version reads {FORMAT}")
    if (labels.get(f"{OURS}/kind"), labels.get(f"{OURS}/workload")) != (key.kind, key.name):
        return _unknown("its labels name another workload")
    if not isinstance(number, int) or isinstance(number, bool) or not isinstance(data, dict):
        return _unknown("it has no number or no data")
    if _seal(mapping(value)) != annotations.get(f"{OURS}/seal"):
        return _unknown("it is not what was recorded")
    revision = Revision(
        id=text(labels.get(f"{OURS}/revision")),
        digest=text(annotations.get(f"{OURS}/digest")),
        number=number,
        text=data,
        injection=_read_injection(annotations.get(f"{OURS}/injected")),
        commit=text(annotations.get(f"{OURS}/commit")),
    )
    if at(value, "metadata", "name") != revision.name(key):
        return _unknown("its name is not that of its revision")
    return revision


def _seal(value: Object) -> str:
    """Give the checksum over everything that never changes: data, and what is injected, too (R26).

    An edited `injected` would restart pods just as edited data would (R23). The number may be raised.
    """
    metadata = mapping(value.get("metadata"))
    kept = {
        name: part for name, part in mapping(metadata.get("annotations")).items() if name != f"{OURS}/seal"
    }
    whole = {**value, "metadata": {**metadata, "annotations": kept}}
    return data_digest({name: part for name, part in whole.items() if name != "revision"})


def _read_injection(written: Json) -> Injection:
    parsed: Json = json.loads(text(written) or "{}")
    return Injection(
        {
            component: {key: text(value) for key, value in mapping(labels).items()}
            for component, labels in mapping(parsed).items()
        }
    )


def _unknown(why: str) -> Problem:
    return Problem(code="HISTORY_UNKNOWN", message=f"this revision cannot be used: {why}")
