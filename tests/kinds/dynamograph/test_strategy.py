"""What a policy may ask of a graph, and what is refused with the place of it."""

from dataclasses import replace

import pytest

from gitops_rollout.api.gateway import Gateway
from gitops_rollout.api.graph_terms import Contract, ReleaseGroup, Strategy
from gitops_rollout.api.policy import ALL, BUILT_IN, Policy, Proof, ReplicasFrom, Step
from gitops_rollout.api.problems import Problem
from gitops_rollout.api.router_terms import RouterMode, RouterTerms
from gitops_rollout.api.steps import Share
from gitops_rollout.api.values import Json, Object
from gitops_rollout.kinds.dynamograph.kind import DYNAMO_GRAPH
from tests.kinds.dynamograph.manifests import accepted, alpha, annotated, component, frontend, graph, service

ROUTE = Gateway(parents=(), rules=(), component="router", name="chat")
STEPS = (Step("one", Share(1)), ALL)
NEW = Policy(STEPS, strategy=Strategy.NEW_GRAPH, renames_graph=True, gateway=ROUTE)
IN_PLACE = Policy(STEPS, strategy=Strategy.IN_PLACE, proof=Proof.CLUSTER)
WHOLE = Policy(strategy=Strategy.WHOLE)
CHAT = graph()
DISAGGREGATED = (frontend(), component("prefill", "prefill"), component())
SERVING = ReleaseGroup("serving", ("router", "decode"))


def found(policy: Policy, value: Object = CHAT) -> list[Problem]:
    return [*DYNAMO_GRAPH.strategy_faults(accepted(value), policy)]


def declared(*components: str, name: str = "serving") -> Object:
    """Give the graph with a release group in its own spec.rollout."""
    group: Json = {"name": name, "components": [*components]}
    return graph(rollout={"releaseGroups": [group]})


@pytest.mark.parametrize(
    ("policy", "value"),
    [
        (BUILT_IN, CHAT),
        (WHOLE, CHAT),
        (Policy(STEPS), CHAT),
        (NEW, CHAT),
        (NEW, alpha({"router": service("frontend"), "decode": service()})),
        (NEW, annotated(CHAT, enable_grove="false", workload_provider="component")),
        (NEW, graph(frontend(), component("planner", "planner"), component(scalingAdapter={}))),
        (NEW, declared("decode", "router")),
        (replace(NEW, release_groups=(SERVING,)), declared("decode", "router")),
        (replace(NEW, contracts=(Contract.between("router", "worker", "frontend-worker/1.5"),)), CHAT),
        (replace(NEW, router_policy=RouterTerms(RouterMode.MANAGEMENT_API, 9090)), CHAT),
        (IN_PLACE, CHAT),
        (WHOLE, graph(component(multinode={"nodeCount": 2}))),
        (WHOLE, annotated(CHAT, enable_grove="true")),
    ],
)
def test_what_a_graph_can_do_is_taken_without_a_word(policy: Policy, value: Object) -> None:
    assert found(policy, value) == []


TOLD = RouterTerms(RouterMode.MANAGEMENT_API, 9090)
AT_WORKERS = replace(ROUTE, component="decode")
NEEDS = [
    (replace(WHOLE, router_policy=TOLD), "routerPolicy", "one revision to choose"),
    (replace(IN_PLACE, router_policy=TOLD), "routerPolicy", "write route or gateway"),
    (replace(NEW, gateway=AT_WORKERS, router_policy=TOLD), "routerPolicy", "decode is no router"),
    (replace(NEW, gateway=None), "strategy", "NewGraph needs a route"),
    (replace(NEW, renames_graph=False), "strategy", "write renamesGraph: Accepted"),
    (replace(NEW, strategy=None, steps=(ALL,)), "gateway", "write strategy: NewGraph"),
    (replace(WHOLE, gateway=replace(ROUTE, replaces="chat")), "route", "write strategy: NewGraph"),
    (replace(WHOLE, steps=STEPS), "steps", "cannot be split"),
    (replace(IN_PLACE, proof=Proof.MANUAL), "strategy", "no cluster is observed"),
]


@pytest.mark.parametrize(("policy", "path", "word"), NEEDS)
def test_a_strategy_says_what_it_needs(policy: Policy, path: str, word: str) -> None:
    (problem,) = found(policy)
    assert (problem.path, problem.code) == (path, "POLICY_INVALID")
    assert word in problem.message


def test_replicas_of_several_graphs_stand_in_the_source() -> None:
    by_share = (Step("half", Share(50, percent=True)), ALL)
    (problem,) = found(replace(NEW, steps=by_share, replicas_from=ReplicasFrom.CLUSTER))
    assert (problem.path, problem.code) == ("replicasFrom", "NOT_YET")


