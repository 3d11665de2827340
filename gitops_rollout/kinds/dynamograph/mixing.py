"""Revisions that would serve one request together: refused, unless both of them keep to one contract.

A release group is served in one revision. Where some of its components change and the others stay, those of
the candidate would meet those that stay (proposal, "Release groups and revision affinity").

Codes
    MIXED_REVISIONS  a part of a release group changes, and no contract of both revisions lets it
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import product

from gitops_rollout.api.graph_terms import Contract
from gitops_rollout.api.policy import Policy
from gitops_rollout.api.problems import Problem
from gitops_rollout.api.workload import Spec
from gitops_rollout.kinds.dynamograph import project
from gitops_rollout.kinds.dynamograph.controls import release_groups
from gitops_rollout.kinds.dynamograph.graph import Component, Graph
from gitops_rollout.kinds.dynamograph.impact import changed_components
from gitops_rollout.kinds.protocol import ROUTER, WORKER
from gitops_rollout.kinds.written import problem

_ROUTERS = ("frontend", "epp")
_PAIR = {"prefill", "decode"}


@dataclass(frozen=True, slots=True)
class Side:
    """One of two revisions, and the policy that is in force for it."""

    spec: Spec
    policy: Policy

    @property
    def contracts(self) -> frozenset[Contract]:
        """Give what is declared for the revision, by its policy or in its own spec.rollout."""
        return frozenset((*self.policy.contracts, *project.declared(Graph(self.spec.text))))

    @property
    def groups(self) -> Mapping[str, frozenset[str]]:
        """Give the release groups of the policy, or else those that the graph declares itself."""
        written = {one.name: frozenset(one.components) for one in self.policy.release_groups}
        return written or release_groups(self.spec.controls)


def mixed(stable: Side, new: Side) -> Iterator[Problem]:
    """Refuse `new` where it leaves a part of a release group behind; one problem a group.

    A group counts as long as one of the two has it: who gives it up says so in a commit before.
    """
    changed = changed_components(stable.spec.text, new.spec.text)
    shared = stable.contracts & new.contracts
    known = Graph(new.spec.text).by_name()
    groups = [(name, side.groups[name]) for side in (stable, new) for name in side.groups]
    for group, members in sorted(dict.fromkeys(groups), key=lambda one: one[0]):
        present = [known[name] for name in sorted(members) if name in known]
        pair = _parted(present, changed, shared)
        if pair is not None:
            yield _refusal(group, *pair)


def _parted(
    members: list[Component], changed: Collection[str], shared: Collection[Contract]
) -> tuple[Component, Component] | None:
    """Find one that changes and one that stays which nothing allows to serve a request together."""
    moving = [one for one in members if one.name in changed]
    staying = [one for one in members if one.name not in changed]
    for one, other in product(moving, staying):
        allowed = any(contract.joins(_words(one), _words(other)) for contract in shared)
        if _meet(one, other) and not allowed:
            return one, other
    return None


def _meet(one: Component, other: Component) -> bool:
    """Say whether a request passes between two components."""
    if "planner" in (one.type, other.type):
        return False
    crosses = (_routes(one) and _works(other)) or (_routes(other) and _works(one))
    return crosses or {one.type, other.type} == _PAIR


def _routes(component: Component) -> bool:
    """Of what has no type nobody knows what it does: it may route, and it may work."""
    return component.type in _ROUTERS or not component.type


def _works(component: Component) -> bool:
    return component.is_worker or not component.type


def _words(component: Component) -> set[str]:
    """Give what an end of an edge may call a component: its own name, or what it is."""
    words = {component.name, component.type}
    words |= {ROUTER} if component.type in _ROUTERS else set()
    words |= {WORKER} if component.is_worker else set()
    return words - {""}


def _edge(one: Component, other: Component) -> str:
    return f"[{_word(one)}, {_word(other)}]"


def _word(component: Component) -> str:
    if component.type in _ROUTERS:
        return ROUTER
    return component.type or component.name


def _refusal(group: str, moving: Component, staying: Component) -> Problem:
    message = (
        f"release group {group} is served in one revision, and {moving.name} changes while {staying.name} "
        f"stays: change both, or declare a contract of the edge {_edge(moving, staying)} under "
        "compatibility, in a commit before this one, so that both revisions keep to it"
    )
    return problem(moving.path, "MIXED_REVISIONS", message)
