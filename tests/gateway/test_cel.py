"""One row for each CEL rule of the CRDs: the smallest object that breaks this rule and no other.

A row has the place in the CRD where the rule stands; the last test counts rules and rows there.
"""

from collections import Counter
from typing import Any

import pytest

from gitops_rollout.api.values import Json, Object
from gitops_rollout.gateway.filters import FIELD_OF
from gitops_rollout.gateway.httproute import route_problems
from gitops_rollout.gateway.inferencepool import pool_problems
from tests.gateway.objects import BACKENDS, SERVICE, crd, faults, matching, places, pool, route

RULES, PARENTS = "spec.rules", "spec.parentRefs"
PATHS = "spec.rules[].matches[].path"

SMALLEST: dict[str, Json] = {
    "RequestHeaderModifier": {"remove": ["x-a"]},
    "ResponseHeaderModifier": {"remove": ["x-a"]},
    "RequestMirror": {"backendRef": SERVICE},
    "RequestRedirect": {"port": 443},
    "URLRewrite": {"hostname": "pine.example"},
    "ExtensionRef": {"group": "", "kind": "ConfigMap", "name": "pine"},
    "CORS": {"allowMethods": ["GET"]},
}


def filter_of(kind: str, field: Json = None, **other: Json) -> Object:
    """Give a filter with its own field, a small one unless given."""
    return {"type": kind, FIELD_OF[kind]: SMALLEST[kind] if field is None else field, **other}


def mirror(**fields: Json) -> list[Json]:
    return [filter_of("RequestMirror", {"backendRef": SERVICE, **fields})]


def modifying(kind: str, **path: Json) -> list[Json]:
    return [filter_of(kind, {"path": path})]


FULL, PREFIX = "ReplaceFullPath", "ReplacePrefixMatch"

FILTER_ROWS: list[tuple[str, list[Any], str, str]] = [
    *(("[]", [{"type": kind}], f"[0].{field}", "REQUIRED") for kind, field in FIELD_OF.items()),
    *(
        (
            "[]",
            [filter_of("CORS" if kind != "CORS" else "URLRewrite", None, **{field: SMALLEST[kind]})],
            f"[0].{field}",
            "CONFLICT",
        )
        for kind, field in FIELD_OF.items()
    ),
    *(
        ("", [filter_of(kind), filter_of(kind)], "[1].type", "DUPLICATE")
        for kind in FIELD_OF
        if kind not in ("RequestMirror", "ExtensionRef")
    ),
    ("", [filter_of("RequestRedirect"), filter_of("URLRewrite")], "[1].type", "CONFLICT"),
    *(
        ("[].cors." + field, [filter_of("CORS", {field: ["*", one]})], f"[0].cors.{field}", "CONFLICT")
        for field, one in (
            ("allowHeaders", "x-a"),
            ("allowMethods", "GET"),
            ("allowOrigins", "https://a.example"),
        )
    ),
    *(
        (f"[].{FIELD_OF[kind]}.path", modifying(kind, **path), f"[0].{FIELD_OF[kind]}.path.{field}", code)
        for kind in ("RequestRedirect", "URLRewrite")
        for path, field, code in (
            ({"type": FULL}, "replaceFullPath", "REQUIRED"),
            ({"type": PREFIX}, "replacePrefixMatch", "REQUIRED"),
            (
                {"type": PREFIX, "replacePrefixMatch": "/", "replaceFullPath": "/"},
                "replaceFullPath",
                "CONFLICT",
            ),
            (
                {"type": FULL, "replacePrefixMatch": "/", "replaceFullPath": "/"},
                "replacePrefixMatch",
                "CONFLICT",
            ),
        )
    ),
    (
        "[].requestMirror",
        mirror(percent=1, fraction={"numerator": 1}),
        "[0].requestMirror.fraction",
        "CONFLICT",
    ),
    (
        "[].requestMirror.fraction",
        mirror(fraction={"numerator": 101}),
        "[0].requestMirror.fraction.numerator",
        "RANGE",
    ),
    (
        "[].requestMirror.backendRef",
        mirror(backendRef={"name": "pine"}),
        "[0].requestMirror.backendRef.port",
        "REQUIRED",
    ),
]


@pytest.mark.parametrize(("place", "filters", "path", "code"), FILTER_ROWS)
def test_filters_follow_the_rules_of_the_crd_in_rules(
    place: str, filters: list[Any], path: str, code: str
) -> None:
    assert faults(route_problems(route({"filters": filters}))) == [(f"spec.rules[0].filters{path}", code)]


