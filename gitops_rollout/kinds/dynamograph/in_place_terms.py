"""What a policy may not ask of a graph that holds both revisions (strategy InPlace).

Every problem stands at a path below the RevisionRollout's `spec` and says what to do instead.
"""

from collections.abc import Iterator

from gitops_rollout.api.policy import Policy, ReplicasFrom
from gitops_rollout.api.problems import Problem
from gitops_rollout.api.workload import Spec
from gitops_rollout.kinds.dynamograph import apart
from gitops_rollout.kinds.written import problem


def faults(spec: Spec, policy: Policy) -> Iterator[Problem]:
    """Find what of `policy` a graph in place cannot do."""
    yield from _unrouted(policy)
    yield from _uncounted(spec, policy)


def _unrouted(policy: Policy) -> Iterator[Problem]:
    """Routers of both revisions see all workers of the one Dynamo namespace: requests that reach a router of
    the candidate stay with its workers only where a routing policy is put to it.
    """
    if policy.gateway is not None and not policy.router_policy.managed:
        message = (
            "routers of both revisions of an InPlace graph see all of its workers, and mode Isolation tells "
            "them nothing: write routerPolicy: {mode: ManagementAPI, port: ...}, remove the route, or write "
            "strategy: NewGraph"
        )
        yield problem("route" if policy.gateway.replaces else "gateway", "POLICY_INVALID", message)


def _uncounted(spec: Spec, policy: Policy) -> Iterator[Problem]:
    """What is kept is a number of replicas: of more than that number all others are the candidate's (R8)."""
    if policy.replicas_from is ReplicasFrom.CLUSTER:
        message = "a partition of an InPlace graph counts replicas, which the source has to say; write Source"
        yield problem("replicasFrom", "NOT_YET", message)
    foreign = sorted(apart.foreign(spec.text, spec.controls))
    if foreign and len(policy.steps) > 1:
        message = (
            f"replicas of {', '.join(foreign)} are scaled in the cluster, and a partition keeps a number of "
            "them: all that is added would be the candidate's; write one step, or leave the scaling to the "
            "source"
        )
        yield problem("steps", "POLICY_INVALID", message)
