"""The one HTTPRoute of a workload, in the shape of Gateway API HTTPRoute v1.

Canary rules first: a clone of every production match plus one exact header, because precedence is
decided match by match and a longer path beats any header. Weights stand in the default rules alone, and a
revision without a share is absent: a weight of 0 is not nothing everywhere (istio #31745).
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

from gitops_rollout.api.gateway import Gateway
from gitops_rollout.api.values import Json, Object, at, mapping, sequence, text
from gitops_rollout.api.workload import WorkloadKey
from gitops_rollout.traffic.explicit import GATEWAY_GROUP
from gitops_rollout.traffic.pools import Pool, owner_labels


@dataclass(frozen=True, slots=True)
class Shares:
    """Who gets what: `weight` is the candidate's percentage; `candidate` None: stable gets everything."""

    stable: Pool
    candidate: Pool | None = None
    header: bool = False
    weight: int = 0

    @property
    def weighted(self) -> list[tuple[Pool, int]]:
        """Give everybody with a share, stable first; the shares sum up to 100."""
        if self.candidate is None:
            return [(self.stable, 100)]
        both = ((self.stable, 100 - self.weight), (self.candidate, self.weight))
        return [(pool, weight) for pool, weight in both if weight > 0]


def route_object(key: WorkloadKey, gateway: Gateway, shares: Shares) -> Object:
    """Give the object to publish."""
    spec: Object = {"parentRefs": [*gateway.parents]}
    if gateway.hostnames:
        spec["hostnames"] = [*gateway.hostnames]
    spec["rules"] = [*_canaries(gateway, shares), *_defaults(gateway, shares)]
    return {
        "apiVersion": f"{GATEWAY_GROUP}/v1",
        "kind": "HTTPRoute",
        "metadata": {"name": gateway.name, "namespace": key.namespace, "labels": owner_labels(key)},
        "spec": spec,
    }


def _canaries(gateway: Gateway, shares: Shares) -> Iterator[Json]:
    if shares.candidate is None or not shares.header:
        return
    mark: Object = {"type": "Exact", "name": gateway.header.name, "value": gateway.header.value}
    for index, rule in enumerate(gateway.rules):
        # Redirects are cloned, too: a marked request is redirected where another one would be.
        matches: list[Json] = [
            {**mapping(one), "headers": [*sequence(at(one, "headers")), mark]}
            for one in sequence(rule.get("matches"))
        ]
        backends = [] if redirects(rule) else [(shares.candidate, 1)]
        yield _rule(rule, _named("canary", gateway, index), matches, backends)


def _defaults(gateway: Gateway, shares: Shares) -> Iterator[Json]:
    for index, rule in enumerate(gateway.rules):
        weighted = [] if redirects(rule) else shares.weighted
        name = _named("redirect" if redirects(rule) else "default", gateway, index)
        yield _rule(rule, name, sequence(rule.get("matches")), weighted)


def _rule(rule: Object, name: str, matches: list[Json], weighted: list[tuple[Pool, int]]) -> Object:
    found: Object = {"name": name, "matches": matches}
    found.update({field: rule[field] for field in ("filters", "timeouts") if rule.get(field)})
    if weighted:
        found["backendRefs"] = [{**pool.reference, "weight": weight} for pool, weight in weighted]
    return found


def _named(what: str, gateway: Gateway, index: int) -> str:
    return what if len(gateway.rules) == 1 else f"{what}-{index + 1}"


def redirects(rule: Object) -> bool:
    """Say whether a rule answers by itself: then no backend stands in it."""
    return any(text(at(one, "type")) == "RequestRedirect" for one in sequence(rule.get("filters")))


def grant_objects(key: WorkloadKey, gateway: Gateway) -> dict[str, Object]:
    """Give the ReferenceGrants that the route needs, by the namespace that each stands in.

    All pools stand beside the route; only a mirror may be elsewhere (Gateway API ReferenceGrant).
    """
    names: dict[str, set[tuple[str, str, str]]] = {}
    for rule in gateway.rules:
        for one in sequence(rule.get("filters")):
            backend = mapping(at(one, "requestMirror", "backendRef"))
            namespace = text(backend.get("namespace"))
            if namespace and namespace != key.namespace:
                to = (text(backend.get("group")), text(backend.get("kind")), text(backend.get("name")))
                names.setdefault(namespace, set()).add(to)
    return {namespace: _grant(key, namespace, sorted(to)) for namespace, to in sorted(names.items())}


def _grant(key: WorkloadKey, namespace: str, to: list[tuple[str, str, str]]) -> Object:
    source: Json = {"group": GATEWAY_GROUP, "kind": "HTTPRoute", "namespace": key.namespace}
    targets: list[Json] = [{"group": group, "kind": kind, "name": name} for group, kind, name in to]
    return {
        "apiVersion": f"{GATEWAY_GROUP}/v1beta1",
        "kind": "ReferenceGrant",
        "metadata": {
            "name": f"{key.namespace}-{key.name}-{hashlib.sha256(str(key).encode()).hexdigest()[:6]}",
            "namespace": namespace,
            "labels": owner_labels(key),
        },
        "spec": {"from": [source], "to": targets},
    }
