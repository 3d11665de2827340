"""What is refused where the CRD's CEL has no word: types, limits, names, and what we ask on top."""

import pytest

from gitops_rollout.api.values import Json, Object
from gitops_rollout.gateway.httproute import route_problems
from gitops_rollout.gateway.inferencepool import pool_problems
from gitops_rollout.gateway.referencegrant import grant_problems
from tests.gateway.objects import BACKENDS, SERVICE, faults, grant, matching, pool, route

RULE = "spec.rules[0]"
BACKEND, MATCH = f"{RULE}.backendRefs[0]", f"{RULE}.matches[0]"
MODIFIER = f"{RULE}.filters[0].requestHeaderModifier"


def backend(**fields: Json) -> Object:
    return route({"backendRefs": [{**SERVICE, **fields}]})


def headers(*names: str) -> list[Json]:
    return [{"name": name, "value": "1"} for name in names]


def filtered(kind: str, field: str, value: Json) -> Object:
    return route({"filters": [{"type": kind, field: value}]})


def modifier(**fields: Json) -> Object:
    return filtered("RequestHeaderModifier", "requestHeaderModifier", dict(fields))


def cors(**fields: Json) -> Object:
    return filtered("CORS", "cors", dict(fields))


def timeouts(**fields: Json) -> Object:
    return route({"timeouts": dict(fields), **BACKENDS})


REFUSED: list[tuple[Object, str, str]] = [
    (backend(weight="90"), f"{BACKEND}.weight", "TYPE"),
    (backend(weight=True), f"{BACKEND}.weight", "TYPE"),
    (backend(weight=33.3), f"{BACKEND}.weight", "TYPE"),
    (backend(weight=None), f"{BACKEND}.weight", "TYPE"),
    (backend(weight=-1), f"{BACKEND}.weight", "RANGE"),
    (backend(weight=1_000_001), f"{BACKEND}.weight", "RANGE"),
    (backend(name=""), f"{BACKEND}.name", "REQUIRED"),
    (backend(name=7), f"{BACKEND}.name", "TYPE"),
    (backend(name="a" * 254), f"{BACKEND}.name", "RANGE"),
    (backend(namespace="A"), f"{BACKEND}.namespace", "NAME"),
    (backend(subset="a"), f"{BACKEND}.subset", "UNKNOWN_FIELD"),
    (route({"retry": {"attempts": 2}, **BACKENDS}), f"{RULE}.retry", "UNKNOWN_FIELD"),
    (route({"sessionPersistence": {}, **BACKENDS}), f"{RULE}.sessionPersistence", "UNKNOWN_FIELD"),
    (route(BACKENDS, useDefaultGateways="All"), "spec.useDefaultGateways", "UNKNOWN_FIELD"),
    ({**route(BACKENDS), "data": {}}, "data", "UNKNOWN_FIELD"),
    (route(rules=[]), "spec.rules", "REQUIRED"),
    (route(*([BACKENDS] * 17)), "spec.rules", "RANGE"),
    (route("all"), RULE, "TYPE"),
    (matching(*([{}] * 65)), f"{RULE}.matches", "RANGE"),
    (matching({"headers": headers("foo", "Foo")}), f"{MATCH}.headers[1].name", "DUPLICATE"),
    (matching({"headers": headers("a b")}), f"{MATCH}.headers[0].name", "NAME"),
    (matching({"headers": headers("a\n")}), f"{MATCH}.headers[0].name", "NAME"),
    (matching({"headers": [{"name": "a"}]}), f"{MATCH}.headers[0].value", "REQUIRED"),
    (
        matching({"headers": [{"name": "a", "value": "b", "type": "Prefix"}]}),
        f"{MATCH}.headers[0].type",
        "ENUM",
    ),
    (matching({"queryParams": headers("a", "a")}), f"{MATCH}.queryParams[1].name", "DUPLICATE"),
    (matching({"method": "get"}), f"{MATCH}.method", "ENUM"),
    (matching({"path": {"value": "/" * 2 + "a"}}), f"{MATCH}.path.value", "FORMAT"),
    (matching({"path": {"value": "/" + "a" * 1024}}), f"{MATCH}.path.value", "RANGE"),
    (modifier(set=headers("a", "A")), f"{MODIFIER}.set[1].name", "DUPLICATE"),
    (modifier(add=headers("a", "a")), f"{MODIFIER}.add[1].name", "DUPLICATE"),
    (modifier(remove=["a", "a"]), f"{MODIFIER}.remove[1]", "DUPLICATE"),
    (cors(allowMethods=["GET", "GET"]), f"{RULE}.filters[0].cors.allowMethods[1]", "DUPLICATE"),
    (cors(exposeHeaders=["a", "a"]), f"{RULE}.filters[0].cors.exposeHeaders[1]", "DUPLICATE"),
    (cors(allowOrigins=["pine.example"]), f"{RULE}.filters[0].cors.allowOrigins[0]", "FORMAT"),
    (cors(allowCredentials="true"), f"{RULE}.filters[0].cors.allowCredentials", "TYPE"),
    (cors(maxAge=0), f"{RULE}.filters[0].cors.maxAge", "RANGE"),
    (filtered("ExternalAuth", "cors", {}), f"{RULE}.filters[0].type", "ENUM"),
    (
        filtered("RequestRedirect", "requestRedirect", {"statusCode": 304}),
        f"{RULE}.filters[0].requestRedirect.statusCode",
        "ENUM",
    ),
    (
        filtered("RequestRedirect", "requestRedirect", {"statusCode": "301"}),
        f"{RULE}.filters[0].requestRedirect.statusCode",
        "TYPE",
    ),
    (route(BACKENDS, hostnames=["10.0.0.1"]), "spec.hostnames[0]", "NAME"),
    (route(BACKENDS, hostnames=["a.*.example"]), "spec.hostnames[0]", "NAME"),
    (route(BACKENDS, hostnames=["*"]), "spec.hostnames[0]", "NAME"),
    (route(BACKENDS, hostnames=["pine.example:80"]), "spec.hostnames[0]", "NAME"),
    (timeouts(request="1d"), f"{RULE}.timeouts.request", "FORMAT"),
    (timeouts(request="1.5s"), f"{RULE}.timeouts.request", "FORMAT"),
    (timeouts(request="1h", backendRequest="1s1h"), f"{RULE}.timeouts.backendRequest", "CONFLICT"),
    ({**route(BACKENDS), "apiVersion": "gateway.networking.k8s.io/v2"}, "apiVersion", "KIND"),
    ({**route(BACKENDS), "metadata": {"name": "Pine"}}, "metadata.name", "NAME"),
    ({**route(BACKENDS), "metadata": {"generateName": "pine-"}}, "metadata.name", "REQUIRED"),
    ({**route(BACKENDS), "metadata": {"name": "a", "labels": {"a": "b c"}}}, "metadata.labels[a]", "LABEL"),
]


