"""Whether a route does what it is for, before anything is written: valid in every step, and read right.

A request with the canary header always reaches the candidate, one without it never does unless the
candidate has weight. It is tried on every production match (Gateway API HTTPRouteRule, precedence).
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from gitops_rollout.api.gateway import Backend, Gateway, Picker
from gitops_rollout.api.policy import Step
from gitops_rollout.api.problems import Problem
from gitops_rollout.api.profiles import Profile
from gitops_rollout.api.values import Object, at, sequence, text
from gitops_rollout.api.workload import WorkloadKey
from gitops_rollout.gateway.inferencepool import pool_problems
from gitops_rollout.gateway.precedence import Request, answering
from gitops_rollout.gateway.referencegrant import grant_problems
from gitops_rollout.gateway.sound import sound_problems
from gitops_rollout.kinds.names import LABEL_LENGTH, bad_dns_1035
from gitops_rollout.traffic.pools import LONGEST, Pool, pool_object
from gitops_rollout.traffic.route import Shares, grant_objects, redirects, route_object

_PATHS_ONLY = ("headers", "method", "queryParams")


def route_faults(
    key: WorkloadKey, gateway: Gateway, profile: Profile, steps: Sequence[Step]
) -> list[Problem]:
    """Find what the API server would refuse of this route in any step, and what would be read wrong.

    Paths of what people wrote are those of the route with production rules alone.
    """
    stable, candidate = _pool("stable", gateway), _pool("candidate", gateway)
    written = [*_header_faults(gateway), *_rule_faults(gateway)]
    written += sound_problems(route_object(key, gateway, Shares(stable)))
    written += _paths_only(gateway, profile) if profile.paths_only else []
    if gateway.backend is Backend.POOL:
        written += pool_problems(pool_object(key, stable))
    for grant in grant_objects(key, gateway).values():
        written += grant_problems(grant)
    if written:
        return written
    marked = any(step.traffic is not None and step.traffic.header for step in steps)
    widest = route_object(key, gateway, Shares(stable, candidate, header=marked, weight=50))
    found = [replace(one, path="") for one in sound_problems(widest)]
    if not found and marked and not _expressions(gateway):
        found += _misread(key, gateway, stable, candidate)
    return list(dict.fromkeys(found))


def _header_faults(gateway: Gateway) -> Iterator[Problem]:
    """The canary header is nobody else's: a production match that names it could never be told apart."""
    ours = gateway.header.name.lower()
    if ours == "host":
        yield Problem(path="canaryHeader", code="CONFLICT", message="Host names the server; choose another")
    headers = [header for match in gateway.matches for header in sequence(match.get("headers"))]
    if any(text(at(header, "name")).lower() == ours for header in headers):
        message = f"a production match names {gateway.header.name}; choose another canaryHeader"
        yield Problem(path="canaryHeader", code="DUPLICATE", message=message)


def _rule_faults(gateway: Gateway) -> Iterator[Problem]:
    if not gateway.parents:
        yield Problem(path="parentRefs", code="REQUIRED", message="it names no Gateway")
    if all(map(redirects, gateway.rules)):
        yield Problem(path="rules", code="REQUIRED", message="every rule redirects: no request is answered")
    if gateway.picker is not None:
        name = gateway.picker.name.replace("{revision}", _ANY_REVISION)
        if (why := bad_dns_1035(name)) or len(name) > LABEL_LENGTH:
            message = why or f'"{name}" is longer than the {LABEL_LENGTH} characters of a Service'
            yield Problem(path="endpointPicker.name", code="NAME", message=message)


_ANY_REVISION = "r0123456789"
"""As long as the name of any revision."""


def _paths_only(gateway: Gateway, profile: Profile) -> list[Problem]:
    skipped = sorted({field for match in gateway.matches for field in _PATHS_ONLY if match.get(field)})
    message = f"this gateway {profile.why}; match paths alone"
    return [Problem(path=f"matches.{field}", code="POLICY_INVALID", message=message) for field in skipped]


def _misread(key: WorkloadKey, gateway: Gateway, stable: Pool, candidate: Pool) -> Iterator[Problem]:
    marked = route_object(key, gateway, Shares(stable, candidate, header=True, weight=0))
    for match in gateway.matches:
        request = _request(gateway, match)
        plain, canary = _backends(marked, request), _backends(marked, _with(request, gateway))
        # Where another request is redirected, so is a marked one.
        if canary != ({candidate.name} if plain else set()) or candidate.name in plain:
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
    parts = [
        part
        for one in gateway.matches
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
    picker = gateway.picker
    if picker is not None:
        picker = Picker(picker.name.replace("{revision}", _ANY_REVISION), picker.port)
    return Pool(which.ljust(LONGEST, "x"), which, {"revision": which}, port, gateway.backend, picker)
