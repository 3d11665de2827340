"""Other spellings of one graph, in its own API version: every byte that can change, and no meaning."""

from hypothesis import strategies as st

from gitops_rollout.api.values import Json, Object, mapping
from gitops_rollout.kinds.dynamograph.fields import COMPONENT, OBJECTS, table
from gitops_rollout.semantics.types import TypeRef

_DEFAULTS: dict[str, dict[str, Json]] = {
    "dynamo.Component": {"sharedMemorySize": "8192Mi", "experimental": {}},
    "dynamo.KvTransferPolicy": {"enforcement": "required"},
    "dynamo.Service": {
        "dynamoNamespace": "old",
        "autoscaling": {"enabled": True},
        "scalingAdapter": {"enabled": False},
        "failover": {"enabled": False},
        "sharedMemory": {"size": "8Gi"},
        "serviceName": "other",
    },
    "dynamo.AlphaSpec": {"pvcs": [{"name": "models"}]},
}
_ZEROS: dict[str, Json] = {"s": "", "b": False, "i32": 0, "i64": 0, "[]": [], "map": {}}
_ADDED_ZEROS = ("core.Container", "core.PodSpec", "core.EnvVar", "core.Probe")
_AMOUNTS: dict[str, tuple[Json, ...]] = {
    "500m": ("0.5", "500000u"),
    "1": ("1000m", "1.0"),
    "2": ("2000m", "0.002k"),
    "1Gi": ("1024Mi", "1073741824"),
    "8Gi": ("8192Mi",),
}
_ADDED: dict[str, Json] = {
    "uid": "6f1d",
    "resourceVersion": "77",
    "managedFields": [{"manager": "argocd", "operation": "Apply"}],
    "annotations": {
        "argocd.argoproj.io/tracking-id": "app:chat",
        "nvidia.com/current-worker-hash-v2": "0123abcd",
    },
}


@st.composite
def respelled(draw: st.DrawFn, value: Object) -> Object:
    """Give `value` in another spelling; the argument and the result share nothing."""
    written = _typed(draw, value, OBJECTS[str(value["apiVersion"])])
    assert isinstance(written, dict)
    if draw(st.booleans()):
        written["status"] = {"state": "successful"}
    metadata = mapping(written["metadata"])
    for field in draw(st.lists(st.sampled_from(sorted(_ADDED)), max_size=2, unique=True)):
        added, known = _ADDED[field], metadata.get(field)
        metadata[field] = {**added, **known} if isinstance(added, dict) and isinstance(known, dict) else added
    return written


def _typed(draw: st.DrawFn, value: Json, type_: TypeRef) -> Json:
    if isinstance(type_, str):
        return _scalar(draw, value)
    kind, of = type_
    if kind == "*" and value is not None:
        return _typed(draw, value, of)
    if isinstance(value, list):
        items: list[Json] = [_typed(draw, item, of) for item in value]
        return draw(st.permutations(items)) if of == COMPONENT else items
    if not isinstance(value, dict):
        return value
    if kind == "struct":
        return _struct(draw, value, str(of))
    return _shuffled(draw, {key: _typed(draw, part, of) for key, part in value.items()})


def _struct(draw: st.DrawFn, value: Object, name: str) -> Object:
    fields = table()[name]
    written: Object = {
        key: _typed(draw, part, fields[key]) if key in fields else part for key, part in value.items()
    }
    absent = sorted(field for field in fields if field not in value and _may_add(name, field))
    for field in draw(st.lists(st.sampled_from(absent), max_size=2, unique=True)) if absent else ():
        written[field] = draw(st.sampled_from((None, *_spellings_of_absence(name, field))))
    return _shuffled(draw, written)


def _may_add(struct: str, field: str) -> bool:
    return not struct.startswith("meta.") and field not in ("apiVersion", "kind", "metadata", "replicas")


def _spellings_of_absence(struct: str, field: str) -> tuple[Json, ...]:
    if field in _DEFAULTS.get(struct, {}):
        return (_DEFAULTS[struct][field],)
    type_ = table()[struct][field]
    kind = type_ if isinstance(type_, str) else str(type_[0])
    return (_ZEROS[kind],) if struct in _ADDED_ZEROS and kind in _ZEROS and field != "image" else ()


def _scalar(draw: st.DrawFn, value: Json) -> Json:
    if isinstance(value, str) and value in _AMOUNTS:
        return draw(st.sampled_from((value, *_AMOUNTS[value])))
    return value


def _shuffled(draw: st.DrawFn, value: Object) -> Object:
    return {key: value[key] for key in draw(st.permutations(list(value)))}
