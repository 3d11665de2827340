"""The gateway: which revision answers requests, from what is live and what it has taken over of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TypeAlias

from gitops_rollout.api.gateway import Gateway as Terms
from gitops_rollout.api.values import Object, at, mapping, sequence, text
from gitops_rollout.gateway.precedence import Request, answering, shares
from gitops_rollout.simulate.manifests import Manifest, Name

ROUTE = "HTTPRoute"
POOLS = ("InferencePool", "Service")
NOWHERE = "(no pool)"
"""Stands for a revision where a route names a pool that is not there: these requests fail."""
Shares: TypeAlias = Mapping[str, Fraction]


@dataclass(frozen=True, slots=True)
class Answers:
    """Who answers: the share of each revision in plain requests, and in those with the canary header."""

    plain: Shares = field(default_factory=dict)
    marked: Shares = field(default_factory=dict)

    @property
    def revisions(self) -> frozenset[str]:
        """Name the revisions that are sent anything."""
        return frozenset(self.plain) | frozenset(self.marked)


@dataclass
class Gateway:
    """Programs the live route some ticks after it changed; keeps requests in flight for some more.

    Requests that were sent under a route before the one in force are told apart: what they were sent to may
    not go before they have ended, however many the same revision still gets (delivery-gateway G2.14).
    """

    delay: int = 2
    drain: int = 3
    programmed: Manifest | None = None
    _wait: int = 0
    _seen: Manifest | None = None
    _flying: dict[str, int] = field(default_factory=dict)
    _left: dict[str, int] = field(default_factory=dict)
    _told: dict[tuple[Manifest, tuple[Manifest, ...]], Answers] = field(default_factory=dict)

    def tick(self, live: Mapping[Name, Manifest], terms: Terms | None) -> bool:
        """Take over what has been live long enough; says whether anything happened."""
        route = next((one for name, one in live.items() if name[0] == ROUTE), None)
        before = (self.programmed, dict(self._flying), dict(self._left))
        self._left = {name: left - 1 for name, left in self._left.items() if left > 1}
        if route is not self._seen:
            self._seen, self._wait = route, self.delay
        self._wait = max(0, self._wait - 1)
        if self._wait == 0 and self.programmed is not self._seen:
            self.programmed = self._seen
            self._left |= dict.fromkeys(self._flying, self.drain)
        answered = self.answers(live, terms).revisions
        flying = {name: left - 1 for name, left in self._flying.items() if left > 1}
        self._flying = {**flying, **dict.fromkeys(answered, self.drain)}
        return before != (self.programmed, self._flying, self._left)

    @property
    def flying(self) -> frozenset[str]:
        """Name the revisions that still have requests to answer."""
        return frozenset(self._flying)

    @property
    def draining(self) -> frozenset[str]:
        """Name the revisions that have requests to answer of a route that is in force no more."""
        return frozenset(self._left)

    def answers(self, live: Mapping[Name, Manifest], terms: Terms | None) -> Answers:
        """Say who answers now."""
        if self.programmed is None:
            return Answers()
        pools = tuple(one for name, one in live.items() if name[0] in POOLS)
        key = (self.programmed, pools)
        if key not in self._told:
            self._told[key] = _answers(self.programmed, pools, terms)
        return self._told[key]


def _answers(route: Manifest, pools: tuple[Manifest, ...], terms: Terms | None) -> Answers:
    plain = request_of(route.value)
    header = terms.header if terms is not None else None
    marks = {header.name: header.value} if header is not None else {}
    marked = replace(plain, headers={**plain.headers, **marks})
    names = {one.name: one.revision for one in pools}
    return Answers(_sent(route, names, plain), _sent(route, names, marked) if marks else {})


def _sent(route: Manifest, names: Mapping[Name, str], request: Request) -> Shares:
    backends = answering([route.value], request) or ()
    found: dict[str, Fraction] = {}
    for backend, share in zip(backends, shares(backends), strict=True):
        revision = names.get((backend.kind, backend.name), NOWHERE)
        if share:
            found[revision] = found.get(revision, Fraction(0)) + share
    return found


def request_of(route: Object) -> Request:
    """Give a request that the last rule of a route answers: the one without the canary header."""
    rules = [mapping(rule) for rule in sequence(at(route, "spec", "rules"))]
    matches = sequence(rules[-1].get("matches")) if rules else []
    match = mapping(matches[0]) if matches else {}
    hosts = sequence(at(route, "spec", "hostnames"))
    return Request(
        text(hosts[0]).replace("*", "any") if hosts else "chat.example.com",
        text(at(match, "path", "value")) or "/",
        text(match.get("method")) or "GET",
        _exact(match, "headers"),
        _exact(match, "queryParams"),
    )


def _exact(match: Object, what: str) -> dict[str, str]:
    entries = [mapping(one) for one in sequence(match.get(what))]
    return {text(one.get("name")): text(one.get("value")) for one in entries}
