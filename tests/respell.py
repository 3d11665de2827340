"""Other spellings of one ModelServing: a strategy that changes every byte it can and no meaning.

Key order, role order, amounts, nulls and empty values of fields that are not there, CRD defaults
written out (replicas apart: those are written iff people write them), what Kthena overwrites, and what
the API server and GitOps tools add to metadata.
"""

from typing import Any

from hypothesis import strategies as st

from gitops_rollout.api.values import Json, Object, mapping
from gitops_rollout.kinds.modelserving.fields import OBJECT, ROLE, table
from gitops_rollout.semantics.types import TypeRef

_DEFAULTS: dict[str, dict[str, Json]] = {
    "kthena.Spec": {
        "schedulerName": "volcano",
        "recoveryPolicy": "RoleRecreate",
        "revisionHistoryLimit": 10,
        "rolloutStrategy": {"type": "ServingGroupRollingUpdate"},
        "plugins": [],
    },
    "kthena.Group": {"restartGracePeriodSeconds": 0},
    "kthena.RolloutStrategy": {"type": "ServingGroupRollingUpdate"},
    "kthena.Rolling": {"maxUnavailable": 1, "maxSurge": 0, "partition": "0%"},
    "kthena.Role": {"maxUnavailable": 1},
    "kthena.Plugin": {"type": "BuiltIn", "scope": {"target": "All"}},
    "kthena.PluginScope": {"target": "All"},
    "kthena.NetworkTopologySpec": {"mode": "hard"},
    "kthena.PodTemplate": {"metadata": {}},
    "kthena.Metadata": {"labels": {}, "annotations": {}},
    "core.PodSpec": {"schedulerName": "default-scheduler", "hostNetwork": False, "volumes": []},
}
_ZEROS: dict[str, Json] = {"s": "", "b": False, "i32": 0, "i64": 0, "[]": [], "map": {}}
_AMOUNTS: dict[str, tuple[Json, ...]] = {
    "500m": ("0.5", 0.5, "500000u"),
    "1": (1, "1000m", "1.0"),
    "2": (2, "2000m", "0.002k"),
    "1Gi": ("1024Mi", "1073741824", 1073741824),
    "1G": ("1000M", "1e9", 1000000000),
}
_ADDED: dict[str, Json] = {
    "uid": "6f1d",
    "resourceVersion": "77",
    "generation": 3,
    "creationTimestamp": "2026-01-01T00:00:00Z",
    "managedFields": [{"manager": "argocd", "operation": "Apply"}],
    "annotations": {"argocd.argoproj.io/tracking-id": "app:chat", "gitops-rollout.io/seq": "3"},
    "labels": {},
}
_OWNED_ENV = st.sampled_from(("GROUP_SIZE", "ENTRY_ADDRESS", "WORKER_INDEX"))


@st.composite
def respelled(draw: st.DrawFn, value: Object) -> Object:
    """Give `value` in another spelling; the argument and the result share nothing."""
    written = _typed(draw, value, OBJECT)
    assert isinstance(written, dict)
    if draw(st.booleans()):
        written["status"] = {"replicas": 4}
    metadata = mapping(written.get("metadata"))
    for field in draw(st.lists(st.sampled_from(sorted(_ADDED)), max_size=3, unique=True)):
        added = _ADDED[field]
        known = metadata.get(field)
        metadata[field] = {**added, **known} if isinstance(added, dict) and isinstance(known, dict) else added
    return written


def _typed(draw: st.DrawFn, value: Json, type_: TypeRef) -> Json:
    if isinstance(type_, str):
        return _scalar(draw, value, type_)
    kind, of = type_
    if kind == "*" and value is not None:
        return _typed(draw, value, of)
    if isinstance(value, list):
        return _list(draw, value, of)
    if not isinstance(value, dict):
        return value
    if kind == "struct":
        return _struct(draw, value, str(of))
    return _shuffled(draw, {key: _typed(draw, part, of) for key, part in value.items()})


def _list(draw: st.DrawFn, value: list[Json], of: TypeRef) -> list[Json]:
    items: list[Json] = [_typed(draw, item, of) for item in value]
    if of == ROLE:
        return draw(st.permutations(items))
    if of == ["struct", "core.EnvVar"] and draw(st.booleans()):
        items.insert(draw(st.integers(0, len(items))), {"name": draw(_OWNED_ENV), "value": "7"})
    return items


def _struct(draw: st.DrawFn, value: Object, name: str) -> Object:
    fields = table()[name]
    written: Object = {
        key: _typed(draw, part, fields[key]) if key in fields else part for key, part in value.items()
    }
    absent = sorted(field for field in fields if field not in value and _may_add(name, field))
    for field in draw(st.lists(st.sampled_from(absent), max_size=3, unique=True)) if absent else ():
        written[field] = draw(st.sampled_from((None, *_spellings_of_absence(name, field))))
    return _shuffled(draw, written)


def _may_add(struct: str, field: str) -> bool:
    # An object's own metadata is dealt with apart; env of no container may get Kthena's variables.
    return not struct.startswith("meta.") and field not in (
        "apiVersion",
        "kind",
        "metadata",
        "replicas",
        "env",
    )


def _spellings_of_absence(struct: str, field: str) -> tuple[Json, ...]:
    if field in _DEFAULTS.get(struct, {}):
        return (_DEFAULTS[struct][field],)
    type_ = table()[struct][field]
    kind = type_ if isinstance(type_, str) else str(type_[0])
    return (_ZEROS[kind],) if struct.startswith("core.") and kind in _ZEROS else ()


def _scalar(draw: st.DrawFn, value: Json, kind: str) -> Json:
    if kind == "q" and isinstance(value, str) and value in _AMOUNTS:
        return draw(st.sampled_from((value, *_AMOUNTS[value])))
    return _json(draw, value) if kind == "raw" else value


def _json(draw: st.DrawFn, value: Any) -> Any:
    if isinstance(value, dict):
        return _shuffled(draw, {key: _json(draw, part) for key, part in value.items()})
    return [_json(draw, part) for part in value] if isinstance(value, list) else value


def _shuffled(draw: st.DrawFn, value: Object) -> Object:
    return {key: value[key] for key in draw(st.permutations(list(value)))}
