"""What people write about a route becomes terms in which nothing is left to be decided."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from gitops_rollout.api.gateway import Backend, Gateway, Header, Picker, Traffic
from gitops_rollout.api.values import Json, Object, at, mapping, sequence
from tests.drawn import drawn
from tests.kinds.manifests import role, serving
from tests.source.desk import Desk, key
from tests.source.desk import serving as manifest
from tests.traffic.asked import EDGE, GATEWAY, OWN, defaulted, explained, http_route, schema_of, terms
from tests.traffic.rules import source_routes

EDGE_REF: Object = {"group": "gateway.networking.k8s.io", "kind": "Gateway", "name": "edge"}
EVERYTHING: Object = {"matches": [{"path": {"type": "PathPrefix", "value": "/"}}]}
ISTIO = f"gateway: {{{EDGE}, implementation: istio}}"
GRADUAL = f"{ISTIO}\nsteps:"
FULL = """
gateway:
  parentRefs: [{name: edge, namespace: gateways, sectionName: https, port: 443}]
  hostnames: [chat.example.com]
  matches: [{path: {value: /v1}, headers: [{name: x-model, value: m}]}]
  canaryHeader: {name: X-Chat-Canary, value: "1"}
  component: server
  backend: InferencePool
  targetPort: 8000
  endpointPicker: {name: "{revision}-picker", port: 9002}
  implementation: istio
