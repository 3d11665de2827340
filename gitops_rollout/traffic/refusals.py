"""What of a route's terms cannot be meant, or cannot be done: told where it is written, all at once."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from gitops_rollout.api import gateway_document as documents
from gitops_rollout.api.gateway import Backend, Gateway
from gitops_rollout.api.policy import Step
from gitops_rollout.api.problems import Problem
from gitops_rollout.api.profiles import Profile
from gitops_rollout.api.values import Object, at, mapping, sequence
from gitops_rollout.kinds.names import bad_label
from gitops_rollout.traffic.asked import Asked
from gitops_rollout.traffic.sound import route_faults
from gitops_rollout.traffic.steps import traffic_faults, with_traffic

UNKNOWN = Profile()
"""Stands for a gateway that is not known: what its steps may do is not judged beside that."""


def faults(asked: Asked, profile: Profile, steps: Sequence[Step]) -> Iterator[Problem]:
    """What can be said before there are terms."""
    routing, written = asked.routing, asked.routing.gateway
    backend = documents.backend(written.backend)
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
    yield from (problem(path, message) for holds, path, message in rows if holds)
    if routing.route and asked.route is None:
        message = f"there is no HTTPRoute {routing.route} in namespace {asked.key.namespace} of the source"
        yield Problem(path="route", code="ROUTE_UNKNOWN", message=message)
    yield from _component_faults(asked)
    yield from _not_taken(mapping(at(asked.route, "spec")))
    yield from _adopt_faults(asked)
    if profile is not UNKNOWN:
        for path, message in traffic_faults(steps, backend, profile):
            yield problem(f"steps{path}", message)


def _component_faults(asked: Asked) -> Iterator[Problem]:
    names = list(asked.kind.components(asked.text))
    component = asked.component
    if not component:
        yield problem("gateway.component", f"name the one that answers requests: {', '.join(names)}")
    if component and component not in names:
        yield problem("gateway.component", f"there is no {component}; there are {', '.join(names)}")


def _adopt_faults(asked: Asked) -> Iterator[Problem]:
    adopt, names = asked.routing.adopt, asked.kind.components(asked.text)
    component = asked.component or next(iter(names), "")
    endpoint = asked.kind.endpoint(asked.text, asked.key.name, component)
    if adopt is None:
        return
    why = bad_label(adopt.key, adopt.value) or (endpoint.unfit(adopt.key) if endpoint is not None else "")
    if why:
        yield problem("adopt.revisionLabel", why)


_TAKEN = {"parentRefs", "hostnames", "rules"}
_TAKEN_OF_A_RULE = {"name", "matches", "filters", "timeouts", "backendRefs"}


def _not_taken(spec: Object) -> Iterator[Problem]:
    """What an owned route would lose of the one that it replaces is refused, never dropped."""
    lost = [name for name in spec if name not in _TAKEN]
    for index, rule in enumerate(map(mapping, sequence(spec.get("rules")))):
        lost += [f"rules[{index}].{name}" for name in rule if name not in _TAKEN_OF_A_RULE]
        refs = enumerate(map(mapping, sequence(rule.get("backendRefs"))))
        lost += [f"rules[{index}].backendRefs[{ref}].filters" for ref, one in refs if one.get("filters")]
    for name in lost:
        yield problem(
            "route", f"spec.{name} of it would be lost: an owned route has no such field; remove it"
        )


def unsound(asked: Asked, gateway: Gateway, profile: Profile, steps: Sequence[Step]) -> Iterator[Problem]:
    """Find what makes the whole route wrong; the place of it is said in the message."""
    path = "route" if asked.routing.route else "gateway"
    origin = f"{path} {asked.routing.route}".rstrip()
    for found in route_faults(asked.key, gateway, profile, with_traffic(steps)):
        yield replace(found, path=path, message=_of(origin, found))


def _of(origin: str, found: Problem) -> str:
    return f"{origin}: {found.path}: {found.message}" if found.path else f"{origin}: {found.message}"


def _camel(names: list[str]) -> str:
    return {"parent_refs": "parentRefs"}.get(names[0], names[0]) if names else ""


def problem(path: str, message: str) -> Problem:
    """Say that something cannot be meant."""
    return Problem(path=path, code="POLICY_INVALID", message=message)
