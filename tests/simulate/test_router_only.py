"""Routers that use the workers of another graph, played: the operator, its laws and a rollout (R17)."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import pytest

from gitops_rollout.rollout.facts import About, Answer, Fact
from gitops_rollout.rollout.state import State
from gitops_rollout.simulate import graph_laws as laws
from gitops_rollout.simulate.controllers import Reach
from gitops_rollout.simulate.dynamo import Dynamo
from gitops_rollout.simulate.faults import Faults
from gitops_rollout.simulate.moments import Moment
from gitops_rollout.simulate.play import Play
from gitops_rollout.simulate.run import played, prepared
from gitops_rollout.simulate.sight import observed
from gitops_rollout.simulate.wishes import THIRD
from tests.simulate.graph_runs import NEW_GRAPH, ROUTERS, SIZES, alpha, beta, graph_wishes, routers
from tests.simulate.runs import found
from tests.simulate.test_graphs import running
from tests.simulate.test_invariants import GROUPS

UP = ["attach", "canary", "canary-traffic", "half-traffic", "drained", "all", "all-traffic", "drained"]


@pytest.mark.parametrize("write", [beta, alpha])
def test_routers_are_exchanged_and_use_the_workers_that_were_there(write: Callable[..., bytes]) -> None:
    run = played(graph_wishes("routers", write), Faults())
    assert run.findings == ()
    assert [row.merges for row in run.timeline.rows if row.merges] == [*UP, "complete"]


@pytest.mark.parametrize("policy", ROUTERS)
def test_a_promoted_router_leaves_the_graph_of_its_workers_alone(policy: str) -> None:
    last = moments(policy)[-1]
    assert running_in(last) == [("chat", "Decode"), ("chat", "Prefill"), (other(last), "Frontend")]


@pytest.mark.parametrize("policy", ROUTERS)
def test_three_graphs_have_pods_while_workers_follow_routers(policy: str) -> None:
    play = prepared(graph_wishes(policy), Faults())
    assert [*play.moments()]
    play.world.wish = play.world.wishes.wish(THIRD)
    many = {len({pod.graph for pod in moment.pods}) for moment in play._calm()}
    assert (max(many), play.world.findings, play._unfinished()) == (3, [], "")


@pytest.mark.parametrize("group", [one for one in GROUPS if one != "hands"])
@pytest.mark.parametrize("policy", ROUTERS)
def test_no_fault_breaks_an_invariant_of_routers(policy: str, group: str) -> None:
    assert [found(policy, GROUPS[group], seed) for seed in range(2)] == [[], []]


def test_a_router_that_is_told_a_namespace_answers_when_it_finds_all_workers_there() -> None:
    dynamo = running(beta("a"), elsewhere("serving-chat"))
    assert {pod.ready for pod in dynamo.pods if pod.graph == "other"} == {True}
    assert found_by(dynamo, "other") == {"chat"}


def test_a_router_that_is_told_of_nobody_answers_nobody() -> None:
    dynamo = running(beta("a"), elsewhere("serving-gone"))
    assert {pod.ready for pod in dynamo.pods if pod.graph == "other"} == {False}


def test_what_a_candidate_shares_with_stable_is_not_waited_for() -> None:
    play = prepared(graph_wishes("routers"), Faults())
    states = (moment.state for moment in play.moments())
    gone = [gone_of(play, state) for state in states if state is not None and state.candidate is not None]
    assert (gone[0], gone[-1]) == (Answer.NO, Answer.YES)


def test_workers_that_are_removed_under_their_routers_are_a_finding() -> None:
    last = moments("routers")[-1]
    gone = replace(last, live={name: one for name, one in last.live.items() if name[1] != "chat"})
    assert "chat is not there" in laws.routers_have_their_workers(last, gone)


def test_a_router_that_finds_strange_workers_is_a_finding() -> None:
    last = moments("routers")[-1]
    strange = [replace(pod, graph="strange") for pod in last.pods if pod.component == "Decode"]
    reach = tuple(Reach(one.router, (tuple(strange),)) for one in last.reach)
    assert "finds" in laws.routers_keep_to_their_graph(last, replace(last, reach=reach))


def test_a_third_graph_that_no_contract_names_is_a_finding() -> None:
    last = moments("routers")[-1]
    more = (*last.pods, replace(last.pods[0], graph="one"), replace(last.pods[0], graph="two"))
    assert "have pods" in laws.two_graphs_at_most_have_pods(last, replace(last, pods=more))


def test_without_a_contract_a_new_router_brings_workers_of_its_own() -> None:
    play = prepared(
        graph_wishes(
            NEW_GRAPH, lambda image, sizes: beta("a", sizes) if image == "a" else routers(beta("a", sizes))
        ),
        Faults(),
    )
    last = [*play.moments()][-1]
    assert {pod.component for pod in last.pods if pod.graph != "chat"} == set(SIZES)


@cache
def moments(policy: str) -> tuple[Moment, ...]:
    return tuple(prepared(graph_wishes(policy), Faults()).moments())


def gone_of(play: Play, state: State) -> Answer:
    """Say whether stable is gone, as people who look see it."""
    return observed(play.world).of(Fact(About.GONE, state.stable))


def running_in(moment: Moment) -> list[tuple[str, str]]:
    return sorted({(pod.graph, pod.component) for pod in moment.pods})


def other(moment: Moment) -> str:
    return next(name for name in sorted({pod.graph for pod in moment.pods}) if name != "chat")


def elsewhere(namespace: str) -> bytes:
    """Write a graph of a router alone that is told where to look."""
    told = f', env: [{{name: DYN_NAMESPACE_PREFIX, value: "{namespace}"}}]}}]}}}}'.encode()
    graph = beta("a", {"Frontend": 2}).replace(b"name: chat", b"name: other")
    return graph.replace(b"}]}}", told)


def found_by(dynamo: Dynamo, graph: str) -> set[str]:
    return {
        pod.graph for one in dynamo.reach if one.router.graph == graph for found in one.sets for pod in found
    }
