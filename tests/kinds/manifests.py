"""Small ModelServings in few words."""

from pathlib import Path

from gitops_rollout.api.values import Json, Object
from gitops_rollout.api.verdict import Impact
from gitops_rollout.documents.load import Limits, load
from gitops_rollout.kinds.modelserving.kind import MODEL_SERVING
from tests.kinds.desk import Desk
from tests.shared import shared

API = "workload.serving.volcano.sh/v1alpha1"
BY_ROLE: Object = {"type": "RoleRollingUpdate"}


def pod(image: str = "engine:1", **container: Json) -> Object:
    """Give a template with one container `main`."""
    return {"spec": {"containers": [{"name": "main", "image": image, **container}]}}


def role(name: str = "decode", entry: Json = None, **fields: Json) -> Object:
    """Give a role without workers; pass workerReplicas and workerTemplate for some."""
    return {"name": name, "entryTemplate": entry or pod(), "workerReplicas": 0, **fields}


def serving(*roles: Object, **spec: Json) -> Object:
    """Give the ModelServing `chat` in the namespace `serving`, by default with 4 groups."""
    template: Object = {"roles": [*roles] or [role()]}
    body: Object = {"replicas": 4, "template": template, **spec}
    return {
        "apiVersion": API,
        "kind": "ModelServing",
        "metadata": {"name": "chat", "namespace": "serving"},
        "spec": body,
    }


def rolling(**config: Json) -> Object:
    """Give a rolloutStrategy by whole groups."""
    return {"type": "ServingGroupRollingUpdate", "rollingUpdateConfiguration": dict(config)}


_desk = Desk(MODEL_SERVING)
checked, accepted, refused, warned = _desk.checked, _desk.accepted, _desk.refused, _desk.warned


def document(path: Path) -> Object:
    """Read the one document of a file."""
    (only,) = load(path.read_bytes(), Limits())
    assert isinstance(only.value, dict)
    return only.value


def in_case(number: str, name: str) -> Object:
    """Read one file of a public case, found by the number that its folder starts with."""
    (path,) = shared("cases").glob(f"{number}-*/{name}.yaml")
    return document(path)


def change(number: str, old: str, new: str) -> Impact:
    """Say what an update between two files of a case does."""
    return _desk.update(in_case(number, old), in_case(number, new))


def codes(impact: Impact) -> set[str]:
    return {warning.code for warning in impact.warnings}


def paths(impact: Impact) -> list[str]:
    return [change.path for change in impact.changes]
