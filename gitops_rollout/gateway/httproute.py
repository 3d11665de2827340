"""HTTPRoute v1: all that the API server refuses, before it is asked.

Source: the HTTPRoute CRD of Gateway API v1.6.1, standard channel: its schema with defaults applied, list keys
and CEL rules. Stricter than the API server where it takes what no gateway does: IP addresses as hostnames,
header names that differ in case only, null for absent.
"""

import re
from collections.abc import Iterator

from gitops_rollout.api.problems import Problem
from gitops_rollout.api.values import Json, Object, at, mapping, sequence, text
from gitops_rollout.gateway.filters import FILTERS, service_port
from gitops_rollout.gateway.forms import (
    GROUP,
    HOST,
    KIND,
    METADATA,
    NAME,
    NAMESPACE,
    PORT,
    STATUS,
    SUBDOMAIN,
    kind,
    versions,
)
from gitops_rollout.gateway.matches import MATCH
from gitops_rollout.gateway.structure import Fields, Form, Items, Number, Text, problem, repeated

GATEWAY_GROUP = "gateway.networking.k8s.io"
MOST_WEIGHT = 1_000_000
MOST_RULES = 16
MOST_MATCHES = 128
"""Matches of all rules together."""

_DURATION = Form(
    re.compile(r"^([0-9]{1,5}(h|m|s|ms)){1,4}$"),
    "a duration such as 90s or 1h30m: up to four of h, m, s and ms with whole numbers of at most 5 digits",
    code="FORMAT",
)
_MILLISECONDS = {"h": 3_600_000, "m": 60_000, "s": 1_000, "ms": 1}
_REPLACING = ("requestRedirect", "urlRewrite")


def route_problems(value: Object) -> tuple[Problem, ...]:
    """Find everything for which the API server, or a gateway after it, refuses this HTTPRoute."""
    return tuple(ROUTE.problems(value))


def _parents(refs: list[Json]) -> Iterator[Problem]:
    """References to one parent differ by sectionName, and all of them have one."""
    parents = [_parent(ref) for ref in refs]
    sections = [text(mapping(ref).get("sectionName")) for ref in refs]
    known = [index for index, parent in enumerate(parents) if parent[2]]
    for index, first in repeated((i, (*parents[i], sections[i])) for i in known):
        message = f"the same as [{first}]; remove one, or give each a sectionName of its own"
        yield problem(f"[{index}]", "DUPLICATE", message)
    sectioned = {parents[index]: index for index in reversed(known) if sections[index]}
    for index in known:
        if not sections[index] and parents[index] in sectioned:
            place = sectioned[parents[index]]
            message = f"[{place}] names a section of the same parent, so this one names its own too"
            yield problem(f"[{index}].sectionName", "REQUIRED", message)


def _parent(ref: Json) -> tuple[str, str, str, str]:
    # The API server compares what is written: a namespace that names the route's own is another parent.
    group, parent_kind = at(ref, "group"), at(ref, "kind")
    return (
        GATEWAY_GROUP if group is None else text(group),
        "Gateway" if parent_kind is None else text(parent_kind),
        text(at(ref, "name")),
        text(at(ref, "namespace")),
    )


def _match_count(rules: list[Json]) -> Iterator[Problem]:
    """All rules together have at most 128 matches; a rule without the field has the one by default."""
    written = [mapping(rule).get("matches", [{}]) for rule in rules]
    count = sum(len(sequence(matches)) for matches in written)
    if count > MOST_MATCHES:
        message = f"{count} matches in all rules together, at most {MOST_MATCHES} are allowed"
        yield problem("", "RANGE", message)


def _redirect_alone(rule: Object) -> Iterator[Problem]:
    """What is redirected goes to no backend."""
    redirects = [
        i for i, found in enumerate(sequence(rule.get("filters"))) if "requestRedirect" in mapping(found)
    ]
    if redirects and sequence(rule.get("backendRefs")):
        message = f"a rule that redirects (filters[{redirects[0]}]) has no backends; remove one of the two"
        yield problem("backendRefs", "CONFLICT", message)


def _prefix_is_there(rule: Object) -> Iterator[Problem]:
    """Replacing the prefix that matched needs one match, of a prefix.

    The API server looks at lists in which exactly one filter, or one backend, does so; the documentation
    of the field makes no such exception, and neither do we.
    """
    matches = rule.get("matches", [{}])
    if not isinstance(matches, list):
        return
    if len(matches) == 1 and at(matches[0], "path", "type") in (None, "PathPrefix"):
        return
    for path, found in _filters(rule):
        for field in _REPLACING:
            modifier = mapping(at(found, field, "path"))
            if modifier.get("type") == "ReplacePrefixMatch" and "replacePrefixMatch" in modifier:
                message = "it needs exactly one match in its rule, with a path of type PathPrefix"
                yield problem(f"{path}.{field}.path.replacePrefixMatch", "CONFLICT", message)


def _filters(rule: Object) -> Iterator[tuple[str, Json]]:
    """Give path and value of each filter of the rule and of its backends."""
    for index, found in enumerate(sequence(rule.get("filters"))):
        yield f"filters[{index}]", found
    for place, ref in enumerate(sequence(rule.get("backendRefs"))):
        for index, found in enumerate(sequence(mapping(ref).get("filters"))):
            yield f"backendRefs[{place}].filters[{index}]", found


def _within_request(timeouts: Object) -> Iterator[Problem]:
    """A try ends before the request does; a request of 0 never ends."""
    request, backend = (text(timeouts.get(field)) for field in ("request", "backendRequest"))
    if _DURATION.fits(request) and _DURATION.fits(backend) and 0 < _length(request) < _length(backend):
        message = f"{backend} is longer than the request's {request}; shorten it, or raise request"
        yield problem("backendRequest", "CONFLICT", message)


def _length(duration: str) -> int:
    parts = re.findall(r"([0-9]+)(ms|h|m|s)", duration)
    return sum(int(number) * _MILLISECONDS[unit] for number, unit in parts)


_PARENT_REF = Fields(
    {
        "group": GROUP,
        "kind": KIND,
        "namespace": NAMESPACE,
        "name": NAME,
        "sectionName": SUBDOMAIN,
        "port": PORT,
    },
    ("name",),
)

_BACKEND_REF = Fields(
    {
        "group": GROUP,
        "kind": KIND,
        "name": NAME,
        "namespace": NAMESPACE,
        "port": PORT,
        "weight": Number(0, MOST_WEIGHT),
        "filters": FILTERS,
    },
    ("name",),
    rules=(service_port,),
)

_RULE = Fields(
    {
        "name": SUBDOMAIN,
        "matches": Items(MATCH, 64),
        "filters": FILTERS,
        "backendRefs": Items(_BACKEND_REF, 16),
        "timeouts": Fields(
            {"request": Text(form=_DURATION), "backendRequest": Text(form=_DURATION)},
            rules=(_within_request,),
        ),
    },
    rules=(_redirect_alone, _prefix_is_there),
)

ROUTE = Fields(
    {
        "apiVersion": versions(f"{GATEWAY_GROUP}/v1", f"{GATEWAY_GROUP}/v1beta1"),
        "kind": kind("HTTPRoute"),
        "metadata": METADATA,
        "spec": Fields(
            {
                "parentRefs": Items(_PARENT_REF, 32, rules=(_parents,)),
                "hostnames": Items(HOST, 16),
                "rules": Items(_RULE, MOST_RULES, 1, rules=(_match_count,)),
            }
        ),
        "status": STATUS,
    },
    ("apiVersion", "kind", "metadata", "spec"),
)
