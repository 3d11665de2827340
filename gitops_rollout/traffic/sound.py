"""Whether a route does what it is for, before anything is written: valid in every step, and read right.

A request with the canary header always reaches the candidate, one without it never does unless the
candidate has weight. It is tried on every production match (Gateway API HTTPRouteRule, precedence).
"""

from collections.abc import Iterator

from gitops_rollout.api.gateway import Backend, Gateway
from gitops_rollout.api.problems import Problem
from gitops_rollout.api.profiles import Profile
from gitops_rollout.api.values import Object, at, mapping, sequence, text
from gitops_rollout.api.workload import WorkloadKey
from gitops_rollout.gateway.precedence import Request, answering
from gitops_rollout.gateway.sound import sound_problems
from gitops_rollout.traffic.pools import LONGEST, Pool
from gitops_rollout.traffic.route import Shares, redirects, route_object

_PATHS_ONLY = ("headers", "method", "queryParams")


def route_faults(key: WorkloadKey, gateway: Gateway, profile: Profile) -> Iterator[Problem]:
    """Find what the API server would refuse of this route in any step, and what would be read wrong."""
    found = list(_name_faults(gateway))
    stable, candidate = _pool("stable", gateway), _pool("candidate", gateway)
    widest = route_object(key, gateway, Shares(stable, candidate, header=profile.headers, weight=50))
    found += sound_problems(widest)
    if profile.paths_only:
        found += _paths_only(gateway, profile)
    yield from found
    if not found and profile.headers and not _expressions(gateway):
        yield from _misread(key, gateway, stable, candidate)


def _name_faults(gateway: Gateway) -> Iterator[Problem]:
    """The canary header is nobody else's: a production match that names it could never be told apart."""
    ours = gateway.header.name.lower()
    for rule in gateway.rules:
        for match in sequence(rule.get("matches")):
            for header in sequence(at(match, "headers")):
                if text(at(header, "name")).lower() == ours:
                    message = f"a production match names {gateway.header.name}; choose another canaryHeader"
                    yield Problem(path="canaryHeader", code="DUPLICATE", message=message)


def _paths_only(gateway: Gateway, profile: Profile) -> list[Problem]:
    matches = [mapping(one) for rule in gateway.rules for one in sequence(rule.get("matches"))]
    skipped = sorted({field for match in matches for field in _PATHS_ONLY if match.get(field)})
    message = f"this gateway {profile.why}; match paths alone"
    return [Problem(path=f"matches.{field}", code="POLICY_INVALID", message=message) for field in skipped]


def _misread(key: WorkloadKey, gateway: Gateway, stable: Pool, candidate: Pool) -> Iterator[Problem]:
    marked = route_object(key, gateway, Shares(stable, candidate, header=True, weight=0))
    for rule in gateway.rules:
        for match in [] if redirects(rule) else sequence(rule.get("matches")):
            request = _request(gateway, mapping(match))
            plain, canary = _backends(marked, request), _backends(marked, _with(request, gateway))
            if canary != {candidate.name} or candidate.name in plain:
                message = f"with the canary header, {request.path} would not surely reach the candidate"
                yield Problem(path="matches", code="CONFLICT", message=message)


def _backends(route: Object, request: Request) -> set[str]:
    return {backend.name for backend in answering([route], request) or () if backend.weight > 0}


def _with(request: Request, gateway: Gateway) -> Request:
    headers = {**request.headers, gateway.header.name: gateway.header.value}
    return Request(request.host, request.path, request.method, headers, request.query)


def _expressions(gateway: Gateway) -> bool:
    """Say whether only an expression tells what some rule takes. Those of strangers are never run; that
    each canary rule is a clone with one header more holds for them, too.
    """
    matches = [mapping(one) for rule in gateway.rules for one in sequence(rule.get("matches"))]
    parts = [
        part
        for one in matches
        for part in (one.get("path"), *sequence(one.get("headers")), *sequence(one.get("queryParams")))
    ]
    return any(at(part, "type") == "RegularExpression" for part in parts)


def _request(gateway: Gateway, match: Object) -> Request:
    """Make a request that a match takes."""
    host = gateway.hostnames[0] if gateway.hostnames else "any.example"
    return Request(
        host.replace("*", "any", 1),
        text(at(match, "path", "value")),
        text(match.get("method")) or "GET",
        {text(at(one, "name")): text(at(one, "value")) for one in sequence(match.get("headers"))},
        {text(at(one, "name")): text(at(one, "value")) for one in sequence(match.get("queryParams"))},
    )


def _pool(which: str, gateway: Gateway) -> Pool:
    """Give a pool under a name as long as any gets."""
    port = gateway.port or 8000
    return Pool(which.ljust(LONGEST, "x"), which, {"revision": which}, port, Backend(gateway.backend))
