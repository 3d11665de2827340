"""Small ModelServings in few words."""

from copy import deepcopy
from pathlib import Path

from gitops_rollout.api.values import Json, Object
from gitops_rollout.api.verdict import Impact
from gitops_rollout.api.workload import Spec
from gitops_rollout.documents.load import Limits, load
from gitops_rollout.kinds.modelserving.kind import MODEL_SERVING
from gitops_rollout.kinds.protocol import Checked
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


def checked(value: Object) -> Checked:
    """Check a document, and see that the check leaves it alone."""
    before = deepcopy(value)
    result = MODEL_SERVING.check(value, "default")
    assert value == before
    return result


def accepted(value: Object) -> Spec:
    result = checked(value)
    assert result.spec is not None, [str(problem) for problem in result.problems]
    return result.spec


def refused(value: Object) -> list[tuple[str, str]]:
    """Give path and code of every refusal."""
    result = checked(value)
    assert result.spec is None
    return [(problem.path, problem.code) for problem in result.problems]


def warned(value: Object) -> list[tuple[str, str]]:
    """Give path and code of every warning about an accepted document."""
    return [(warning.path, warning.code) for warning in accepted(value).warnings]


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
    return MODEL_SERVING.impact(accepted(in_case(number, old)), accepted(in_case(number, new)))


def codes(impact: Impact) -> set[str]:
    return {warning.code for warning in impact.warnings}


def paths(impact: Impact) -> list[str]:
    return [change.path for change in impact.changes]
