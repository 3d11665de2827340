"""The bytes that Go's encoding/json gives for a typed value.

Struct fields stand in the order of their declaration (go-order-1.36.json, read from k8s.io/api 0.36 by
reflection; `!` marks fields that are printed even when they are zero), map keys sorted, quantities as
printed by Kubernetes, `<`, `>` and `&` escaped. Fields that the Go types do not have are lost.
"""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files

from gitops_rollout.api.values import Json, Object, mapping
from gitops_rollout.kinds.modelserving.fields import table
from gitops_rollout.kinds.modelserving.goquantity import printed
from gitops_rollout.semantics.types import TypeRef

_KTHENA: Mapping[str, Sequence[str]] = {
    "kthena.Role": ("name!", "entryTemplate!", "workerReplicas!", "workerTemplate"),
    "kthena.PodTemplate": ("metadata", "spec!"),
    "kthena.Metadata": ("labels", "annotations"),
    "kthena.Plugin": ("name!", "type!", "config", "scope"),
    "kthena.PluginScope": ("roles", "target"),
}
_ZEROS: Mapping[str, Json] = {
    "s": "",
    "b": False,
    "i32": 0,
    "i64": 0,
    "ios": 0,
    "q": "0",
    "t": None,
    "raw": None,
}
_ESCAPES = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}


@cache
def _order() -> Mapping[str, Sequence[str]]:
    raw = files(__package__).joinpath("go-order-1.36.json").read_text(encoding="utf-8")
    core: Mapping[str, Sequence[str]] = json.loads(raw)
    return {**core, **_KTHENA}


def go_value(value: Json, type_: TypeRef) -> Json:
    """Give the value as Go prints it: zero values for absent ones, fields in Go's order."""
    if isinstance(type_, str):
        return _scalar(value, type_)
    kind, of = type_
    if kind == "*":
        return None if value is None else go_value(value, of)
    if kind == "struct":
        return _struct(mapping(value), str(of))
    if isinstance(value, list):
        return [go_value(item, of) for item in value]
    if isinstance(value, dict):
        return {key: go_value(value[key], of) for key in sorted(value)}
    return None


def go_bytes(value: Json) -> bytes:
    """Serialize what `go_value` gave."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for character, escape in _ESCAPES.items():
        text = text.replace(character, escape)
    return text.encode()


def _struct(value: Object, name: str) -> Object:
    types, result = table()[name], {}
    for marked in _order()[name]:
        field = marked.removesuffix("!")
        written = value.get(field)
        form = go_value(written, types[field])
        if marked.endswith("!") or not _is_empty(written, form, types[field]):
            result[field] = form
    return result


def _is_empty(written: Json, form: Json, type_: TypeRef) -> bool:
    """Say whether omitempty drops a field: never a pointer or a struct that is there."""
    if not isinstance(type_, str) and type_[0] in ("*", "struct"):
        return written is None
    return not form


def _scalar(value: Json, kind: str) -> Json:
    if value is None:
        return _ZEROS[kind]
    if kind == "q" and isinstance(value, str | int | float):
        return printed(value)
    if kind == "raw":
        return _free(value)
    return int(value) if isinstance(value, float) else value


def _free(value: Json) -> Json:
    if isinstance(value, dict):
        return {key: _free(value[key]) for key in sorted(value)}
    if isinstance(value, list):
        return [_free(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value
