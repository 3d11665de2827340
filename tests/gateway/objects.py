"""Small objects that nobody refuses, to put one fault into."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from gitops_rollout.api.problems import Problem
from gitops_rollout.api.values import Json, Object
from gitops_rollout.gateway.httproute import route_problems
from gitops_rollout.gateway.inferencepool import pool_problems
from gitops_rollout.gateway.referencegrant import grant_problems
from tests.shared import shared

CRDS = {
    "HTTPRoute": "gateway.networking.k8s.io_httproutes.yaml",
    "InferencePool": "inference.networking.k8s.io_inferencepools.yaml",
    "ReferenceGrant": "gateway.networking.k8s.io_referencegrants.yaml",
}
CHECKS = {"HTTPRoute": route_problems, "InferencePool": pool_problems, "ReferenceGrant": grant_problems}

SERVICE: Object = {"name": "pine", "port": 80}
POOL: Object = {"group": "inference.networking.k8s.io", "kind": "InferencePool", "name": "pine-a"}
BACKENDS: Object = {"backendRefs": [SERVICE]}


def route(*rules: Json, **spec: Json) -> Object:
    """Give a route with these rules, or without the field."""
    return {
        "apiVersion": "gateway.networking.k8s.io/v1",
        "kind": "HTTPRoute",
        "metadata": {"name": "pine"},
        "spec": {**({"rules": list(rules)} if rules else {}), **spec},
    }


def matching(*matches: Json) -> Object:
    """Give a route with one rule that has these matches."""
    return route({"matches": list(matches), **BACKENDS})


def weighted(*weights: Json) -> Object:
    """Give a route over one pool for each weight."""
    return route({"backendRefs": [{**POOL, "name": f"pine-{i}", "weight": w} for i, w in enumerate(weights)]})


def pool(**spec: Json) -> Object:
    """Give a pool, with other fields in its spec."""
    return {
        "apiVersion": "inference.networking.k8s.io/v1",
        "kind": "InferencePool",
        "metadata": {"name": "pine-a"},
        "spec": {
            "selector": {"matchLabels": {"app": "pine"}},
            "targetPorts": [{"number": 8000}],
            "endpointPickerRef": {"name": "picker", "port": {"number": 9002}},
            **spec,
        },
    }


def grant(**spec: Json) -> Object:
    """Give a grant for routes of one namespace to pools, with other fields in its spec."""
    return {
        "apiVersion": "gateway.networking.k8s.io/v1",
        "kind": "ReferenceGrant",
        "metadata": {"name": "pine"},
        "spec": {
            "from": [{"group": "gateway.networking.k8s.io", "kind": "HTTPRoute", "namespace": "edge"}],
            "to": [{"group": "inference.networking.k8s.io", "kind": "InferencePool"}],
            **spec,
        },
    }


def faults(found: tuple[Problem, ...]) -> list[tuple[str, str]]:
    """Give path and code of each problem."""
    return [(problem.path, problem.code) for problem in found]


def documents(path: Path) -> list[Any]:
    """Read the documents of a file."""
    return [found for found in yaml.safe_load_all(path.read_text(encoding="utf-8")) if found]


def crd(kind: str) -> Any:
    """Give the schema of one kind, as its CRD has it."""
    (found,) = documents(shared("data", "gateway", "crds", CRDS[kind]))
    return found["spec"]["versions"][0]["schema"]["openAPIV3Schema"]


def places(schema: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Give every place of a schema below `path`, status and metadata apart."""
    yield path, schema
    for name, part in schema.get("properties", {}).items():
        if path or name == "spec":
            yield from places(part, f"{path}.{name}".removeprefix("."))
    if "items" in schema:
        yield from places(schema["items"], f"{path}[]")
