"""Who answers: hostnames, paths, headers, age, order; and the four traps of a canary rule."""

from itertools import permutations
from typing import Any

import pytest

from gitops_rollout.api.values import Json, Object
from gitops_rollout.gateway.precedence import Backend, Request, answering, shares
from tests.gateway.objects import documents, route
from tests.shared import shared

CANARY = {"X-Canary": "1"}
HEADERS: Json = [{"name": "X-Canary", "value": "1"}]


def to(name: str, *matches: Json) -> Object:
    """Give a rule with one backend, named for the test."""
    return {**({"matches": list(matches)} if matches else {}), "backendRefs": [{"name": name, "port": 80}]}


def path(value: str, kind: str = "PathPrefix", **more: Json) -> Object:
    return {"path": {"type": kind, "value": value}, **more}


def header(name: str, value: str) -> Object:
    return {"headers": [{"name": name, "value": value}]}


def asked(routes: list[Any], at: str = "/", host: str = "pine.example", **more: Any) -> str | None:
    """Ask, and give the name of who answers."""
    found = answering(routes, Request(host, at, **more))
    return None if found is None else found[0].name


def named(name: str, created: str, *rules: Json, namespace: str = "pines") -> Object:
    metadata: Json = {"name": name, "namespace": namespace, "creationTimestamp": created}
    return {**route(*rules), "metadata": metadata}


def test_a_longer_path_beats_a_header() -> None:
    rules = route(to("canary", {"headers": HEADERS}), to("stable", path("/v1")))
    assert asked([rules], "/v1/chat", headers=CANARY) == "stable"


def test_a_canary_that_repeats_every_match_beats_it() -> None:
    rules = route(to("stable", path("/v1")), to("canary", path("/v1", headers=HEADERS)))
    assert asked([rules], "/v1/chat", headers=CANARY) == "canary"
    assert asked([rules], "/v1/chat") == "stable"


def test_headers_are_counted_in_each_match_and_not_in_the_rule() -> None:
    two, blue, green = header("version", "two"), header("color", "blue"), header("color", "green")
    rules = route(to("first", two), to("second", blue, green))
    assert asked([rules], headers={"version": "two", "color": "blue"}) == "first"


def test_exact_and_regular_headers_are_equal_and_the_first_rule_wins() -> None:
    regular: Json = {"headers": [{"name": "X-Canary", "value": ".*", "type": "RegularExpression"}]}
    rules = route(to("regular", regular), to("exact", {"headers": HEADERS}))
    assert asked([rules], headers=CANARY) == "regular"


def test_an_older_route_beats_a_canary_with_as_many_headers() -> None:
    tenant: Json = {"headers": [{"name": "X-Tenant", "value": "a"}]}
    older = named("z", "2026-01-01T00:00:00Z", to("stable", tenant))
    younger = named("a", "2026-01-02T00:00:00Z", to("canary", {"headers": HEADERS}))
    assert asked([younger, older], headers={**CANARY, "X-Tenant": "a"}) == "stable"


BETTER: list[tuple[Object, Object]] = [
    (path("/a", "Exact"), path("/a", method="GET", headers=HEADERS)),
    (path("/a"), path("/", method="GET", headers=HEADERS)),
    (path("/"), path("/.*", "RegularExpression", method="GET", headers=HEADERS)),
    (path("/", method="GET"), path("/", headers=HEADERS)),
    (path("/", headers=HEADERS), path("/", queryParams=[{"name": "q", "value": "1"}])),
    (path("/", queryParams=[{"name": "q", "value": "1"}]), path("/")),
]


@pytest.mark.parametrize(("better", "worse"), BETTER)
def test_the_better_match_wins_wherever_it_stands(better: Object, worse: Object) -> None:
    for rules in permutations([to("better", better), to("worse", worse)]):
        assert asked([route(*rules)], "/a", headers=CANARY, query={"q": "1"}) == "better"


def test_without_a_creation_time_a_route_is_the_youngest() -> None:
    made, planned = named("b", "2026-01-01T00:00:00Z", to("made")), route(to("planned"))
    assert asked([planned, made]) == "made"


def test_routes_of_one_age_go_by_namespace_and_name() -> None:
    age = "2026-01-01T00:00:00Z"
    routes = [named("a", age, to("second"), namespace="b"), named("b", age, to("first"), namespace="a")]
    assert asked(routes) == "first"


def test_in_one_route_the_first_rule_wins() -> None:
    assert asked([route(to("first"), to("second"))]) == "first"


HOSTS = [
    ("a.pine.example", "exact"),
    ("A.Pine.Example:8080", "exact"),
    ("b.pine.example", "wild"),
    ("c.b.pine.example", "deep"),
    ("pine.example", "all"),
    ("example", "all"),
]


