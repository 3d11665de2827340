"""From what people wrote about a route to its terms, every default decided and everything checked."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from gitops_rollout.api import gateway_document as documents
from gitops_rollout.api.gateway import Backend, Gateway, Header
from gitops_rollout.api.policy import Policy
from gitops_rollout.api.policy_document import Routing
from gitops_rollout.api.policy_merge import Explained, Origin
from gitops_rollout.api.problems import Problem
from gitops_rollout.api.profiles import GENERIC, PROFILES, Profile
from gitops_rollout.api.values import Json, Object, at, mapping, sequence, text
from gitops_rollout.api.workload import WorkloadKey
from gitops_rollout.kinds.protocol import Kind
from gitops_rollout.traffic import explicit
from gitops_rollout.traffic.sound import route_faults
from gitops_rollout.traffic.steps import traffic_faults, with_traffic, without_traffic

_HEADER = Header("x-canary", "true")
_IMPLEMENTATION = "gateway.implementation"


@dataclass(frozen=True, slots=True)
class Asked:
    """What one workload asks for; `route` is the HTTPRoute of the source that `routing` names, if there."""

    key: WorkloadKey
    kind: Kind
    text: Object
    routing: Routing
    route: Object | None = None
    where: str = ""
    """In words: RevisionRollout chat."""


def route_name(key: WorkloadKey, routing: Routing) -> str:
    """Give the name of the owned route; one that takes another's place may stand beside it."""
    return f"{key.name}-rollout" if routing.route else key.name


def routed(explained: Explained, asked: Asked | None) -> Explained:
    """Give the policy with the route that its workload asks for.

    With problems the policy has no route, for a workload that has none yet; others keep what they have.
    """
    policy = explained.policy
    if asked is None:
        unrouted = tuple(_unrouted(policy))
        problems = (*explained.problems, *unrouted)
        policy = replace(policy, steps=without_traffic(policy.steps)) if unrouted else policy
        return replace(explained, policy=policy, problems=problems)
    profile, named, unknown = _profile(asked.routing)
    problems = (*unknown, *_faults(asked, profile, policy))
    gateway = _gateway(asked)
    problems = problems or tuple(_unsound(asked, gateway))
    if problems:
        policy = replace(policy, steps=without_traffic(policy.steps))
        return replace(explained, policy=policy, problems=(*explained.problems, *problems))
    steps = with_traffic(policy.steps)
    origins = (*explained.origins, *_origins(asked, gateway, f"{named} ({profile.words})", policy))
    return replace(explained, policy=replace(policy, gateway=gateway, steps=steps), origins=origins)


def _unrouted(policy: Policy) -> Iterator[Problem]:
    for index, step in enumerate(policy.steps):
        if step.traffic is not None:
            message = "traffic needs a route: write route or gateway in the workload's RevisionRollout"
            yield _problem(f"steps[{index}].traffic", message)


def _profile(routing: Routing) -> tuple[Profile, str, tuple[Problem, ...]]:
    written = routing.gateway.implementation
    if isinstance(written, documents.ProfileModel):
        return documents.profile(written), "as written", ()
    name = written or GENERIC
    if name in PROFILES:
        return PROFILES[name], name, ()
    known = ", ".join(sorted(PROFILES))
    message = f"{name[:40]!r} is not known; known are {known}; or write what it can do, as a mapping"
    return PROFILES[GENERIC], name, (_problem(_IMPLEMENTATION, message),)


def _faults(asked: Asked, profile: Profile, policy: Policy) -> Iterator[Problem]:
    """What can be said before there are terms."""
    routing, written = asked.routing, asked.routing.gateway
    backend = documents.backend(written.backend)
    if not asked.kind.routes:
        message = f"routes of a {asked.key.kind} are not built yet; leave it out"
        yield Problem(path="route" if routing.route else "gateway", code="NOT_YET", message=message)
        return
    both = [name for name in ("parent_refs", "hostnames", "matches") if getattr(written, name) is not None]
    rows = (
        (bool(routing.route and both), f"gateway.{_camel(both)}", "route says it already; keep one of both"),
        (
            not routing.route and written.parent_refs is None,
            "gateway.parentRefs",
            "a route needs a Gateway: write parentRefs, or name a route of the source",
        ),
        (
            backend is Backend.POOL and not profile.pools,
            "gateway.backend",
            f"this gateway has no InferencePools ({profile.why}); write Service",
        ),
        (
            backend is Backend.SERVICE and not profile.services,
            "gateway.backend",
            f"this gateway has no Service backends ({profile.why}); write InferencePool",
        ),
    )
    yield from (_problem(path, message) for holds, path, message in rows if holds)
    if routing.route and asked.route is None:
        message = f"there is no HTTPRoute {routing.route} in namespace {asked.key.namespace} of the source"
        yield Problem(path="route", code="ROUTE_UNKNOWN", message=message)
    yield from _component_faults(asked)
    for path, message in traffic_faults(policy.steps, backend, profile):
        yield _problem(f"steps{path}", message)


