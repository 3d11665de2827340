"""What routers are told: which workers those of each revision choose (proposal, "Router management API").

Prefill and decode are one decision: a binding names both. What may be of two revisions is what a contract of
the edge between them declares, and nothing else (delivery-gateway G2.12).
"""

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

from gitops_rollout.api.graph_terms import Contract
from gitops_rollout.api.values import Object
from gitops_rollout.kinds.protocol import ROUTER, WORKER
from gitops_rollout.semantics.canonical import canonical_bytes

_ROUTERS = {"frontend": ROUTER, "epp": ROUTER}
_ORDER = (WORKER, "prefill", "decode")
"""In which order the members of a binding are written."""


@dataclass(frozen=True, slots=True)
class RouterPolicy:
    """The version that routers are told last, and the digest of its body. Versions only grow (R19)."""

    version: int
    digest: str


@dataclass(frozen=True, slots=True)
class Binding:
    """Whom the routers of a revision choose: `chooses` gives a revision for each role of a worker."""

    router: str
    chooses: dict[str, str]

    @property
    def plain(self) -> bool:
        """Say whether they choose workers of their own revision only."""
        return set(self.chooses.values()) <= {self.router}


@dataclass(frozen=True, slots=True)
class Bindings:
    """All that routers are told. Routers of `default` choose workers of their own revision, those of every
    other one need a binding: without, they answer nobody (R18).
    """

    group: str
    default: str
    routers: tuple[Binding, ...] = ()

    @classmethod
    def of(cls, group: str, default: Binding, others: Iterable[Binding] = ()) -> "Bindings":
        """Tell these; what the default says already is not said twice."""
        written = [*([] if default.plain else [default]), *others]
        return cls(group, default.router, tuple(sorted(written, key=lambda one: one.router)))

    def names(self, revision: str | None) -> bool:
        """Say whether the routers of a revision know whom to choose."""
        return revision == self.default or any(one.router == revision for one in self.routers)

    def chosen(self, revision: str, roles: Collection[str]) -> Mapping[str, str]:
        """Give whom the routers of a revision choose, by role; nobody where it is not named."""
        found = next((one.chooses for one in self.routers if one.router == revision), None)
        own = dict.fromkeys(roles, revision) if revision == self.default else {}
        return own if found is None else found


def body(bindings: Bindings, version: int) -> Object:
    """Give the policy as the proposal writes it."""
    return {
        "policyVersion": str(version),
        "releaseGroup": bindings.group,
        "default": {"workerRevision": bindings.default},
        "routerRevisionBindings": [_binding(one) for one in bindings.routers],
    }


def _binding(one: Binding) -> Object:
    chosen = {f"{role}Revision": one.chooses[role] for role in _ORDER if role in one.chooses}
    return {"routerRevision": one.router, **chosen}


def digest(policy: Object) -> str:
    """Give the digest of a body: of what it says, however it is spelled."""
    return hashlib.sha256(b"gitops-rollout/router-policy\n" + canonical_bytes(policy)).hexdigest()


def declared(contracts: Iterable[Contract], roles: Mapping[str, str]) -> frozenset[frozenset[str]]:
    """Give the edges between roles whose ends may be of two revisions; `roles` by component."""
    ends = [[_role(end, roles) for end in one.edge] for one in contracts]
    return frozenset(frozenset(pair) for pair in ends if len(set(pair)) == 2)


def _role(end: str, roles: Mapping[str, str]) -> str:
    return roles.get(end, _ROUTERS.get(end, end))


def coherent(router: str, chooses: Mapping[str, str], edges: Collection[frozenset[str]]) -> bool:
    """Say whether everybody who serves one request is of one revision, but across a declared edge."""
    members = {ROUTER: router, **chooses}
    return all(
        members[one] == members[other] or _permitted(one, other, edges)
        for one, other in combinations(members, 2)
    )


def _permitted(one: str, other: str, edges: Collection[frozenset[str]]) -> bool:
    """Say whether a contract covers an edge; one of routers and workers covers every kind of worker."""
    pairs = [frozenset((one, other))]
    if ROUTER in (one, other):
        pairs.append(frozenset((ROUTER, WORKER)))
    return any(pair in edges for pair in pairs)


def staying(stay: Collection[str]) -> Iterator[tuple[str, ...]]:
    """Give every choice among these roles, the largest first; the empty one last."""
    for count in range(len(stay), -1, -1):
        yield from combinations(sorted(stay), count)
