"""From what people wrote about a route to its terms, every default decided and everything checked."""

from collections.abc import Iterator
from dataclasses import replace

from gitops_rollout.api import gateway_document as documents
from gitops_rollout.api.gateway import Gateway, Header
from gitops_rollout.api.policy import Policy
from gitops_rollout.api.policy_document import Routing
from gitops_rollout.api.policy_merge import Explained, Origin
from gitops_rollout.api.problems import Problem
from gitops_rollout.api.profiles import GENERIC, PROFILES, Profile
from gitops_rollout.api.values import Object, at, mapping, sequence, text
from gitops_rollout.api.workload import WorkloadKey
from gitops_rollout.traffic import explicit
from gitops_rollout.traffic.asked import Asked
from gitops_rollout.traffic.refusals import UNKNOWN, faults, problem, unsound
from gitops_rollout.traffic.steps import with_traffic, without_traffic

_HEADER = Header("x-canary", "true")
_IMPLEMENTATION = "gateway.implementation"


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
    problems = (*unknown, *faults(asked, profile, policy.steps))
    gateway = _gateway(asked)
    problems = problems or tuple(unsound(asked, gateway, profile, policy.steps))
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
            yield problem(f"steps[{index}].traffic", message)


def _profile(routing: Routing) -> tuple[Profile, str, tuple[Problem, ...]]:
    written = routing.gateway.implementation
    if isinstance(written, documents.ProfileModel):
        return documents.profile(written), "as written", ()
    name = written or GENERIC
    if name in PROFILES:
        return PROFILES[name], name, ()
    known = ", ".join(sorted(PROFILES))
    message = f"{name[:40]!r} is not known; known are {known}; or write what it can do, as a mapping"
    return UNKNOWN, name, (problem(_IMPLEMENTATION, message),)


def _gateway(asked: Asked) -> Gateway:
    written = asked.routing.gateway
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
        component=asked.component,
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
        ("gateway.matches", _paths(gateway), asked.routing.route or written.matches, source),
        ("gateway.canaryHeader", header, written.canary_header, own),
        ("gateway.component", gateway.component, written.component, own),
        ("gateway.backend", gateway.backend.value, written.backend, own),
        ("gateway.targetPort", str(gateway.port or "each revision's own"), written.target_port, own),
        ("gateway.endpointPicker", _picker(gateway), written.endpoint_picker, own),
        ("gateway.filters", _filters(gateway), asked.routing.route, source),
        ("gateway.timeouts", _timeouts(gateway), asked.routing.route, source),
        ("adopt.revisionLabel", "=".join(gateway.adopt or ("none",)), gateway.adopt, own),
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


def _picker(gateway: Gateway) -> str:
    return f"{gateway.picker.name}:{gateway.picker.port}" if gateway.picker is not None else "none"


def _filters(gateway: Gateway) -> str:
    types = [text(at(one, "type")) for rule in gateway.rules for one in sequence(rule.get("filters"))]
    return ", ".join(types) or "none"


def _timeouts(gateway: Gateway) -> str:
    written = [item for rule in gateway.rules for item in mapping(rule.get("timeouts")).items()]
    return ", ".join(f"{name} {value}" for name, value in written) or "none"


def _named(parent: Object) -> str:
    return "/".join(text(parent.get(field)) for field in ("namespace", "name") if parent.get(field))


def _paths(gateway: Gateway) -> str:
    return ", ".join(str(at(match, "path", "value")) for match in gateway.matches)
