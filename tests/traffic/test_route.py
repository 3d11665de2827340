"""The one owned route: its shape, and what it does to requests (delivery-gateway G1, G2 17 and 20)."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitops_rollout.api.gateway import Gateway
from gitops_rollout.api.values import Json, Object, at, mapping, sequence
from gitops_rollout.gateway.precedence import Request, answering
from gitops_rollout.gateway.referencegrant import grant_problems
from gitops_rollout.gateway.sound import sound_problems
from gitops_rollout.traffic.route import Shares, grant_objects, route_object
from tests.drawn import drawn
from tests.traffic.asked import KEY, document, http_route, taken_as_it_is, terms
from tests.traffic.rules import CANDIDATE, STABLE, gateways, request, shares

G1 = """
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata:
  name: chat
  namespace: serving
  labels:
    app.kubernetes.io/managed-by: gitops-rollout
    gitops-rollout.io/kind: ModelServing
    gitops-rollout.io/workload: chat
spec:
  parentRefs:
  - {group: gateway.networking.k8s.io, kind: Gateway, name: edge}
  hostnames: [chat.example.com]
  rules:
  - name: canary
    matches:
    - path: {type: PathPrefix, value: /v1}
      headers:
      - {type: Exact, name: x-gateway-model-name, value: M}
      - {type: Exact, name: x-canary, value: "true"}
    backendRefs:
    - {group: inference.networking.k8s.io, kind: InferencePool, name: chat-candidate, weight: 1}
  - name: default
    matches:
    - path: {type: PathPrefix, value: /v1}
      headers: [{type: Exact, name: x-gateway-model-name, value: M}]
    backendRefs:
    - {group: inference.networking.k8s.io, kind: InferencePool, name: chat-stable, weight: 90}
    - {group: inference.networking.k8s.io, kind: InferencePool, name: chat-candidate, weight: 10}
"""
MODEL = "{path: {value: /v1}, headers: [{name: x-gateway-model-name, value: M}]}"
CHAT = terms(f"gateway: {{parentRefs: [{{name: edge}}], hostnames: [chat.example.com], matches: [{MODEL}]}}")
REDIRECT: Json = [{"type": "RequestRedirect", "requestRedirect": {"scheme": "https"}}]

weights = st.integers(0, 100)
"""The candidate's share."""


def ruled(gateway: Gateway, split: Shares) -> dict[str, Object]:
    """Give the rules by name."""
    listed = [mapping(one) for one in sequence(at(route_object(KEY, gateway, split), "spec", "rules"))]
    found = {str(one["name"]): one for one in listed}
    assert len(found) == len(listed)
    return found


def due(weight: int) -> list[tuple[str, int]]:
    """Who is to get what, stable first; nobody gets nothing."""
    both = [(STABLE, 100 - weight), (CANDIDATE, weight)]
    return [(name, share) for name, share in both if share > 0]


def answer(gateway: Gateway, split: Shares, asked: Request) -> list[tuple[str, int]]:
    found = answering([route_object(KEY, gateway, split)], asked)
    assert found is not None
    return [(one.name, one.weight) for one in found]


def marked(gateway: Gateway, asked: Request, value: str | None = None) -> Request:
    name = gateway.header.name.upper()
    return replace(asked, headers={**asked.headers, name: value or gateway.header.value})


def test_the_canary_rule_comes_first_and_weights_stand_in_the_default_rule() -> None:
    rendered = route_object(KEY, CHAT, shares(CHAT, 10))
    assert rendered == document(G1)
    assert [at(one, "name") for one in sequence(at(rendered, "spec", "rules"))] == ["canary", "default"]


def test_without_hostnames_the_field_is_absent() -> None:
    gateway = replace(CHAT, hostnames=())
    assert "hostnames" not in mapping(route_object(KEY, gateway, shares(gateway))["spec"])


@pytest.mark.parametrize(
    ("weight", "header", "rules"),
    [
        (None, True, {"default": [(STABLE, 100)]}),
        (0, False, {"default": [(STABLE, 100)]}),
        (0, True, {"canary": [(CANDIDATE, 1)], "default": [(STABLE, 100)]}),
        (1, False, {"default": [(STABLE, 99), (CANDIDATE, 1)]}),
        (100, True, {"canary": [(CANDIDATE, 1)], "default": [(CANDIDATE, 100)]}),
        (100, False, {"default": [(CANDIDATE, 100)]}),
    ],
)
def test_a_revision_without_a_share_is_absent(
    weight: int | None, header: bool, rules: dict[str, list[tuple[str, int]]]
) -> None:
    rendered = ruled(CHAT, shares(CHAT, weight, header))
    found = {
        name: [(at(ref, "name"), at(ref, "weight")) for ref in sequence(rule["backendRefs"])]
        for name, rule in rendered.items()
    }
    assert found == rules


def test_rules_are_numbered_where_there_are_several() -> None:
    second: Json = {"matches": [{"path": {"value": "/v2"}}]}
    gateway = terms("route: chat", http_route({}, second))
    assert [*ruled(gateway, shares(gateway))] == ["canary-1", "canary-2", "default-1", "default-2"]


def test_a_redirect_stands_alone_and_is_no_backend_of_anybody() -> None:
    elsewhere: Json = {"matches": [{"path": {"value": "/old"}}], "filters": REDIRECT}
    gateway = terms("route: chat", http_route(elsewhere, {}))
    found = ruled(gateway, shares(gateway, 10))
    assert [*found] == ["canary-1", "canary-2", "redirect-1", "default-2"]
    assert not [name for name in ("canary-1", "redirect-1") if "backendRefs" in found[name]]


