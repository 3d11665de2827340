"""What the CRD or the operator fills in where a component writes nothing."""

from gitops_rollout.api.values import Json, Object, at, mapping
from gitops_rollout.kinds.dynamograph.words import (
    DEFAULT_DEVICE_CLASS,
    DEFAULT_NODES,
    DEFAULT_SHARED_MEMORY,
    INTRA_POD,
    MAIN,
)

_FEATURES: dict[str, Object] = {
    "gpuMemoryService": {"mode": INTRA_POD, "deviceClassName": DEFAULT_DEVICE_CLASS},
    "failover": {"mode": INTRA_POD, "numShadows": 1},
    "checkpoint": {"startupPolicy": "Immediate", "deletionPolicy": "Delete", "targetContainerName": MAIN},
}
_IDENTITY: Object = {"tensorParallelSize": 1, "pipelineParallelSize": 1}


def with_defaults(component: Object) -> Object:
    """Give a component of v1beta1 with the defaults written out; the argument is not changed.

    A component without a pod template has one container, `main`. Features without anything in them are
    absent.
    """
    filled: Object = {**component, "podTemplate": _template(mapping(component.get("podTemplate")))}
    if filled.get("sharedMemorySize") is None:
        filled["sharedMemorySize"] = DEFAULT_SHARED_MEMORY
    if isinstance(component.get("multinode"), dict):
        filled["multinode"] = _filled(component["multinode"], {"nodeCount": DEFAULT_NODES})
    features = {key: part for key, part in mapping(component.get("experimental")).items() if part is not None}
    filled["experimental"] = {key: _feature(key, part) for key, part in features.items()} or None
    return filled


def _template(template: Object) -> Object:
    spec = mapping(template.get("spec"))
    return {**template, "spec": {**spec, "containers": spec.get("containers") or [{"name": MAIN}]}}


def _feature(name: str, written: Json) -> Json:
    if name not in _FEATURES or not isinstance(written, dict):
        return written
    filled = _filled(written, _FEATURES[name])
    if isinstance(at(filled, "identity"), dict):
        filled["identity"] = _filled(filled["identity"], _IDENTITY)
    return filled


def _filled(written: Json, defaults: Object) -> Object:
    found = {key: part for key, part in mapping(written).items() if part is not None}
    return {**defaults, **found}
