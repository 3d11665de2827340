"""Our tables against the CRDs: limit by limit, and refusal by refusal. Nothing raises."""

import json
from collections.abc import Callable
from copy import deepcopy
from functools import cache
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitops_rollout.api.problems import Problem
from gitops_rollout.api.values import Json, Object
from gitops_rollout.gateway.httproute import ROUTE
from gitops_rollout.gateway.inferencepool import POOL
from gitops_rollout.gateway.precedence import Request, answering
from gitops_rollout.gateway.referencegrant import GRANT
from gitops_rollout.gateway.sound import sound_problems
from gitops_rollout.gateway.structure import INT32, Choice, Fields, Flag, Items, Number, Part, Table, Text
from tests.gateway.objects import CHECKS, SERVICE, crd, grant, pool, route
from tests.gateway.objects import POOL as POOL_REF

KINDS = {"HTTPRoute": ROUTE, "InferencePool": POOL, "ReferenceGrant": GRANT}


def written(part: Part) -> Any:
    """Say what a part of ours asks, in the words of a schema."""
    found: dict[str, Any] = {}
    match part:
        case Fields():
            below = {name: written(field) for name, field in part.fields.items()}
            found = {"type": "object", "required": sorted(part.required), "properties": below}
        case Table():
            found = {"type": "object", "minProperties": part.least, "maxProperties": part.most}
            found |= {"additionalProperties": written(part.value)}
        case Items():
            unique = any("repeated" in rule.__name__ for rule in part.rules)
            found = {"type": "array", "minItems": part.least, "maxItems": part.most}
            found |= {"items": written(part.item), "unique": unique}
        case Text():
            form = part.form.pattern.pattern if part.form else None
            found = {"type": "string", "minLength": part.least, "maxLength": part.most, "pattern": form}
        case Number():
            found = {"type": "integer", "minimum": part.least, "maximum": part.most}
        case Choice():
            found = {"enum": sorted(map(str, part.words))}
        case Flag():
            found = {"type": "boolean"}
    return found


def wanted(schema: Any) -> Any:
    """Say what a schema asks, every default spelled out."""
    if "enum" in schema:
        return {"enum": sorted(map(str, schema["enum"]))}
    limits: dict[str, dict[str, Any]] = {
        "array": {"minItems": 0, "maxItems": None},
        "string": {"minLength": 0, "maxLength": None, "pattern": None},
        "integer": {"minimum": None, "maximum": INT32},
        "boolean": {},
        "object": {},
    }
    kind = schema["type"]
    found = {"type": kind} | {name: schema.get(name, other) for name, other in limits[kind].items()}
    if kind == "array":
        ports = "number" in schema["items"].get("properties", {})  # unique by a CEL rule
        unique = schema.get("x-kubernetes-list-type") in ("map", "set") or ports
        return found | {"items": wanted(schema["items"]), "unique": unique}
    if "additionalProperties" in schema:
        counts = {name: schema[name] for name in ("minProperties", "maxProperties")}
        return found | counts | {"additionalProperties": wanted(schema["additionalProperties"])}
    if kind == "object":
        below = {name: wanted(part) for name, part in schema["properties"].items()}
        return found | {"required": sorted(schema.get("required", [])), "properties": below}
    return found


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_our_limits_are_those_of_the_crd(kind: str) -> None:
    assert written(KINDS[kind].fields["spec"]) == wanted(crd(kind)["properties"]["spec"])


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_the_same_fields_stand_at_the_top(kind: str) -> None:
    assert set(KINDS[kind].fields) == set(crd(kind)["properties"])


