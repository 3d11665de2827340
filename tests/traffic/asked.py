"""A route as people ask for it, in few words, and the terms that come of it."""

from functools import cache
from typing import Any

import jsonschema
import yaml

from gitops_rollout.api.gateway import Gateway
from gitops_rollout.api.policy_document import RevisionRollout, read_rollout
from gitops_rollout.api.policy_merge import Explained, Wish, merge_policy
from gitops_rollout.api.problems import Problem
from gitops_rollout.api.values import Json, Object, mapping
from gitops_rollout.api.workload import WorkloadKey
from gitops_rollout.documents.load import Limits, load
from gitops_rollout.kinds.modelserving.kind import MODEL_SERVING
from gitops_rollout.kinds.protocol import Injection
from gitops_rollout.revision.identity import digest, revision_id
from gitops_rollout.revision.record import UNTOUCHED, Revision
from gitops_rollout.traffic.asked import Asked
from gitops_rollout.traffic.terms import routed
from tests.gateway.objects import crd
from tests.kinds.manifests import accepted, serving
from tests.shared import case

KEY = WorkloadKey("serving", "ModelServing", "chat")
EDGE = "parentRefs: [{name: edge}]"
GATEWAY = f"gateway: {{{EDGE}}}"
OWN = "RevisionRollout chat"
_WORDS = {"ms": "ModelServing", "modelserving": "ModelServing"}


def document(text: str) -> Object:
    """Read the one document of a text."""
    (only,) = load(text.encode(), Limits())
    return mapping(only.value)


def written(spec: str) -> tuple[RevisionRollout | None, tuple[Problem, ...]]:
    """Read the RevisionRollout `chat` with these lines as its spec."""
    value = document(f"apiVersion: gitops-rollout.io/v1alpha1\nkind: RevisionRollout\n{spec}\n")
    fields = {name: value.pop(name) for name in list(value) if name not in ("apiVersion", "kind")}
    value |= {"metadata": {"name": "chat"}, "spec": {"workload": "ms/chat", **fields}}
    return read_rollout(value, "serving", _WORDS)


def explained(spec: str, route: Object | None = None, value: Object | None = None) -> Explained:
    """Give the policy of `chat`; `route` is the HTTPRoute of the source, `value` the workload."""
    own, problems = written(spec)
    assert own is not None, problems
    assert not problems, problems
    merged = merge_policy(Wish(rollout=own), {})
    if own.routing is None:
        return routed(merged, None)
    text = accepted(value or serving()).text
    return routed(merged, Asked(KEY, MODEL_SERVING, text, own.routing, route, OWN))


def terms(spec: str, route: Object | None = None, value: Object | None = None) -> Gateway:
    """Give the terms of what is accepted."""
    found = explained(spec, route, value)
    assert found.problems == ()
    assert found.policy.gateway is not None
    return found.policy.gateway


def http_route(*rules: Json, **spec: Json) -> Object:
    """Write the HTTPRoute `chat` of the source; without rules it has none."""
    ruled: Object = {"rules": [*rules]} if rules else {}
    return {
        "apiVersion": "gateway.networking.k8s.io/v1",
        "kind": "HTTPRoute",
        "metadata": {"name": "chat", "namespace": "serving"},
        "spec": {"parentRefs": [{"name": "edge"}], **ruled, **spec},
    }


def recorded(value: Object, injection: Injection = UNTOUCHED) -> Revision:
    """Record what a manifest revisions, by default as what ran before: without a label of ours."""
    text = accepted(value).text
    full = digest(MODEL_SERVING.canonical(text))
    return Revision(revision_id(full), full, 1, text, injection, "c0ffee")


def born(value: Object) -> Revision:
    """Record a revision whose pods carry its label."""
    bare = recorded(value)
    return recorded(value, Injection({"*": {"gitops-rollout.io/revision": bare.id}}))


def documents_of(name: str, file: str) -> list[Any]:
    """Read a file of a public case."""
    return [*yaml.safe_load_all(case(name, file).read_text(encoding="utf-8"))]


@cache
def schema_of(kind: str) -> Any:
    """Give the schema of a CRD that lies beside the checkout."""
    return crd(kind)


@cache
def _validator(kind: str) -> Any:
    return jsonschema.Draft202012Validator(schema_of(kind))


def taken_as_it_is(value: Any) -> bool:
    """Say whether the CRD takes an object, and has no default to add to it."""
    kind = value["kind"]
    return bool(_validator(kind).is_valid(value)) and bool(defaulted(schema_of(kind), value) == value)


def defaulted(schema: Any, value: Any) -> Any:
    """Write out the defaults of a CRD as the API server does: outside first, null stands for absent."""
    if isinstance(value, list):
        return [defaulted(schema.get("items", {}), one) for one in value]
    if not isinstance(value, dict):
        return value
    parts = schema.get("properties", {})
    absent = {name: part["default"] for name, part in parts.items() if "default" in part}
    given = {name: one for name, one in value.items() if one is not None or name not in absent}
    return {name: defaulted(parts.get(name, {}), one) for name, one in {**absent, **given}.items()}
