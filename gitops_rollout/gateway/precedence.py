"""Which rule of a set of HTTPRoutes answers a request.

Source: the texts of `spec.hostnames` and `spec.rules[].matches` in the HTTPRoute CRD v1.6.1. Where they leave
it to the gateway, one way is taken: regular expressions match as a whole, after all other kinds of path.
A rule of a less specific hostname answers where no rule of a more specific one does; gateways that keep
one table for each hostname answer 404 there.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeAlias

from gitops_rollout.api.values import Json, Object, at, mapping, sequence, text
from gitops_rollout.gateway.structure import whole

Rank: TypeAlias = tuple[int, ...]
"""The smaller goes first."""

_PORT = re.compile(r":[0-9]*\Z")
_EXACT, _PREFIX, _REGULAR = range(3)


@dataclass(frozen=True, slots=True)
class Request:
    """What a gateway sees of a request; `host` may carry a port, which does not count."""

    host: str
    path: str
    method: str = "GET"
    headers: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Backend:
    """One backend of the rule that answers, defaults applied."""

    name: str
    weight: int = 1
    group: str = ""
    kind: str = "Service"
    namespace: str = ""
    """Empty: the namespace of the route."""
    port: int | None = None


def answering(routes: Iterable[Object], request: Request) -> tuple[Backend, ...] | None:
    """Give the backends of the rule that answers, in their order; None where no rule does (404).

    All `routes` hang on the listener that got the request, and are free of problems.
    """
    found = [entry for route in routes for entry in _candidates(route, request)]
    if not found:
        return None
    _, rule = min(found, key=lambda entry: entry[0])
    return tuple(_backend(mapping(ref)) for ref in sequence(rule.get("backendRefs")))


def shares(backends: Sequence[Backend]) -> tuple[Fraction, ...]:
    """Give the share of requests of each backend: its weight in the sum of weights; all 0 where that is 0."""
    total = sum(backend.weight for backend in backends)
    return tuple(Fraction(backend.weight, total or 1) for backend in backends)


def _candidates(route: Object, request: Request) -> Iterator[tuple[tuple[Rank, str, str, int], Object]]:
    """Give the rules of one route that fit, each once for every match that does, with their rank."""
    specific = _host_rank(route, request.host)
    if specific is None:
        return
    created = text(at(route, "metadata", "creationTimestamp")) or "~"  # not made yet: younger than all
    name = f"{text(at(route, 'metadata', 'namespace'))}/{text(at(route, 'metadata', 'name'))}"
    for index, rule in enumerate(sequence(at(route, "spec", "rules")) or [{}]):
        for match in sequence(mapping(rule).get("matches")) or [{}]:
            rank = _match_rank(mapping(match), request)
            if rank is not None:
                yield ((*specific, *rank), created, name, index), mapping(rule)


def _host_rank(route: Object, host: str) -> Rank | None:
    """Rank a route by its best hostname: without wildcard first, then longer first; None where none fits."""
    names = [text(name).lower() for name in sequence(at(route, "spec", "hostnames"))]
    if not names:
        return (0, 0)
    asked = _PORT.sub("", host).lower()
    fitting = [name for name in names if _host_fits(name, asked)]
    return min(((0 if name.startswith("*.") else -len(name), -len(name)) for name in fitting), default=None)


def _host_fits(name: str, asked: str) -> bool:
    # "*.example.com" takes any number of labels in front, but not "example.com" itself.
    return asked.endswith(name[1:]) and asked != name[1:] if name.startswith("*.") else asked == name


def _match_rank(match: Object, request: Request) -> Rank | None:
    """Rank one match: path, method, number of headers, number of parameters; None where it does not fit."""
    path = _path_rank(mapping(match.get("path")), request.path)
    method = match.get("method")
    headers = _wanted(match.get("headers"), caseless=True)
    query = _wanted(match.get("queryParams"), caseless=False)
    given = {name.lower(): value for name, value in request.headers.items()}
    fits = (
        path is not None
        and method in (None, request.method)
        and all(_value_fits(entry, given.get(name)) for name, entry in headers.items())
        and all(_value_fits(entry, request.query.get(name)) for name, entry in query.items())
    )
    return (*(path or ()), 0 if method else 1, -len(headers), -len(query)) if fits else None


def _path_rank(path: Object, asked: str) -> Rank | None:
    """Rank a path: exact first, then the longer prefix; None where it does not fit."""
    value = text(path.get("value", "/"))
    match path.get("type", "PathPrefix"):
        case "Exact":
            return (_EXACT, 0) if asked == value else None
        case "PathPrefix":
            # Prefixes are compared element by element; a slash at the end does not count.
            prefix = value.rstrip("/")
            return (_PREFIX, -len(prefix)) if asked == prefix or asked.startswith(f"{prefix}/") else None
        case _:
            return (_REGULAR, 0) if _matches(value, asked) else None


def _wanted(entries: Json, *, caseless: bool) -> dict[str, Object]:
    """Give the entries by name; of several with one name the first counts."""
    found: dict[str, Object] = {}
    for entry in sequence(entries):
        name = text(mapping(entry).get("name"))
        found.setdefault(name.lower() if caseless else name, mapping(entry))
    return found


def _value_fits(entry: Object, given: str | None) -> bool:
    if given is None:
        return False
    value = text(entry.get("value"))
    return _matches(value, given) if entry.get("type") == "RegularExpression" else given == value


def _matches(pattern: str, value: str) -> bool:
    try:
        return re.fullmatch(pattern, value) is not None
    except (re.error, OverflowError, RecursionError):  # not in Python's dialect: it fits nothing
        return False


def _backend(ref: Object) -> Backend:
    weight, port = ref.get("weight"), ref.get("port")
    return Backend(
        name=text(ref.get("name")),
        weight=int(weight) if whole(weight) else 1,
        group=text(ref.get("group")),
        kind=text(ref.get("kind")) or "Service",
        namespace=text(ref.get("namespace")),
        port=port if isinstance(port, int) else None,
    )
