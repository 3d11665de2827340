"""Small graphs in few words, in both API versions."""

from gitops_rollout.api.values import Json, Object
from gitops_rollout.api.verdict import Impact, Verdict
from gitops_rollout.kinds.dynamograph.kind import DYNAMO_GRAPH
from tests.kinds.desk import Desk
from tests.kinds.manifests import in_case, pod

BETA, ALPHA = "nvidia.com/v1beta1", "nvidia.com/v1alpha1"
IMAGE = "engine:1.4.0"


def component(name: str = "decode", type_: str | None = "decode", **fields: Json) -> Object:
    """Give a component with one container `main`."""
    kind: Object = {} if type_ is None else {"type": type_}
    return {"name": name, **kind, "podTemplate": pod(IMAGE), **fields}


def frontend(**fields: Json) -> Object:
    return component("router", "frontend", **fields)


def gpu_pod(gpus: int, image: str = IMAGE) -> Object:
    return pod(image, resources={"limits": {"nvidia.com/gpu": gpus}})


def graph(*components: Object, **spec: Json) -> Object:
    """Give the graph `chat` in the namespace `serving`, by default with a router and a decoder."""
    return _object(BETA, {"components": [*components] or [frontend(), component()], **spec})


def service(kind: str = "worker", image: str = IMAGE, **fields: Json) -> Object:
    """Give a service of v1alpha1."""
    return {"componentType": kind, "extraPodSpec": {"mainContainer": {"image": image}}, **fields}


def alpha(services: Object | None = None, **spec: Json) -> Object:
    """Give the graph `chat` in v1alpha1."""
    return _object(ALPHA, {"services": {"decode": service()} if services is None else services, **spec})


def _object(version: str, spec: Object) -> Object:
    return {
        "apiVersion": version,
        "kind": "DynamoGraphDeployment",
        "metadata": {"name": "chat", "namespace": "serving"},
        "spec": spec,
    }


def annotated(value: Object, **annotations: str) -> Object:
    """Give the object with annotations under nvidia.com/, `_` for `-`."""
    named = {f"nvidia.com/{key.replace('_', '-')}": part for key, part in annotations.items()}
    return {**value, "metadata": {"name": "chat", "namespace": "serving", "annotations": {**named}}}


_desk = Desk(DYNAMO_GRAPH)
checked, accepted, refused, warned = _desk.checked, _desk.accepted, _desk.refused, _desk.warned
update = _desk.update


def change(number: str, old: str, new: str) -> Impact:
    """Say what an update between two files of a case does."""
    return update(in_case(number, old), in_case(number, new))


def moved(impact: Impact) -> dict[str, tuple[str, int, int]]:
    """Give verdict, pods and GPUs of each component to which something happens."""
    return {
        one.name: (one.verdict.value, one.pods, one.gpus)
        for one in impact.components
        if one.verdict is not Verdict.NO_CHANGE
    }
