"""What is refused of a route when it is read, each with what to write instead."""

import pytest

from gitops_rollout.api.policy_document import read_policy
from gitops_rollout.api.problems import Problem
from gitops_rollout.api.values import Json, Object
from tests.kinds.manifests import role, serving
from tests.traffic.asked import EDGE, GATEWAY, document, explained, http_route, written

WEIGHT = "steps[0].traffic.weight"
SPLIT = "steps: [{replicas: 25%, traffic: {weight: 10}}, 100%]"
HEADER = "steps: [{replicas: 1, traffic: {header: true}}, 100%]"


def on(implementation: str, backend: str = "InferencePool", more: str = "") -> str:
    """Write a gateway of an implementation."""
    return f"gateway: {{{EDGE}, implementation: {implementation}, backend: {backend}{more}}}"


def found(spec: str, route: Object | None = None, value: Object | None = None) -> list[Problem]:
    """Give what is refused; then there is no route, and steps say nothing of requests."""
    given = explained(spec, route, value)
    assert given.policy.gateway is None
    assert not [step for step in given.policy.steps if step.traffic]
    return [*given.problems]


def is_refused(problems: list[Problem], path: str, code: str, word: str) -> None:
    said = [(one.path, one.code) for one in problems]
    assert said == [(path, code)]
    assert word in problems[0].message


TERMS = [
    ("gateway: {targetPort: 8000}", "gateway.parentRefs", "POLICY_INVALID", "needs a Gateway"),
    ("route: gone", "route", "ROUTE_UNKNOWN", "no HTTPRoute gone in namespace serving"),
    (on("istoi"), "gateway.implementation", "POLICY_INVALID", "'istoi' is not known"),
    (f"gateway: {{{EDGE}, component: ghost}}", "gateway.component", "POLICY_INVALID", "there are decode"),
    (on("traefik"), "gateway.backend", "POLICY_INVALID", "no InferencePools"),
    (on("kthena-router", "Service"), "gateway.backend", "POLICY_INVALID", "no Service backends"),
    (on("{pools: false}"), "gateway.backend", "POLICY_INVALID", "as written"),
    (on("{services: false}", "Service"), "gateway.backend", "POLICY_INVALID", "as written"),
]


@pytest.mark.parametrize(("spec", "path", "code", "word"), TERMS)
def test_terms_that_cannot_be_are_refused_at_their_path(spec: str, path: str, code: str, word: str) -> None:
    is_refused(found(spec), path, code, word)


STEPS = [
    (f"{on('kthena-router')}\n{HEADER}", "steps[0].traffic.header", "skips matches with headers"),
    (f"{on('{headers: false}')}\n{HEADER}", "steps[0].traffic.header", "leave header out"),
    (f"{GATEWAY}\n{SPLIT}", WEIGHT, "its weight of 10 needs two weighted InferencePools"),
    (f"{on('kgateway')}\n{SPLIT}", WEIGHT, "#11667"),
    (f"{on('envoy-gateway')}\n{SPLIT}", WEIGHT, "ai-gateway"),
    (f"{GATEWAY}\nsteps: [1, 100%]", WEIGHT, "the share of 1 of the replicas"),
    (f"{GATEWAY}\nsteps: [50%, 100%]", WEIGHT, "its weight of 50"),
    (
        f"{on('istio')}\nsteps: [{{replicas: 10%, traffic: {{weight: 11}}}}, 100%]",
        WEIGHT,
        "11 % of the requests for 10% of the replicas",
    ),
    (
        f"{on('istio')}\nsteps: [{{replicas: 50%, traffic: {{weight: 40}}}}, "
        "{replicas: 60%, traffic: {weight: 39}}, 100%]",
        "steps[1].traffic.weight",
        "39 falls below 40",
    ),
    (
        f"{on('istio')}\nsteps: [25%, {{replicas: 50%, traffic: {{header: true}}}}, 100%]",
        "steps[1].traffic.weight",
        "0 falls below 25",
    ),
    (
        f"{on('istio')}\nsteps: [{{replicas: 100%, traffic: {{weight: 99}}}}]",
        WEIGHT,
        "the last step gives everything",
    ),
    ("steps: [{replicas: 1, traffic: {weight: 0}}, 100%]", "steps[0].traffic", "needs a route"),
]


@pytest.mark.parametrize(("spec", "path", "word"), STEPS)
def test_steps_that_cannot_be_done_are_refused_at_their_path(spec: str, path: str, word: str) -> None:
    is_refused(found(spec), path, "POLICY_INVALID", word)