RECREATE: Json = {"nvidia.com/deployment-strategy": "Recreate"}
INDIVISIBLE = [
    (graph(frontend(), component(multinode={"nodeCount": 2})), "decode runs on several nodes"),
    (graph(frontend(), component(), annotations=RECREATE), "router has the strategy Recreate"),
    (graph(frontend(), component(globalDynamoNamespace=True)), "workers of the other"),
    (alpha({"router": service(), "decode": service(globalDynamoNamespace=True)}), "workers of the other"),
    (annotated(CHAT, enable_grove="true"), "nvidia.com/enable-grove: true"),
    (annotated(CHAT, workload_provider="grove"), "nvidia.com/workload-provider: grove"),
]


@pytest.mark.parametrize("policy", [NEW, IN_PLACE])
@pytest.mark.parametrize(("value", "word"), INDIVISIBLE)
def test_what_cannot_stand_beside_another_revision_moves_whole(
    policy: Policy, value: Object, word: str
) -> None:
    first, *_ = found(policy, value)
    assert (first.path, first.code) == ("strategy", "POLICY_INVALID")
    assert word in first.message
    assert "write strategy: Whole" in first.message


@pytest.mark.parametrize(("length", "refused"), [(37, []), (38, ["strategy"])])
def test_names_of_one_revision_have_to_fit_into_a_label(length: int, refused: list[str]) -> None:
    # `r0123456789-chat-` before it and `-01234567` after it are 26 characters of 63.
    value = graph(frontend(), component("d" * length))
    assert [one.path for one in found(NEW, value)] == refused


def grouped(*groups: tuple[str, ...], contracts: tuple[Contract, ...] = ()) -> Policy:
    named = tuple(ReleaseGroup(f"g{index}", members) for index, members in enumerate(groups))
    return replace(NEW, release_groups=named, contracts=contracts)


TRANSFER = Contract.between("prefill", "decode", "nixl/0.7+fp8")
GROUPS = [
    (grouped(("router", "ghost", "prefill", "decode")), "releaseGroups[0].components[1]"),
    (grouped(("router", "router")), "releaseGroups[0].components[1]"),
    (grouped(("router",), ("router",)), "releaseGroups[1].components[0]"),
    (grouped(("router", "decode")), "releaseGroups[0].components"),
    (grouped(("router", "prefill")), "releaseGroups[0].components"),
    (replace(NEW, release_groups=(ReleaseGroup("g", ("router",)),) * 2), "releaseGroups[1].name"),
    (grouped(("prefill", "decode")), "gateway.component"),
    (replace(NEW, contracts=(Contract.between("ghost", "router", "x/1"),)), "compatibility[0].edge[0]"),
]


@pytest.mark.parametrize(("policy", "path"), GROUPS)
def test_groups_and_contracts_of_a_policy_are_those_of_the_graph(policy: Policy, path: str) -> None:
    first, *_ = found(policy, graph(*DISAGGREGATED))
    assert (first.path, first.code) == (path, "POLICY_INVALID")


@pytest.mark.parametrize("strategy", [None, Strategy.WHOLE])
def test_groups_are_checked_whatever_the_strategy(strategy: Strategy | None) -> None:
    policy = Policy(strategy=strategy, release_groups=(ReleaseGroup("g", ("ghost",)),))
    assert [one.path for one in found(policy)] == ["releaseGroups[0].components[0]"]


def test_a_contract_lets_a_group_part_prefill_from_decode() -> None:
    parted = grouped(("router", "decode"), contracts=(TRANSFER,))
    rollout: Json = {"compatibility": [TRANSFER.to_json()]}
    assert found(parted, graph(*DISAGGREGATED)) == []
    assert found(replace(parted, contracts=()), graph(*DISAGGREGATED, rollout=rollout)) == []


def test_groups_that_policy_and_graph_tell_differently_are_refused() -> None:
    policy = replace(NEW, release_groups=(SERVING,))
    assert [one.path for one in found(policy, declared("router"))] == ["releaseGroups"]
    assert [one.path for one in found(policy, declared("router", "decode", name="other"))] == [
        "releaseGroups"
    ]


def test_a_group_of_the_graph_holds_what_requests_are_sent_to() -> None:
    (problem,) = found(NEW, declared("decode"))
    assert problem.path == "gateway.component"
    assert "add it to one of serving" in problem.message


@pytest.mark.parametrize(
    ("components", "answers"),
    [
        ((frontend(), component()), "router"),
        ((component("picker", "epp"), component()), "picker"),
        ((component(),), "decode"),
        ((frontend(), component("picker", "epp"), component()), ""),
        ((frontend(), component("other", "frontend")), ""),
        ((component("prefill", "prefill"), component()), ""),
    ],
)
def test_the_only_one_that_may_answer_requests_need_not_be_named(
    components: tuple[Object, ...], answers: str
) -> None:
    assert DYNAMO_GRAPH.answering(graph(*components)) == answers


def test_a_graph_of_v1alpha1_says_it_too() -> None:
    services: Object = {"router": service("frontend"), "decode": service()}
    assert DYNAMO_GRAPH.answering(alpha(services)) == "router"
