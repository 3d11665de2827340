"""What the invariants of told routers and graphs in place are worth: each of these faults, one must catch."""

from types import MappingProxyType
from typing import Any

from gitops_rollout.rollout import counted, facts, follow, router_follow, router_policy
from gitops_rollout.rollout import gate as gates
from gitops_rollout.rollout.bindings import Binding
from gitops_rollout.rollout.facts import Answer, Observation, Transition
from tests.simulate.mutations import Mutation, partition_falls


def _unanswered(real: Any) -> Any:
    asked = (facts.LIVE, facts.ACCEPTED)
    return MappingProxyType({**real, Transition.REQUESTS: asked, Transition.BIND: (facts.LIVE,)})


def _with_requests(real: Any) -> Any:
    def changed(scene: Any, draft: Any, change: str) -> Any:
        draft = real(scene, draft, change)
        return draft.with_published(header=True) if change == gates.BIND else draft

    return changed


def _one_version(real: Any) -> Any:
    def told(state: Any, bindings: Any, reported: int) -> Any:
        policy, bindings = real(state, bindings, reported)
        return type(policy)(1, policy.digest), bindings

    return told


def _prefill_of_stable(real: Any) -> Any:
    def bound(kind: Any, history: Any, state: Any, revision: str) -> Binding:
        found = real(kind, history, state, revision)
        return Binding(found.router, {**found.chooses, "prefill": state.stable})

    return bound


def _field_is_kept(real: Any) -> Any:
    return lambda self, fact: Answer.YES if fact == facts.KEPT else real(self, fact)


def _all_of_the_candidate(_real: Any) -> Any:
    def moved(draft: Any, _before: Any, _after: Any) -> Any:
        none = dict.fromkeys(draft.state.partition or {}, 0)
        return draft.at_partition(none, none)

    return moved


TOLD = {
    "requests follow before routers answer": Mutation(
        facts, "PROOFS", _unanswered, "requests always find a ready pod", policy="told", faults="lag"
    ),
    "requests move with what routers are told": Mutation(
        router_follow,
        "changed",
        _with_requests,
        "what routers are told changes in a commit of its own",
        policy="told",
        faults="none",
    ),
    "a version is used again": Mutation(
        router_policy,
        "told",
        _one_version,
        "versions of what routers are told only grow",
        policy="told",
        faults="none",
    ),
    "prefill and decode are two decisions": Mutation(
        router_policy,
        "_bound",
        _prefill_of_stable,
        "what routers are told to choose goes together",
        policy="told",
        faults="none",
    ),
    "a field is taken for kept": Mutation(
        Observation,
        "of",
        _field_is_kept,
        "nothing of a candidate runs where the field that holds it back is pruned",
        policy="in-place",
        faults="pruned-field",
    ),
    "a partition of a graph falls by itself": Mutation(
        follow,
        "hold_partition",
        partition_falls,
        "a partition falls by a merged gate alone",
        policy="in-place",
        faults="none",
    ),
    "what is added to a graph is the candidate's": Mutation(
        counted,
        "moved",
        _all_of_the_candidate,
        "a partition falls by a merged gate alone",
        policy="in-place",
        faults="scaling,changes",
    ),
}
