"""What the invariants of graphs are worth: each of these faults of the planner, one of them must catch."""

from types import MappingProxyType
from typing import Any

from gitops_rollout.kinds.dynamograph import apart
from gitops_rollout.render import workload
from gitops_rollout.rollout import beside, beside_follow, facts, leaving, proofs
from gitops_rollout.rollout.facts import About, Answer, Observation, Transition
from tests.simulate.mutations import Mutation


def _named_after_the_workload(_real: Any) -> Any:
    return lambda key, digest, _others: f"{key.name}-{digest[:10]}"


def _nothing_is_needed(real: Any) -> Any:
    return lambda kind, history, state: dict.fromkeys(real(kind, history, state), 0)


def _one_prefill(real: Any) -> Any:
    def replicas(kind: Any, history: Any, state: Any, partition: Any) -> dict[str, int]:
        found: dict[str, int] = real(kind, history, state, partition)
        return {name: min(count, 1) if name == "Prefill" else count for name, count in found.items()}

    return replicas


def _keeps_its_replicas(_real: Any) -> Any:
    def gone(draft: Any, graphs: Any) -> Any:
        rest = tuple(one for one in draft.state.graphs if one not in graphs)
        return leaving.drained(draft).with_state(graphs=rest)

    return gone


def _undrained(real: Any) -> Any:
    return MappingProxyType(
        {
            transition: tuple(fact for fact in rows if fact.about is not About.DRAINED)
            if transition is Transition.STABLE_SHARE
            else rows
            for transition, rows in real.items()
        }
    )


def _unknown_is_a_yes(_real: Any) -> Any:
    def missing(self: Observation, wanted: Any) -> Any:
        return tuple(fact for fact in wanted if self.of(fact) is Answer.NO)

    return missing


GRAPHS = {
    "a graph's name begins like another one's": Mutation(
        apart,
        "graph_name",
        _named_after_the_workload,
        "no graph's Dynamo namespace begins with another one's",
        policy="new-graph",
        faults="none",
    ),
    "prefill goes with the others": Mutation(
        beside_follow,
        "last_down",
        lambda _real: lambda _scene, _draft, _graph: frozenset(),
        "prefill leaves last",
        policy="new-graph",
        faults="none",
    ),
    "stable shrinks below what its requests need": Mutation(
        beside,
        "needed",
        _nothing_is_needed,
        "a graph keeps the replicas that its requests need",
        policy="new-graph",
        faults="none",
    ),
    "prefill does not grow with decode": Mutation(
        beside,
        "candidate_replicas",
        _one_prefill,
        "prefill and decode of a candidate grow in proportion",
        policy="new-graph",
        faults="none",
    ),
    "stable is not made whole before its requests come back": Mutation(
        beside,
        "restored",
        lambda _real: lambda _kind, _history, state: state.graphs,
        "one commit moves pods or requests, never both",
        policy="new-graph",
        faults="changes",
    ),
    "nobody waits for requests that are in flight": Mutation(
        leaving,
        "waiting",
        lambda _real: lambda _scene, draft: draft,
        "a graph keeps the replicas that its requests need",
        policy="new-graph",
        faults="changes,orders",
    ),
    "a graph goes with its replicas": Mutation(
        beside_follow,
        "_gone",
        _keeps_its_replicas,
        "a graph is removed when it is empty",
        policy="new-graph",
        faults="changes",
    ),
    "a graph that moves at once is shown before its gate": Mutation(
        workload,
        "_rendered",
        lambda real: lambda kind, state: state.offered or real(kind, state),
        "no revision is published that nobody let in",
        policy="whole",
        faults="none",
    ),
    "a gate opens without its facts": Mutation(
        proofs,
        "missing",
        lambda _real: lambda _scene, _draft, _gate: (),
        "nothing is asked before what it stands on is seen, as it was published before",
        policy="new-graph-observed",
        faults="none",
    ),
    "stable's share is taken while its requests are in flight": Mutation(
        facts,
        "PROOFS",
        _undrained,
        "no pod goes while requests that left it are in flight",
        policy="new-graph-observed",
        faults="none",
    ),
    "unknown is a yes": Mutation(
        Observation,
        "missing",
        _unknown_is_a_yes,
        "nothing is asked before what it stands on is seen, as it was published before",
        policy="new-graph-observed",
        faults="unknown-facts,lag",
    ),
}