def _component_faults(asked: Asked) -> Iterator[Problem]:
    names = list(asked.kind.components(asked.text))
    component = asked.routing.gateway.component
    if component is None and len(names) != 1:
        yield _problem("gateway.component", f"name the one that answers requests: {', '.join(names)}")
    if component is not None and component not in names:
        message = f"there is no {component}; there are {', '.join(names)}"
        yield _problem("gateway.component", message)


def _unsound(asked: Asked, gateway: Gateway) -> Iterator[Problem]:
    profile, _, _ = _profile(asked.routing)
    origin = f"route {asked.routing.route}" if asked.routing.route else "gateway"
    for found in route_faults(asked.key, gateway, profile):
        path = "route" if asked.routing.route else "gateway"
        yield replace(found, path=path, message=_of(origin, found))


def _of(origin: str, found: Problem) -> str:
    return f"{origin}: {found.path}: {found.message}" if found.path else f"{origin}: {found.message}"


def _gateway(asked: Asked) -> Gateway:
    written, names = asked.routing.gateway, list(asked.kind.components(asked.text))
    spec = mapping(at(asked.route, "spec"))
    if asked.routing.route:
        parents, hostnames = sequence(spec.get("parentRefs")), sequence(spec.get("hostnames"))
        rules = [_terms(mapping(one)) for one in sequence(spec.get("rules")) or [{}]]
    else:
        parents, hostnames = [*(written.parent_refs or [])], [*(written.hostnames or [])]
        rules = [{"matches": explicit.matches([*(written.matches or [])])}]
    adopt = asked.routing.adopt
    return Gateway(
        parents=tuple(explicit.parent(mapping(one)) for one in parents),
        rules=tuple(rules),
        component=written.component or (names[0] if names else ""),
        name=route_name(asked.key, asked.routing),
        hostnames=tuple(map(text, hostnames)),
        header=documents.header(written.canary_header) if written.canary_header else _HEADER,
        backend=documents.backend(written.backend),
        port=written.target_port,
        picker=documents.picker(written.endpoint_picker) if written.endpoint_picker else None,
        replaces=asked.routing.route,
        adopt=(adopt.key, adopt.value) if adopt is not None else None,
    )


def _terms(rule: Object) -> Object:
    """Give what a production rule says but for its backends."""
    terms: Object = {"matches": explicit.matches(rule.get("matches"))}
    if sequence(rule.get("filters")):
        terms["filters"] = explicit.filters(rule["filters"])
    if mapping(rule.get("timeouts")):
        terms["timeouts"] = rule["timeouts"]
    return terms


def _origins(asked: Asked, gateway: Gateway, implementation: str, policy: Policy) -> Iterator[Origin]:
    """Say where each term comes from."""
    written, own = asked.routing.gateway, asked.where
    source = f"HTTPRoute {asked.routing.route}" if asked.routing.route else own
    parents = ", ".join(_named(mapping(one)) for one in gateway.parents)
    header = f"{gateway.header.name}: {gateway.header.value}"
    rows: tuple[tuple[str, str, object, str], ...] = (
        ("gateway.parentRefs", parents, True, source),
        ("gateway.hostnames", ", ".join(gateway.hostnames) or "any", gateway.hostnames, source),
        ("gateway.matches", _matches(gateway.rules), asked.routing.route or written.matches, source),
        ("gateway.canaryHeader", header, written.canary_header, own),
        ("gateway.component", gateway.component, written.component, own),
        ("gateway.backend", gateway.backend.value, written.backend, own),
        ("gateway.targetPort", str(gateway.port or "each revision's own"), written.target_port, own),
        ("gateway.implementation", implementation, written.implementation, own),
        ("gateway.name", gateway.name, None, own),
    )
    yield from (Origin(field, value, place if said else "derived") for field, value, said, place in rows)
    for step in with_traffic(policy.steps):
        before = next(one for one in policy.steps if one.name == step.name)
        said = before.traffic is not None
        weight = step.traffic.weight if step.traffic else None
        value = "its share of the replicas" if weight is None else f"{weight} %"
        header = ", header" if step.traffic and step.traffic.header else ""
        yield Origin(f"steps[{step.name}].traffic", value + header, "as written" if said else "derived")


def _named(parent: Object) -> str:
    return "/".join(text(parent.get(field)) for field in ("namespace", "name") if parent.get(field))


def _matches(rules: tuple[Object, ...]) -> str:
    paths: list[Json] = [at(one, "path", "value") for rule in rules for one in sequence(rule.get("matches"))]
    return ", ".join(map(str, paths))


def _camel(names: list[str]) -> str:
    return {"parent_refs": "parentRefs"}.get(names[0], names[0]) if names else ""


def _problem(path: str, message: str) -> Problem:
    return Problem(path=path, code="POLICY_INVALID", message=message)