@pytest.mark.parametrize(("host", "name"), HOSTS)
def test_the_most_specific_hostname_wins(host: str, name: str) -> None:
    routes = [
        route(to("all")),
        route(to("wild"), hostnames=["*.pine.example"]),
        route(to("deep"), hostnames=["*.b.pine.example"]),
        route(to("exact"), hostnames=["other.example", "a.pine.example"]),
    ]
    assert asked(routes, host=host) == name


def test_a_hostname_counts_more_than_any_match() -> None:
    routes = [route(to("path", path("/a", "Exact"))), route(to("host"), hostnames=["pine.example"])]
    assert asked(routes, "/a") == "host"


PATHS = [
    (path("/abc"), "/abc", True),
    (path("/abc"), "/abc/", True),
    (path("/abc"), "/abc/def", True),
    (path("/abc/"), "/abc", True),
    (path("/abc"), "/abcd", False),
    (path("/abc"), "/ABC", False),
    (path("/"), "/anything", True),
    (path("/abc", "Exact"), "/abc/", False),
    (path("/a.c", "RegularExpression"), "/abc", True),
    (path("/a.c", "RegularExpression"), "/abc/", False),
    (path("/a(", "RegularExpression"), "/a(", False),
    ({"path": {"value": "/abc"}}, "/abc/d", True),
    ({"headers": [{"name": "x-canary", "value": "1"}]}, "/", True),
    ({"headers": [{"name": "X-Canary", "value": "[12]", "type": "RegularExpression"}]}, "/", True),
    ({"headers": [{"name": "X-Canary", "value": "2"}]}, "/", False),
    ({"headers": [{"name": "X-Canary", "value": "1"}, {"name": "x-canary", "value": "2"}]}, "/", True),
    ({"headers": [{"name": "X-Other", "value": "1"}]}, "/", False),
    ({"queryParams": [{"name": "q", "value": "A"}]}, "/", True),
    ({"queryParams": [{"name": "q", "value": "a"}]}, "/", False),
    ({"queryParams": [{"name": "Q", "value": "A"}]}, "/", False),
    ({"queryParams": [{"name": "q", "value": "A|B", "type": "RegularExpression"}]}, "/", True),
    ({"method": "POST"}, "/", False),
]


@pytest.mark.parametrize(("match", "at", "fits"), PATHS)
def test_a_match_fits_or_nobody_answers(match: Object, at: str, fits: bool) -> None:
    found = asked([route(to("pine", match))], at, headers={"X-CANARY": "1"}, query={"q": "A"})
    assert found == ("pine" if fits else None)


def test_backends_come_in_order_with_their_defaults() -> None:
    refs: Json = [
        {"name": "a", "port": 80},
        {"group": "g", "kind": "K", "namespace": "n", "name": "b", "weight": 3},
    ]
    assert answering([route({"backendRefs": refs})], Request("pine.example", "/")) == (
        Backend("a", port=80),
        Backend("b", weight=3, group="g", kind="K", namespace="n"),
    )


def test_a_rule_without_backends_answers_and_gives_none() -> None:
    assert answering([route()], Request("pine.example", "/")) == ()


def test_no_route_is_no_answer_and_no_weight_is_no_share() -> None:
    assert answering([], Request("pine.example", "/")) is None
    assert list(shares((Backend("a", weight=0),))) == [0]


V1, V2 = "infra-backend-v1", "infra-backend-v2"

BY_HEADER: list[tuple[dict[str, str], str | None]] = [
    ({"version": "one"}, V1),
    ({"Version": "two"}, V2),
    ({"Version": "two", "Color": "orange"}, V1),
    ({"color": "blue"}, V1),
    ({"color": "green"}, V1),
    ({"color": "red"}, V2),
    ({"color": "yellow"}, V2),
    ({"version": "two", "color": "blue"}, V2),
    ({"color": "purple"}, None),
    ({}, None),
]


@pytest.mark.parametrize(("headers", "name"), BY_HEADER)
def test_headers_choose_as_conformance_wants(headers: dict[str, str], name: str | None) -> None:
    file = shared("data", "gateway", "examples", "gwapi_conf_httproute-header-matching.yaml")
    assert asked(documents(file), headers=headers) == name


ACROSS: list[tuple[str, str, dict[str, str], str | None]] = [
    ("example.com", "/", {}, V1),
    ("example.com", "/", {"version": "one"}, V1),
    ("example.com", "/v2", {}, V2),
    ("example.com", "/v2/example", {}, V2),
    ("example.com", "/", {"version": "two"}, V2),
    ("example.net", "/", {"version": "two"}, V1),
    ("example.net", "/v2", {}, V1),
    ("example.com", "/v2example", {}, V1),
    ("example.com", "/foo/v2/example", {}, V1),
    ("example.org", "/", {}, None),
]


@pytest.mark.parametrize(("host", "at", "headers", "name"), ACROSS)
def test_routes_work_together_as_conformance_wants(
    host: str, at: str, headers: dict[str, str], name: str | None
) -> None:
    file = shared("data", "gateway", "examples", "gwapi_conf_httproute-matching-across-routes.yaml")
    assert asked(documents(file), at, host, headers=headers) == name
