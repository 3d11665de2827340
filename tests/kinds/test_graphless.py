"""What a policy says to graphs alone says nothing about a ModelServing."""

import pytest

from gitops_rollout.api.amounts import Amount
from gitops_rollout.api.graph_terms import Capacity, Contract, ReleaseGroup, Strategy
from gitops_rollout.api.policy import BUILT_IN, Policy
from gitops_rollout.api.router_terms import RouterMode, RouterTerms
from gitops_rollout.kinds.modelserving.kind import MODEL_SERVING
from tests.kinds.manifests import accepted, serving

REFUSED = [
    (Policy(strategy=Strategy.WHOLE), "strategy"),
    (Policy(strategy=Strategy.NEW_GRAPH), "strategy"),
    (Policy(renames_graph=True), "renamesGraph"),
    (Policy(capacity=Capacity(Amount(1))), "capacity"),
    (Policy(release_groups=(ReleaseGroup("g", ("decode",)),)), "releaseGroups"),
    (Policy(contracts=(Contract.between("router", "worker", "x/1"),)), "compatibility"),
    (Policy(retire_delay=60), "retireDelay"),
    (Policy(router_policy=RouterTerms(RouterMode.MANAGEMENT_API, 9090)), "routerPolicy"),
]


@pytest.mark.parametrize(("policy", "path"), REFUSED, ids=[path for _, path in REFUSED])
def test_terms_of_graphs_are_refused(policy: Policy, path: str) -> None:
    (problem,) = MODEL_SERVING.strategy_faults(accepted(serving()), policy)
    assert (problem.path, problem.code) == (path, "POLICY_INVALID")
    assert policy.particular


@pytest.mark.parametrize("policy", [BUILT_IN, Policy(strategy=Strategy.IN_PLACE)])
def test_a_modelserving_is_in_place(policy: Policy) -> None:
    assert not [*MODEL_SERVING.strategy_faults(accepted(serving()), policy)]