@pytest.mark.parametrize(("value", "path", "code"), REFUSED)
def test_a_fault_is_refused_at_its_path(value: Object, path: str, code: str) -> None:
    assert faults(route_problems(value)) == [(path, code)]


PREFIX: Json = {"type": "ReplacePrefixMatch", "replacePrefixMatch": "/"}
FULL: Json = {"type": "ReplaceFullPath", "replaceFullPath": "/"}
EXACT: Json = {"path": {"type": "Exact", "value": "/a"}}

ACCEPTED: list[Object] = [
    route(),
    route(BACKENDS, rules=[{}]),
    backend(weight=0),
    backend(weight=1_000_000),
    backend(weight=90.0),
    matching({"path": {"type": "RegularExpression", "value": "a//[b]"}}),
    matching({"path": {"value": "/a/.b/..c/%20"}}),
    matching({"queryParams": headers("a", "A")}),
    matching(*([{}] * 64)),
    timeouts(request="0s", backendRequest="1s"),
    timeouts(request="1m", backendRequest="30s30000ms"),
    filtered("URLRewrite", "urlRewrite", {"path": PREFIX}),
    route({"matches": [EXACT], "filters": [{"type": "URLRewrite", "urlRewrite": {"path": FULL}}]}),
    filtered("RequestMirror", "requestMirror", {"backendRef": SERVICE, "fraction": {"numerator": 100}}),
    modifier(remove=["a", "A"]),
    cors(allowOrigins=["https://*.pine.example:8443"], exposeHeaders=["*", "a"]),
    {**route(), "status": {"parents": 1}, "metadata": {"name": "a", "labels": None, "uid": 1}},
    {**route(), "apiVersion": "gateway.networking.k8s.io/v1beta1"},
]


@pytest.mark.parametrize("value", ACCEPTED)
def test_what_the_api_server_takes_is_accepted(value: Object) -> None:
    assert route_problems(value) == ()


PARENTS: list[tuple[list[Json], list[tuple[str, str]]]] = [
    ([{"sectionName": "a"}, {"sectionName": "b"}], []),
    ([{"sectionName": "a"}, {"sectionName": "a"}], [("[1]", "DUPLICATE")]),
    ([{"sectionName": "a"}, {}], [("[1].sectionName", "REQUIRED")]),
    ([{}, {"sectionName": "a"}], [("[0].sectionName", "REQUIRED")]),
    ([{}, {}], [("[1]", "DUPLICATE")]),
    ([{"port": 80}, {"port": 81}], [("[1]", "DUPLICATE")]),
    ([{}, {"kind": "Gateway", "group": "gateway.networking.k8s.io"}], [("[1]", "DUPLICATE")]),
    ([{}, {"kind": "Service", "group": ""}], []),
    ([{}, {"namespace": "edge"}], []),
    ([{"namespace": "edge"}, {"namespace": "edge"}], [("[1]", "DUPLICATE")]),
    ([{}, {"name": "inner"}], []),
]