def test_traefik_has_no_pools_and_so_no_weights_on_them() -> None:
    assert {(one.path, "traefik" in str(one) or "InvalidKind" in one.message) for one in found(
        f"{on('traefik')}\n{SPLIT}"
    )} == {("gateway.backend", True), (WEIGHT, True)}  # fmt: skip


@pytest.mark.parametrize(
    "gateway", [on("traefik", "Service"), on("kgateway", "Service"), on("kthena-router"), on("istio")]
)
def test_weights_are_taken_where_the_gateway_can_do_them(gateway: str) -> None:
    assert explained(f"{gateway}\n{SPLIT}").problems == ()


def test_without_weighted_pools_a_header_and_all_or_nothing_are_taken() -> None:
    assert explained(f"{GATEWAY}\n{HEADER}").problems == ()


@pytest.mark.parametrize(
    ("more", "field"),
    [(EDGE, "parentRefs"), ("hostnames: [a.example]", "hostnames"), ("matches: [{}]", "matches")],
)
def test_what_the_route_says_is_not_said_again(more: str, field: str) -> None:
    spec = f"route: chat\ngateway: {{{more}}}"
    is_refused(found(spec, http_route({})), f"gateway.{field}", "POLICY_INVALID", "route says it already")


def test_of_several_roles_the_one_that_answers_is_named() -> None:
    value = serving(role("prefill"), role("decode"))
    is_refused(found(GATEWAY, value=value), "gateway.component", "POLICY_INVALID", "decode, prefill")


@pytest.mark.parametrize(
    ("match", "field"),
    [
        ("{method: GET}", "method"),
        ("{headers: [{name: a, value: b}]}", "headers"),
        ("{queryParams: [{name: a, value: b}]}", "queryParams"),
    ],
)
def test_the_kthena_router_matches_paths_alone(match: str, field: str) -> None:
    spec = on("kthena-router", more=f", matches: [{match}]")
    problems = found(spec)
    is_refused(problems, "gateway", "POLICY_INVALID", "match paths alone")
    assert f"matches.{field}" in problems[0].message


def test_every_fault_is_told_at_once() -> None:
    spec = f"gateway: {{component: ghost, implementation: kthena-router}}\n{HEADER}"
    assert {one.path for one in found(spec)} == {
        "gateway.parentRefs",
        "gateway.component",
        "steps[0].traffic.header",
    }


UNSOUND = [
    (f"{EDGE}, hostnames: [10.0.0.1]", "NAME", "no IP address"),
    (f"{EDGE}, hostnames: [Chat.example.com]", "NAME", "lower-case"),
    (f"{EDGE}, matches: [{{path: {{value: v1}}}}]", "FORMAT", "starts with"),
    (f"{EDGE}, matches: [{{method: FETCH}}]", "ENUM", "FETCH"),
    (f"{EDGE}, canaryHeader: {{name: X-A, value: b}}, matches: [{{headers: [{{name: x-a, value: c}}]}}]",
     "DUPLICATE", "choose another canaryHeader"),
    ("parentRefs: [{name: edge}, {name: edge}]", "DUPLICATE", "sectionName"),
    ("parentRefs: [{}]", "REQUIRED", "name"),
]  # fmt: skip


@pytest.mark.parametrize(("fields", "code", "word"), UNSOUND)
def test_what_the_api_would_refuse_is_refused_here(fields: str, code: str, word: str) -> None:
    first, *_ = problems = found(f"gateway: {{{fields}}}")
    assert {one.path for one in problems} == {"gateway"}
    assert (first.code, word in first.message) == (code, True)


@pytest.mark.parametrize(("matches", "fits"), [(64, True), (65, False)])
def test_a_route_takes_half_of_the_matches_that_the_api_takes(matches: int, fits: bool) -> None:
    listed = ", ".join(f"{{path: {{value: /m{index}}}}}" for index in range(matches))
    problems = explained(f"gateway: {{{EDGE}, matches: [{listed}]}}").problems
    assert (not problems) is fits
    assert all("at most" in one.message for one in problems)


MARKED = "steps: [{replicas: 1, traffic: {header: true}}, 100%]"


@pytest.mark.parametrize(("rules", "fits"), [(8, True), (9, False)])
def test_a_route_takes_half_of_the_rules_that_the_api_takes(rules: int, fits: bool) -> None:
    listed: list[Json] = [{"matches": [{"path": {"value": f"/r{index}"}}]} for index in range(rules)]
    problems = explained(f"route: chat\n{MARKED}", http_route(*listed)).problems
    assert (not problems) is fits
    assert all(one.path == "route" and "at most 16" in one.message for one in problems)