adopt: {revisionLabel: {key: track, value: blue}}
"""
SERVER = serving(role("server"), role("worker"))


def origins(spec: str, route: Object | None = None) -> dict[str, tuple[str, str]]:
    """Give value and origin of every term of a route."""
    found = explained(spec, route).origins
    return {
        one.field: (one.value, one.origin)
        for one in found
        if one.field.startswith(("gateway.", "adopt.", "steps["))
    }


def shares(spec: str) -> list[Traffic | None]:
    found = explained(spec)
    assert found.problems == ()
    return [step.traffic for step in found.policy.steps]


def test_a_gateway_alone_is_enough() -> None:
    assert terms(GATEWAY) == Gateway(
        parents=(EDGE_REF,),
        rules=(EVERYTHING,),
        component="decode",
        name="chat",
        hostnames=(),
        header=Header("x-canary", "true"),
        backend=Backend.POOL,
        port=None,
        picker=None,
        replaces="",
        adopt=None,
    )


def test_everything_can_be_written() -> None:
    found = terms(FULL, value=SERVER)
    match: Object = {
        "path": {"type": "PathPrefix", "value": "/v1"},
        "headers": [{"type": "Exact", "name": "x-model", "value": "m"}],
    }
    assert found == Gateway(
        parents=({**EDGE_REF, "namespace": "gateways", "sectionName": "https", "port": 443},),
        rules=({"matches": [match]},),
        component="server",
        name="chat",
        hostnames=("chat.example.com",),
        header=Header("X-Chat-Canary", "1"),
        port=8000,
        picker=Picker("{revision}-picker", 9002),
        adopt=("track", "blue"),
    )


@pytest.mark.parametrize("spec", [GATEWAY, FULL])
def test_terms_come_back_from_the_rollout_file_as_they_were(spec: str) -> None:
    found = terms(spec, value=SERVER if spec == FULL else None)
    assert Gateway.from_json(found.to_json()) == found


def test_every_default_says_that_it_is_derived() -> None:
    abilities = "header matches, Services, InferencePools, weight 0"
    assert origins(GATEWAY) == {
        "gateway.parentRefs": ("edge", OWN),
        "gateway.hostnames": ("any", "derived"),
        "gateway.matches": ("/", "derived"),
        "gateway.canaryHeader": ("x-canary: true", "derived"),
        "gateway.component": ("decode", "derived"),
        "gateway.backend": ("InferencePool", "derived"),
        "gateway.targetPort": ("each revision's own", "derived"),
        "gateway.endpointPicker": ("none", "derived"),
        "gateway.filters": ("none", "derived"),
        "gateway.timeouts": ("none", "derived"),
        "adopt.revisionLabel": ("none", "derived"),
        "gateway.implementation": (f"gateway-api ({abilities})", "derived"),
        "gateway.name": ("chat", "derived"),
        "steps[all].traffic": ("100 %", "derived"),
    }


WRITTEN = [
    ("hostnames: [a.example, b.example]", "hostnames", "a.example, b.example"),
    ("matches: [{path: {value: /v1}}, {path: {value: /v2}}]", "matches", "/v1, /v2"),
    ("canaryHeader: {name: X-Me, value: a}", "canaryHeader", "X-Me: a"),
    ("component: decode", "component", "decode"),
    ("backend: Service", "backend", "Service"),
    ("targetPort: 8000", "targetPort", "8000"),
    ("implementation: traefik, backend: Service", "implementation",
     "traefik (header matches, Services, weight 0)"),
    ("implementation: {weightedPools: true, services: false, headers: false}", "implementation",
     "as written (InferencePools, weighted InferencePools, weight 0)"),
]  # fmt: skip


@pytest.mark.parametrize(("more", "field", "value"), WRITTEN)
def test_what_is_written_says_by_whom(more: str, field: str, value: str) -> None:
    assert origins(f"gateway: {{{EDGE}, {more}}}")[f"gateway.{field}"] == (value, OWN)


def test_what_a_route_says_comes_from_the_route() -> None:
    route = http_route({"matches": [{"path": {"value": "/v1"}}]}, hostnames=["a.example"])
    found = origins("route: chat", route)
    assert {found[f"gateway.{field}"] for field in ("parentRefs", "hostnames", "matches")} == {
        ("edge", "HTTPRoute chat"),
        ("a.example", "HTTPRoute chat"),
        ("/v1", "HTTPRoute chat"),
    }
    assert found["gateway.name"] == ("chat-rollout", "derived")


def test_a_step_without_traffic_gives_as_many_requests_as_replicas() -> None:
    spec = f"{GRADUAL} [1, 25%, 100%]"
    assert shares(spec) == [Traffic(), Traffic(weight=25), Traffic(weight=100)]
    assert origins(spec)["steps[1].traffic"] == ("its share of the replicas", "derived")
    assert origins(spec)["steps[25pct].traffic"] == ("25 %", "derived")


def test_traffic_that_is_written_holds_as_written() -> None:
    spec = f"""{GRADUAL}
    - {{name: canary, replicas: 1, traffic: {{header: true}}}}
    - {{name: tenth, replicas: 25%, traffic: {{header: true, weight: 10}}}}
    - 100%"""
    assert shares(spec) == [Traffic(True, 0), Traffic(True, 10), Traffic(weight=100)]
    assert origins(spec)["steps[canary].traffic"] == ("0 %, header", "as written")
    assert origins(spec)["steps[tenth].traffic"] == ("10 %, header", "as written")


def test_without_a_route_nothing_is_said_of_requests() -> None:
    found = explained("steps: [1, 100%]")
    assert found.policy.gateway is None
    assert [step.traffic for step in found.policy.steps] == [None, None]
    assert not [one for one in found.origins if "gateway" in one.field or "traffic" in one.field]


def test_terms_of_a_route_come_from_the_source_with_every_default_written_out() -> None:
    found = terms("route: chat", http_route({}, hostnames=["a.example"]))
    assert (found.parents, found.rules) == ((EDGE_REF,), (EVERYTHING,))
    assert (found.hostnames, found.name, found.replaces) == (("a.example",), "chat-rollout", "chat")


def test_a_route_without_rules_answers_everything() -> None:
    assert terms("route: chat", http_route()).rules == (EVERYTHING,)


def test_what_a_route_does_not_say_is_written_beside_it() -> None:
    found = terms("route: chat\ngateway: {targetPort: 8000, backend: Service}", http_route({}))
    assert (found.port, found.backend, found.replaces) == (8000, Backend.SERVICE, "chat")


def test_redirects_mirrors_and_timeouts_are_kept_and_backends_are_not() -> None:
    backend: Object = {"name": "old", "port": 80}
    mirror: Json = {"type": "RequestMirror", "requestMirror": {"backendRef": {**backend, "namespace": "x"}}}
    redirect: Json = {"type": "RequestRedirect", "requestRedirect": {"scheme": "https"}}
    old: Json = [{"path": {"type": "Exact", "value": "/old"}}]
    rules: list[Object] = [
        {"matches": old, "filters": [redirect]},
        {"filters": [mirror], "timeouts": {"request": "30s"}, "backendRefs": [backend]},
    ]
    first, second = terms("route: chat", http_route(*rules)).rules
    assert at(sequence(first["filters"])[0], "requestRedirect") == {"statusCode": 302, "scheme": "https"}
    assert at(sequence(second["filters"])[0], "requestMirror", "backendRef") == {
        "group": "", "kind": "Service", "name": "old", "port": 80, "namespace": "x",
    }  # fmt: skip
    assert second["timeouts"] == {"request": "30s"}
    assert not {"backendRefs", "name"} & {*first, *second}


@drawn(80)
@given(source_routes(redirecting=True))
def test_terms_are_what_the_api_server_makes_of_the_route(route: Object) -> None:
    found = terms("route: chat", route)
    stored = mapping(defaulted(schema_of("HTTPRoute"), route)["spec"])
    assert [*found.parents] == stored["parentRefs"]
    assert [*found.hostnames] == stored.get("hostnames", [])
    assert [*found.rules] == [kept(rule) for rule in sequence(stored["rules"])]


def kept(rule: Json) -> Object:
    """Give what terms take from a rule; an empty list says as much as none."""
    return {name: at(rule, name) for name in ("matches", "filters", "timeouts") if at(rule, name)}


@drawn(40)
@given(source_routes(redirecting=True))
def test_written_out_terms_give_the_same_terms_again(route: Object) -> None:
    once = terms("route: chat", route)
    again: Any = http_route(*once.rules, parentRefs=[*once.parents], hostnames=[*once.hostnames])
    assert terms("route: chat", again) == once


@pytest.fixture
def desk(tmp_path: Path) -> Any:
    desk = Desk(tmp_path)
    yield desk
    desk.close()


ROUTE_FILE = """\
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: edge-chat, namespace: serving}
spec:
  parentRefs: [{name: edge}]
  rules: [{matches: [{path: {value: /v1}}], backendRefs: [{name: chat, port: 80}]}]
