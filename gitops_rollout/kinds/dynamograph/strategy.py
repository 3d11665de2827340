"""Which strategies a graph can follow (DESIGN 5, "DGD strategies"), and what each needs of its policy.

Every problem stands at a path below the RevisionRollout's `spec` and says what to do instead.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from gitops_rollout.api.graph_terms import Contract, Strategy
from gitops_rollout.api.policy import Policy, Proof, ReplicasFrom
from gitops_rollout.api.problems import Problem
from gitops_rollout.api.values import Json, Object, at, mapping, sequence
from gitops_rollout.api.workload import Spec
from gitops_rollout.kinds.dynamograph import in_place_terms, mixing, roles, rollout
from gitops_rollout.kinds.dynamograph.controls import release_groups
from gitops_rollout.kinds.dynamograph.graph import Component, Graph
from gitops_rollout.kinds.dynamograph.identity import generated
from gitops_rollout.kinds.dynamograph.words import ENABLE_GROVE, REVISION_PREFIX, WORKLOAD_PROVIDER
from gitops_rollout.kinds.names import LABEL_LENGTH
from gitops_rollout.kinds.protocol import ROUTER
from gitops_rollout.kinds.written import problem

_BLOCK = "spec.rollout."


@dataclass(frozen=True, slots=True)
class _Asked:
    """A graph and the policy that is asked of it."""

    spec: Spec
    policy: Policy

    @property
    def graph(self) -> Graph:
        return Graph(self.spec.text)

    @property
    def strategy(self) -> Strategy:
        return self.policy.strategy or Strategy.WHOLE

    @property
    def groups(self) -> Mapping[str, frozenset[str]]:
        """Give the release groups of the policy, or else those that the graph declares itself."""
        return mixing.Side(self.spec, self.policy).groups

    @property
    def declared(self) -> dict[str, frozenset[str]]:
        """Give the release groups of the graph's own spec.rollout."""
        return release_groups(self.spec.controls)


_Rule: TypeAlias = Callable[[_Asked], Iterator[Problem]]


def strategy_faults(spec: Spec, policy: Policy) -> Iterator[Problem]:
    """Find what of `policy` this graph cannot do."""
    asked = _Asked(spec, policy)
    for rule in (*_RULES[asked.strategy], _groups, _twice, _ungrouped):
        yield from rule(asked)


def excused(spec: Spec, contracts: Sequence[Contract]) -> bool:
    """Say whether the contracts of a policy let the graph's own groups part prefill from decode."""
    groups: list[Json] = [
        {"name": name, "components": [*sorted(members)]}
        for name, members in release_groups(spec.controls).items()
    ]
    written: list[Json] = [one.to_json() for one in contracts]
    return not [*rollout.parted(_saying(Graph(spec.text), groups, written))]


def _saying(graph: Graph, groups: list[Json], contracts: list[Json]) -> Graph:
    """Give a graph whose own spec.rollout says these groups and contracts, and nothing else."""
    block: Object = {"releaseGroups": groups, "compatibility": contracts}
    return Graph({**graph.value, "spec": {**graph.spec, "rollout": block}})


def _invalid(path: str, message: str) -> Problem:
    return problem(path, "POLICY_INVALID", message)


def _at_once(asked: _Asked) -> Iterator[Problem]:
    """A graph that moves at once shares nothing out, neither requests nor replicas."""
    gateway = asked.policy.gateway
    if gateway is not None:
        message = "a graph that moves as a whole shares out no requests; write strategy: NewGraph"
        yield _invalid("route" if gateway.replaces else "gateway", message)
    # Without a strategy the steps may be a fleet's: all of them are then the one gate of the graph.
    if asked.policy.strategy is not None and len(asked.policy.steps) > 1:
        message = "a graph that moves as a whole cannot be split; write one step, or strategy: NewGraph"
        yield _invalid("steps", message)
    if asked.policy.router_policy.managed:
        message = "a graph that moves as a whole has one revision to choose; write strategy: NewGraph"
        yield _invalid("routerPolicy", message)


def _told(asked: _Asked) -> Iterator[Problem]:
    """Requests go to routers, and those are what is told whom to choose."""
    gateway = asked.policy.gateway
    if not asked.policy.router_policy.managed:
        return
    if gateway is None:
        yield _invalid(
            "routerPolicy", "routers are told by what the route sends them; write route or gateway"
        )
    elif roles.roles(asked.spec.text).get(gateway.component, ROUTER) != ROUTER:
        message = f"{gateway.component} is no router; send requests to a frontend or an endpoint picker"
        yield _invalid("routerPolicy", f"{message}, or write mode: Isolation")


def _routed(asked: _Asked) -> Iterator[Problem]:
    if asked.policy.gateway is None:
        message = (
            "NewGraph needs a route, which shares out requests between two graphs; write route or gateway"
        )
        yield _invalid("strategy", f"{message}, or strategy: Whole")