FULL = route(
    {
        "name": "all",
        "matches": [
            {"path": {"type": "Exact", "value": "/a"}, "method": "GET"},
            {"headers": [{"name": "x-a", "value": "1"}], "queryParams": [{"name": "q", "value": "1"}]},
        ],
        "filters": [
            {
                "type": "RequestHeaderModifier",
                "requestHeaderModifier": {"add": [{"name": "a", "value": "b"}]},
            },
            {"type": "RequestMirror", "requestMirror": {"backendRef": SERVICE, "percent": 5}},
            {"type": "CORS", "cors": {"allowOrigins": ["*"], "allowCredentials": True, "maxAge": 5}},
        ],
        "backendRefs": [{**SERVICE, "weight": 9}, {**POOL_REF, "weight": 1}],
        "timeouts": {"request": "10s", "backendRequest": "1s"},
    },
    {"filters": [{"type": "RequestRedirect", "requestRedirect": {"scheme": "https", "statusCode": 301}}]},
    parentRefs=[{"name": "edge", "sectionName": "https", "port": 443}],
    hostnames=["*.pine.example"],
)
VALID = {"HTTPRoute": FULL, "InferencePool": pool(), "ReferenceGrant": grant()}

words = st.text(max_size=5) | st.sampled_from(
    ["", "a", "/", "Exact", "GET", "90", "*", "10.0.0.1", "a" * 64, "a" * 254, "a" * 5000, "A.b", "a\n", "1s"]
)
numbers = st.integers(-2, 2) | st.sampled_from([65535, 65536, 10**6, 10**6 + 1, 2**31, 301, 10**30])
plain: st.SearchStrategy[Json] = st.none() | st.booleans() | numbers | st.floats(-9, 9) | words
anything: st.SearchStrategy[Json] = st.recursive(
    plain, lambda below: st.lists(below, max_size=3) | st.dictionaries(words, below, max_size=3), max_leaves=6
)


def steps(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Give the way to every value below."""
    keys = value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    return [way for key in keys for way in ((*path, key), *steps(value[key], (*path, key)))]


@st.composite
def mutants(draw: st.DrawFn, valid: Object) -> Object:
    """Give `valid` with one or two values replaced, removed or repeated."""
    value: Any = deepcopy(valid)
    for _ in range(draw(st.integers(1, 2))):
        *way, last = draw(st.sampled_from([way for way in steps(value) if way[0] == "spec"] or [("kind",)]))
        place = value
        for key in way:
            place = place[key]
        match draw(st.sampled_from(["replace", "remove", "repeat"])):
            case "remove":
                del place[last]
            case "repeat" if isinstance(place[last], list):
                place[last] = place[last] * draw(st.sampled_from([0, 2, 17, 65]))
            case _:
                place[last] = draw(anything)
    return value  # type: ignore[no-any-return]


@cache
def validator(kind: str) -> Any:
    return jsonschema.Draft7Validator(crd(kind))


@pytest.mark.parametrize("kind", sorted(VALID))
@given(data=st.data())
def test_what_the_schema_refuses_we_refuse(kind: str, data: st.DataObject) -> None:
    value = data.draw(mutants(VALID[kind]))
    assert validator(kind).is_valid(value) or CHECKS[kind](value)


@pytest.mark.parametrize("kind", sorted(VALID))
def test_the_schema_and_we_accept_the_valid_one(kind: str) -> None:
    assert CHECKS[kind](VALID[kind]) == ()
    assert validator(kind).is_valid(VALID[kind])


names = st.sampled_from(sorted({str(key) for kind in VALID for way in steps(VALID[kind]) for key in way}))
hostile: st.SearchStrategy[Any] = st.recursive(
    plain,
    lambda below: st.lists(below, max_size=3) | st.dictionaries(names | words, below, max_size=4),
    max_leaves=20,
)


@pytest.mark.parametrize("check", [*CHECKS.values(), sound_problems], ids=lambda check: check.__name__)
@given(value=hostile, rules=hostile)
def test_nothing_raises_and_no_message_is_long(
    check: Callable[[Object], tuple[Problem, ...]], value: Any, rules: Any
) -> None:
    found = (*check(value), *check(route(rules=rules)), *check(pool(selector=rules)))
    assert all(len(problem.message) < 300 for problem in found)
    assert all(json.dumps(problem.code) for problem in found)


@given(data=st.data())
def test_a_request_to_routes_that_nobody_checked_raises_nothing(data: st.DataObject) -> None:
    answering([data.draw(mutants(FULL)), data.draw(hostile)], Request("a.pine.example", "/a"))