@pytest.mark.parametrize(("place", "filters", "path", "code"), FILTER_ROWS)
def test_filters_follow_the_rules_of_the_crd_in_backends(
    place: str, filters: list[Any], path: str, code: str
) -> None:
    found = route_problems(route({"backendRefs": [{**SERVICE, "filters": filters}]}))
    assert faults(found) == [(f"spec.rules[0].backendRefs[0].filters{path}", code)]


def literal(value: str) -> Object:
    return matching({"path": {"type": "Exact", "value": value}})


def replacing(kind: str) -> list[Json]:
    return modifying(kind, type=PREFIX, replacePrefixMatch="/b")


THIRD: Json = {"matches": [{}] * 43}
EXACT: Object = {"path": {"type": "Exact", "value": "/a"}}
REPLACED = "filters[0].{}.path.replacePrefixMatch"

ROUTE_ROWS: list[tuple[str, Object, str, str]] = [
    *(
        (PATHS, literal(value), "spec.rules[0].matches[0].path.value", "FORMAT")
        for value in ("a", "/a//b", "/./a", "/../a", "/%2f", "/%2F", "/#", "/a/..", "/a/.", "/[]")
    ),
    (PATHS, matching({"path": {"type": "Glob"}}), "spec.rules[0].matches[0].path.type", "ENUM"),
    (PARENTS, route(parentRefs=[{"name": "edge"}, {"name": "edge"}]), f"{PARENTS}[1]", "DUPLICATE"),
    (
        PARENTS,
        route(parentRefs=[{"name": "edge", "sectionName": "a"}, {"name": "edge"}]),
        f"{PARENTS}[1].sectionName",
        "REQUIRED",
    ),
    (RULES, route(*([THIRD] * 3)), RULES, "RANGE"),
    (
        "spec.rules[].backendRefs[]",
        route({"backendRefs": [{"name": "pine"}]}),
        f"{RULES}[0].backendRefs[0].port",
        "REQUIRED",
    ),
    (
        "spec.rules[].timeouts",
        route({"timeouts": {"request": "1s", "backendRequest": "1001ms"}}),
        f"{RULES}[0].timeouts.backendRequest",
        "CONFLICT",
    ),
    (
        "spec.rules[]",
        route({"filters": [filter_of("RequestRedirect")], **BACKENDS}),
        f"{RULES}[0].backendRefs",
        "CONFLICT",
    ),
    *(
        (
            "spec.rules[]",
            route({"matches": [EXACT], "filters": replacing(kind)}),
            f"{RULES}[0].{REPLACED.format(FIELD_OF[kind])}",
            "CONFLICT",
        )
        for kind in ("RequestRedirect", "URLRewrite")
    ),
    *(
        (
            "spec.rules[]",
            route({"matches": [EXACT], "backendRefs": [{**SERVICE, "filters": replacing(kind)}]}),
            f"{RULES}[0].backendRefs[0].{REPLACED.format(FIELD_OF[kind])}",
            "CONFLICT",
        )
        for kind in ("RequestRedirect", "URLRewrite")
    ),
]


@pytest.mark.parametrize(("place", "value", "path", "code"), ROUTE_ROWS)
def test_routes_follow_the_rules_of_the_crd(place: str, value: Object, path: str, code: str) -> None:
    assert faults(route_problems(value)) == [(path, code)]


POOL_ROWS: list[tuple[str, Object, str, str]] = [
    (
        "spec.endpointPickerRef",
        pool(endpointPickerRef={"name": "picker"}),
        "spec.endpointPickerRef.port",
        "REQUIRED",
    ),
    (
        "spec.targetPorts",
        pool(targetPorts=[{"number": 80}, {"number": 80}]),
        "spec.targetPorts[1].number",
        "DUPLICATE",
    ),
]


@pytest.mark.parametrize(("place", "value", "path", "code"), POOL_ROWS)
def test_pools_follow_the_rules_of_the_crd(place: str, value: Object, path: str, code: str) -> None:
    assert faults(pool_problems(value)) == [(path, code)]


FILTER_PLACES = ("spec.rules[].filters", "spec.rules[].backendRefs[].filters")
ROWS = {
    "HTTPRoute": Counter(
        [
            *(row[0] for row in ROUTE_ROWS),
            *(f"{place}{row[0]}" for row in FILTER_ROWS for place in FILTER_PLACES),
        ]
    ),
    "InferencePool": Counter(row[0] for row in POOL_ROWS),
    "ReferenceGrant": Counter[str](),
}


@pytest.mark.parametrize("kind", sorted(ROWS))
def test_every_rule_of_the_crd_has_its_row(kind: str) -> None:
    rules = {path: len(part.get("x-kubernetes-validations", [])) for path, part in places(crd(kind))}
    assert +Counter(rules) == ROWS[kind]
