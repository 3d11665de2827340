"""What a policy says to Dynamo graphs alone, and so cannot mean of a ModelServing."""

from collections.abc import Iterator

from gitops_rollout.api.graph_terms import UNLIMITED, Strategy
from gitops_rollout.api.policy import Policy
from gitops_rollout.api.problems import Problem
from gitops_rollout.kinds.written import problem

_ALWAYS = "a ModelServing is always InPlace: its partition moves; write that, or leave strategy out"
_NOTHING = "it is of Dynamo graphs and says nothing about a ModelServing; remove it"


def strategy_faults(policy: Policy) -> Iterator[Problem]:
    """Refuse every strategy but InPlace, and the terms of strategies that only graphs have (DESIGN 5)."""
    rows = (
        (policy.strategy not in (None, Strategy.IN_PLACE), "strategy", _ALWAYS),
        (policy.renames_graph, "renamesGraph", _NOTHING),
        (policy.capacity != UNLIMITED, "capacity", _NOTHING),
        (bool(policy.release_groups), "releaseGroups", _NOTHING),
        (bool(policy.contracts), "compatibility", _NOTHING),
        (policy.retire_delay > 0, "retireDelay", _NOTHING),
        (policy.router_policy.managed, "routerPolicy", _NOTHING),
    )
    yield from (problem(path, "POLICY_INVALID", message) for holds, path, message in rows if holds)