@drawn(60)
@given(gateways(redirecting=True), weights, st.booleans())
def test_every_route_is_sound_at_every_share(gateway: Gateway, weight: int, header: bool) -> None:
    assert sound_problems(route_object(KEY, gateway, shares(gateway, weight, header))) == ()
    assert sound_problems(route_object(KEY, gateway, shares(gateway, None))) == ()


@drawn(40)
@given(gateways(redirecting=True), weights)
def test_the_crd_takes_every_route_and_adds_nothing_to_it(gateway: Gateway, weight: int) -> None:
    assert taken_as_it_is(route_object(KEY, gateway, shares(gateway, weight)))


@drawn(150)
@given(st.data(), weights)
def test_17_a_marked_request_reaches_the_candidate_and_the_others_get_their_share(
    data: st.DataObject, weight: int
) -> None:
    gateway = data.draw(gateways())
    asked = data.draw(st.composite(request)(gateway))
    split = shares(gateway, weight)
    assert answer(gateway, split, asked) == due(weight)
    assert answer(gateway, split, marked(gateway, asked)) == [(CANDIDATE, 1)]


@drawn(40)
@given(st.data(), weights)
def test_only_the_exact_header_value_marks_a_request(data: st.DataObject, weight: int) -> None:
    gateway = data.draw(gateways())
    asked = marked(gateway, data.draw(st.composite(request)(gateway)), "TRUE")
    assert answer(gateway, shares(gateway, weight), asked) == due(weight)


@drawn(40)
@given(st.data(), weights)
def test_without_a_canary_rule_the_header_says_nothing(data: st.DataObject, weight: int) -> None:
    gateway = data.draw(gateways())
    asked = marked(gateway, data.draw(st.composite(request)(gateway)))
    assert answer(gateway, shares(gateway, weight, header=False), asked) == due(weight)
    assert answer(gateway, shares(gateway, None), asked) == [(STABLE, 100)]


@drawn(60)
@given(gateways(redirecting=True), weights, weights)
def test_another_weight_changes_only_the_rules_named_default(gateway: Gateway, one: int, other: int) -> None:
    before, after = (ruled(gateway, shares(gateway, weight)) for weight in (one, other))
    assert [*before] == [*after]
    assert all(name.startswith("default") for name in before if before[name] != after[name])


@drawn(60)
@given(gateways(redirecting=True), weights)
def test_a_canary_rule_is_its_default_rule_with_one_header_more(gateway: Gateway, weight: int) -> None:
    found = ruled(gateway, shares(gateway, weight))
    mark = {"type": "Exact", "name": "x-canary", "value": "true"}
    for name in [one for one in found if one.startswith("canary")]:
        canary = found[name]
        default = found.get(name.replace("canary", "default")) or found[name.replace("canary", "redirect")]
        added = [{**mapping(m), "headers": [*sequence(at(m, "headers")), mark]} for m in _matches(default)]
        assert _matches(canary) == added
        assert _but(canary, "name", "matches", "backendRefs") == _but(
            default, "name", "matches", "backendRefs"
        )


@drawn(60)
@given(gateways(redirecting=True), weights)
def test_20_shares_sum_to_100(gateway: Gateway, weight: int) -> None:
    for name, rule in ruled(gateway, shares(gateway, weight)).items():
        weights_of = [int(str(at(ref, "weight"))) for ref in sequence(rule.get("backendRefs"))]
        assert sum(weights_of) == ({"canary": 1, "default": 100}[name.split("-")[0]] if weights_of else 0)


@drawn(60)
@given(gateways(redirecting=True))
def test_a_grant_stands_exactly_where_mirrors_of_other_namespaces_are(gateway: Gateway) -> None:
    granted = {
        (namespace, at(to, "kind"), at(to, "name"))
        for namespace, grant in grant_objects(KEY, gateway).items()
        for to in sequence(at(grant, "spec", "to"))
    }
    assert granted == {one for one in mirrored(gateway) if one[0] != "serving"}


@drawn(40)
@given(gateways(redirecting=True))
def test_a_grant_is_valid_and_lets_in_routes_of_this_namespace_alone(gateway: Gateway) -> None:
    for namespace, grant in grant_objects(KEY, gateway).items():
        assert grant_problems(grant) == ()
        assert taken_as_it_is(grant)
        assert at(grant, "metadata", "namespace") == namespace
        assert at(grant, "spec", "from") == [
            {"group": "gateway.networking.k8s.io", "kind": "HTTPRoute", "namespace": "serving"}
        ]


def mirrored(gateway: Gateway) -> set[tuple[str, Json, Json]]:
    """Name every mirror; without a namespace it is in the route's own."""
    listed = [mapping(one) for rule in gateway.rules for one in sequence(rule.get("filters"))]
    refs = [mapping(at(one, "requestMirror", "backendRef")) for one in listed if "requestMirror" in one]
    return {(str(ref.get("namespace", "serving")), ref["kind"], ref["name"]) for ref in refs}


def _matches(rule: Object) -> list[Json]:
    return sequence(rule["matches"])


def _but(rule: Object, *fields: str) -> Object:
    return {name: value for name, value in rule.items() if name not in fields}
