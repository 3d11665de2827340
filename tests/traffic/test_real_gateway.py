"""Rendered routes behind a real Envoy: who answers, and how often."""

from collections import Counter
from pathlib import Path

from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from gitops_rollout.api.gateway import Gateway
from gitops_rollout.api.values import at, mapping, sequence
from gitops_rollout.gateway.precedence import Request, answering
from gitops_rollout.traffic.route import route_object
from tests.drawn import drawn
from tests.rollout.routed import ALL_GATES, going
from tests.servers.envoy import envoy
from tests.traffic.asked import KEY
from tests.traffic.rules import gateways, shares

MARK = {"x-canary": "true"}
ASKED: tuple[dict[str, str], ...] = (MARK, {})


def test_each_step_answers_as_its_gate_said(tmp_path: Path) -> None:
    stops = {f"stop{number}.test": going(*ALL_GATES[:number]) for number in range(len(ALL_GATES) + 1)}
    with envoy({domain: stage.route for domain, stage in stops.items()}, tmp_path) as gateway:
        for domain, stage in stops.items():
            names = {pool.name: stage.image_of(pool.revision) for pool in stage.pools()}
            marked, plain = [
                Counter(names[gateway.ask(domain, "/v1", headers=mark)] for _ in range(200)) for mark in ASKED
            ]
            canary, default = stage.traffic
            assert set(marked) == {image for image, _ in (canary or default)}
            for image, weight in default:
                assert abs(plain[image] - 2 * int(str(weight))) <= 45
            assert set(plain) == {image for image, _ in default}


def requests(gateway: Gateway) -> list[Request]:
    """Make requests around every production match: as it is, longer, by another method, with the mark."""
    found = []
    for rule in gateway.rules:
        for match in map(mapping, sequence(rule["matches"])):
            headers = {str(at(one, "name")): str(at(one, "value")) for one in sequence(match.get("headers"))}
            query = {
                str(at(one, "name")): str(at(one, "value")) for one in sequence(match.get("queryParams"))
            }
            path = str(at(match, "path", "value"))
            for at_ in (path, f"{path.rstrip('/')}/more", f"{path}x"):
                for method in (str(match.get("method") or "GET"), "PUT"):
                    found += [Request("any.test", at_, method, {**headers, **mark}, query) for mark in ASKED]
    return found


@drawn(3, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(gateways(redirecting=True), min_size=8, max_size=12), st.sampled_from([1, 30, 100]))
def test_envoy_answers_what_precedence_says(tmp_path: Path, drawn: list[Gateway], weight: int) -> None:
    routes = {
        f"g{number}.test": route_object(KEY, gateway, shares(gateway, weight))
        for number, gateway in enumerate(drawn)
    }
    for route in routes.values():
        mapping(route["spec"]).pop("hostnames", None)
    with envoy(routes, tmp_path) as served:
        for (domain, route), terms in zip(routes.items(), drawn, strict=True):
            for request in requests(terms):
                said = answering([route], request)
                expected = {"404"} if said is None else {one.name for one in said} or {"301"}
                query = "&".join(f"{name}={value}" for name, value in request.query.items())
                path = f"{request.path}?{query}" if query else request.path
                given_by = served.ask(domain, path, request.method, dict(request.headers))
                assert given_by in expected, request