def _renamed(asked: _Asked) -> Iterator[Problem]:
    if not asked.policy.renames_graph:
        name = asked.spec.key.name
        message = (
            f"with NewGraph every revision is a graph of its own, named r<10 hex>-{name}: after the first "
            f"rollout nothing is called {name} any more; write renamesGraph: Accepted"
        )
        yield _invalid("strategy", message)


def _counted(asked: _Asked) -> Iterator[Problem]:
    if asked.policy.replicas_from is ReplicasFrom.CLUSTER:
        message = "replicas of several graphs that the cluster owns are not built yet; write Source"
        yield problem("replicasFrom", "NOT_YET", message)


def _observed(asked: _Asked) -> Iterator[Problem]:
    """InPlace stands on a field that today's CRD prunes (research/dynamo.md 6)."""
    if asked.policy.proof is Proof.MANUAL:
        message = (
            "no cluster is observed: nobody can tell whether the live CRD keeps spec.rollout, which InPlace "
            "stands on; write Whole, or NewGraph with a route"
        )
        yield _invalid("strategy", message)


def _in_place(asked: _Asked) -> Iterator[Problem]:
    yield from in_place_terms.faults(asked.spec, asked.policy)


def _parts(asked: _Asked) -> Iterator[Problem]:
    """Two revisions side by side need single-node Deployments (proposal, "Scope and lifecycle")."""
    for component in asked.graph.components():
        if why := next((why for holds, why in _whole_only(asked.graph, component) if holds), ""):
            yield _invalid("strategy", f"{component.name} {why}; write strategy: Whole")
    if grove := _grove(mapping(at(asked.spec.controls, "metadata", "annotations"))):
        message = f"{grove}: Grove replaces the pods of a graph in its own order; write strategy: Whole"
        yield _invalid("strategy", message)


def _whole_only(graph: Graph, component: Component) -> Iterator[tuple[bool, str]]:
    yield component.multinode, "runs on several nodes, and moves as a whole"
    yield graph.recreates(component), "has the strategy Recreate, which takes all pods away first"
    yield (
        component.value.get("globalDynamoNamespace") is True,
        "is in the global Dynamo namespace, where routers of one revision would see workers of the other",
    )


def _grove(annotations: Object) -> str:
    """Name the annotation that says Grove in so many words; empty when none does."""
    if annotations.get(WORKLOAD_PROVIDER) == "grove":
        return f"{WORKLOAD_PROVIDER}: grove"
    # The operator takes everything but "false" for a yes (research/dynamo.md 2.1).
    enabled = annotations.get(ENABLE_GROVE, "false")
    return f"{ENABLE_GROVE}: {enabled}" if enabled != "false" else ""


def _named(asked: _Asked) -> Iterator[Problem]:
    for component in asked.graph.components():
        name = generated(f"{REVISION_PREFIX}{asked.spec.key.name}", component)
        if len(name) > LABEL_LENGTH:
            message = (
                f"a graph of one revision has {len(REVISION_PREFIX)} characters more in its name, and the "
                f'generated name "{name}" has {len(name)}, where at most {LABEL_LENGTH} fit into a label; '
                "shorten metadata.name or the component's name, or write strategy: Whole"
            )
            yield _invalid("strategy", message)


def _groups(asked: _Asked) -> Iterator[Problem]:
    """Groups and contracts of a policy follow the rules of the graph's own spec.rollout."""
    policy = asked.policy
    written: list[Json] = [one.to_json() for one in policy.contracts]
    contracts: list[Json] = [*written, *sequence(at(asked.graph.spec, "rollout", "compatibility"))]
    groups: list[Json] = [one.to_json() for one in policy.release_groups]
    graph = _saying(asked.graph, groups, contracts)
    for rule in (rollout.groups, rollout.parted, rollout.contracts):
        for found in rule(graph):
            yield replace(found, path=found.path.removeprefix(_BLOCK), code="POLICY_INVALID")


def _twice(asked: _Asked) -> Iterator[Problem]:
    if asked.policy.release_groups and asked.declared not in ({}, asked.groups):
        message = "spec.rollout.releaseGroups of the graph says otherwise; keep one of both"
        yield _invalid("releaseGroups", message)


def _ungrouped(asked: _Asked) -> Iterator[Problem]:
    """A route is of the one group that holds its component (DESIGN 7)."""
    gateway, groups = asked.policy.gateway, asked.groups
    if gateway is None or not groups or any(gateway.component in members for members in groups.values()):
        return
    message = (
        f"no release group holds {gateway.component}, which requests are sent to; add it to one of "
        f"{', '.join(sorted(groups))}"
    )
    yield _invalid("gateway.component", message)


_RULES: Mapping[Strategy, tuple[_Rule, ...]] = {
    Strategy.WHOLE: (_at_once,),
    Strategy.NEW_GRAPH: (_routed, _renamed, _counted, _parts, _named, _told),
    Strategy.IN_PLACE: (_observed, _in_place, _parts, _told),
}