@pytest.mark.parametrize(("refs", "found"), PARENTS)
def test_references_to_one_parent_differ_by_section(refs: list[Object], found: list[tuple[str, str]]) -> None:
    problems = route_problems(route(BACKENDS, parentRefs=[{"name": "edge", **ref} for ref in refs]))
    assert faults(problems) == [(f"spec.parentRefs{path}", code) for path, code in found]


@pytest.mark.parametrize(
    ("counts", "refused"), [((64, 64), False), ((64, 63, None), False), ((64, 64, None), True)]
)
def test_matches_are_counted_with_the_default_one(counts: tuple[int | None, ...], refused: bool) -> None:
    rules: list[Json] = [{} if count is None else {"matches": [{}] * count} for count in counts]
    assert faults(route_problems(route(*rules))) == ([("spec.rules", "RANGE")] if refused else [])


def test_all_faults_are_found_in_one_pass() -> None:
    value = route({"matches": [{"method": "get"}], "backendRefs": [{"weight": -1}]}, hostnames=["A"])
    assert faults(route_problems(value)) == [
        ("spec.hostnames[0]", "NAME"),
        (f"{MATCH}.method", "ENUM"),
        (f"{BACKEND}.name", "REQUIRED"),
        (f"{BACKEND}.weight", "RANGE"),
        (f"{BACKEND}.port", "REQUIRED"),
    ]


def test_the_order_of_fields_is_no_matter() -> None:
    value = backend(weight=-1, port=0)
    turned = route({"backendRefs": [{"port": 0, "weight": -1, "name": "pine"}]})
    assert route_problems(value) == route_problems(turned)


def test_a_long_value_is_not_shown_whole() -> None:
    (found,) = route_problems(matching({"path": {"value": "a" * 1000}}))
    assert "a" * 61 not in found.message


POOLS: list[tuple[Object, str, str]] = [
    (pool(selector={}), "spec.selector.matchLabels", "REQUIRED"),
    (pool(selector={"matchLabels": {"a": "b" * 64}}), "spec.selector.matchLabels[a]", "RANGE"),
    (pool(selector={"matchLabels": {"a": "-"}}), "spec.selector.matchLabels[a]", "LABEL"),
    (pool(selector={"matchLabels": {"a/b/c": ""}}), "spec.selector.matchLabels[a/b/c]", "LABEL"),
    (pool(selector={"matchLabels": {str(i): "" for i in range(65)}}), "spec.selector.matchLabels", "RANGE"),
    (pool(targetPorts=[]), "spec.targetPorts", "REQUIRED"),
    (pool(targetPorts=[{"number": 1 + i} for i in range(9)]), "spec.targetPorts", "RANGE"),
    (pool(targetPorts=[{"number": 0}]), "spec.targetPorts[0].number", "RANGE"),
    (pool(targetPorts=[{"number": 65536}]), "spec.targetPorts[0].number", "RANGE"),
    (pool(targetPorts=[{"number": 80}, {"number": 80.0}]), "spec.targetPorts[1].number", "DUPLICATE"),
    (pool(appProtocol="grpc"), "spec.appProtocol", "ENUM"),
    (pool(extensionRef={"name": "picker"}), "spec.extensionRef", "UNKNOWN_FIELD"),
    ({**pool(), "apiVersion": "inference.networking.x-k8s.io/v1alpha2"}, "apiVersion", "KIND"),
]


@pytest.mark.parametrize(("value", "path", "code"), POOLS)
def test_a_fault_of_a_pool_is_refused_at_its_path(value: Object, path: str, code: str) -> None:
    assert faults(pool_problems(value)) == [(path, code)]


NO_NAMESPACE: Object = {"from": [{"group": "", "kind": "Service"}]}

GRANTS: list[tuple[Object, str, str]] = [
    (grant(to=[]), "spec.to", "REQUIRED"),
    (grant(to=[{"kind": "InferencePool"}]), "spec.to[0].group", "REQUIRED"),
    (grant(**NO_NAMESPACE), "spec.from[0].namespace", "REQUIRED"),
    ({**grant(), "status": {}}, "status", "UNKNOWN_FIELD"),
]


@pytest.mark.parametrize(("value", "path", "code"), GRANTS)
def test_a_fault_of_a_grant_is_refused_at_its_path(value: Object, path: str, code: str) -> None:
    assert faults(grant_problems(value)) == [(path, code)]