LABEL = "{revisionLabel: {key: a, value: b}}"
STEP = "steps: [{replicas: 100%, traffic: "
READ = [
    (f"adopt: {LABEL}", "adopt", "POLICY_INVALID", "without route or gateway"),
    ("gateway: {parentRefs: []}", "gateway.parentRefs", "POLICY_INVALID", "at least 1"),
    ("gateway: {parentRefs: [edge]}", "gateway.parentRefs[0]", "POLICY_INVALID", "a mapping"),
    ("gateway: {parentRef: []}", "gateway.parentRef", "UNKNOWN_FIELD", "parentRefs"),
    ("gateway: {targetPort: 0}", "gateway.targetPort", "POLICY_INVALID", "greater"),
    ("gateway: {backend: Pod}", "gateway.backend", "POLICY_INVALID", "Service"),
    ("gateway: {canaryHeader: {name: a b}}", "gateway.canaryHeader.name", "POLICY_INVALID", "pattern"),
    (f"{STEP}{{weight: 101}}}}]", "steps[0].traffic.weight", "POLICY_INVALID", "100"),
    (f"{STEP}{{weight: 50%}}}}]", "steps[0].traffic.weight", "POLICY_INVALID", "whole number"),
    (f"{STEP}{{mirror: 5}}}}]", "steps[0].traffic.mirror", "UNKNOWN_FIELD", "mirror"),
]


@pytest.mark.parametrize(("spec", "path", "code", "word"), READ)
def test_what_is_no_policy_is_refused_as_it_is_read(spec: str, path: str, code: str, word: str) -> None:
    first, *_ = written(spec)[1]
    is_refused([first], f"spec.{path}", code, word)


@pytest.mark.parametrize("field", ["gateway: {}", "route: chat", "adopt: {}"])
def test_a_route_is_of_one_workload_and_not_of_a_fleet(field: str) -> None:
    _, problems = read_policy(document(f"metadata: {{name: fleet}}\nspec: {{{field}}}"))
    path = f"spec.{field.partition(':')[0]}"
    is_refused([*problems], path, "POLICY_INVALID", "RevisionRollout")


ADOPT = (
    "gateway: {{parentRefs: [{{name: edge}}], targetPort: 8000}}\n"
    "adopt: {{revisionLabel: {{key: {}, value: {}}}}}"
)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("modelserving.volcano.sh/name", "other"),
        ("modelserving.volcano.sh/entry", '"false"'),
        ("modelserving.volcano.sh/role-id", "decode-0"),
        ("modelserving.volcano.sh/revision", '"a b"'),
        ("bad key", "a"),
    ],
)
def test_a_label_that_tells_no_revision_adopts_nothing(key: str, value: str) -> None:
    (problem,) = explained(ADOPT.format(key, value)).problems
    assert problem.path == "adopt.revisionLabel"


def test_a_marked_request_is_redirected_where_another_one_is() -> None:
    plain: Json = [{"headers": [{"name": "x-forwarded-proto", "value": "http"}]}]
    away: Json = {"type": "RequestRedirect", "requestRedirect": {"scheme": "https"}}
    found = explained(f"route: chat\n{MARKED}", http_route({"matches": plain, "filters": [away]}, {}))
    assert found.problems == ()


@pytest.mark.parametrize(
    ("rule", "lost"),
    [
        ({"retry": {"attempts": 2}}, "rules[0].retry"),
        ({"backendRefs": [{"name": "a", "port": 80, "filters": [{}]}]}, "rules[0].backendRefs[0].filters"),
    ],
)
def test_what_an_owned_route_would_lose_is_refused(rule: Object, lost: str) -> None:
    (problem,) = explained("route: chat", http_route(rule)).problems
    assert (problem.path, lost in problem.message) == ("route", True)


@pytest.mark.parametrize(
    "gateway",
    [
        "{parentRefs: [{name: edge}], endpointPicker: {name: A B, port: 9002}}",
        "{parentRefs: [{name: edge}], canaryHeader: {name: Host, value: canary}}",
    ],
)
def test_names_that_cannot_be_used_are_refused(gateway: str) -> None:
    assert [one.path for one in explained(f"gateway: {gateway}").problems] == ["gateway"]


def test_a_route_of_redirects_alone_answers_nobody() -> None:
    away: Json = {"type": "RequestRedirect", "requestRedirect": {"scheme": "https"}}
    (problem,) = explained("route: chat", http_route({"filters": [away]})).problems
    assert "no request is answered" in problem.message