"""
ROLLOUT_FILE = """\
apiVersion: gitops-rollout.io/v1alpha1
kind: RevisionRollout
metadata: {name: chat, namespace: serving}
spec: {workload: ms/chat, route: edge-chat}
"""


def test_a_route_is_found_wherever_it_stands_in_the_source(desk: Desk) -> None:
    files: dict[str, str | bytes | None] = {
        "specs/a.yaml": manifest("chat"), "specs/net/r.yaml": ROUTE_FILE, "specs/own.yaml": ROLLOUT_FILE,
    }  # fmt: skip
    desk.write(files)
    gateway = desk.read().policy(key("chat")).policy.gateway
    assert gateway is not None
    assert (gateway.replaces, at(gateway.rules[0], "matches")) == (
        "edge-chat",
        [{"path": {"type": "PathPrefix", "value": "/v1"}}],
    )


def test_a_route_of_another_namespace_is_another_route(desk: Desk) -> None:
    elsewhere = ROUTE_FILE.replace("namespace: serving", "namespace: other")
    desk.write({"specs/a.yaml": manifest("chat"), "specs/r.yaml": elsewhere, "specs/own.yaml": ROLLOUT_FILE})
    (problem,) = desk.read().policy(key("chat")).problems
    assert (problem.file, problem.document, problem.code) == ("specs/own.yaml", 1, "ROUTE_UNKNOWN")
