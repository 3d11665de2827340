"""When a candidate is routers alone, and when it is a whole graph all the same (DESIGN 5, proposal)."""

from dataclasses import replace

import pytest

from gitops_rollout.api.graph_terms import Contract
from gitops_rollout.api.policy import Policy
from gitops_rollout.api.values import Json, Object, at, mapping, sequence
from gitops_rollout.rollout.draft import Order, Scene
from tests.rollout import graphs
from tests.rollout.graphs import SIZES, GraphStage
from tests.rollout.router_only import (
    CONTRACT,
    FULL,
    NEW,
    NEWER,
    OLD,
    WORKERS,
    attached,
    going,
    graph,
    image,
    policy,
    promoted,
)

WHOLE = {OLD: SIZES, NEW: {"Frontend": 1, "Decode": 1, "Prefill": 1}}
ALONE = {OLD: SIZES, NEW: {"Frontend": 1}}
OTHER = Contract.between("router", "worker", "frontend-worker/2.0")


def canary(stage: GraphStage) -> GraphStage:
    return stage.settle().through("canary")


def why(stage: GraphStage) -> str:
    notes = {note.code: note.message for note in stage.last.plan.notes} if stage.last else {}
    return notes.get("WHOLE_GRAPH", "")


def under(*contracts: Contract) -> Policy:
    return graphs.policy(contracts=contracts)


# Contracts


def test_without_a_contract_it_is_a_whole_graph_and_nothing_is_said() -> None:
    stage = attached(graphs.policy()).source(graph(NEW)).settle()
    assert not why(stage)
    assert canary(stage).sizes == WHOLE


def test_a_contract_of_another_edge_says_nothing() -> None:
    stage = attached(under(Contract.between("prefill", "decode", "nixl/0.7"))).source(graph(NEW)).settle()
    assert not why(stage)
    assert canary(stage).sizes == WHOLE


@pytest.mark.parametrize(
    "contracts",
    [
        [CONTRACT],
        [Contract.between("frontend", "worker", "one")],
        [Contract.between("Frontend", "worker", "one")],
        [Contract.between("router", "decode", "one"), Contract.between("router", "prefill", "two")],
        [Contract.between("Frontend", "Decode", "one"), Contract.between("Frontend", "Prefill", "one")],
    ],
)
def test_a_contract_is_of_components_or_of_kinds_of_them(contracts: list[Contract]) -> None:
    assert canary(attached(under(*contracts)).source(graph(NEW))).sizes == ALONE


def test_a_contract_with_some_of_the_workers_is_not_enough() -> None:
    stage = attached(under(Contract.between("router", "decode", "one"))).source(graph(NEW)).settle()
    assert "Frontend and Prefill keep to nothing in stable and to nothing in it" in why(stage)
    assert canary(stage).sizes == WHOLE


def test_a_contract_that_the_graph_declares_itself_counts() -> None:
    block: Object = {"compatibility": [{"edge": ["router", "worker"], "contract": "one"}]}
    stage = attached(graphs.policy(), graph(OLD, rollout=block)).source(graph(NEW, rollout=block))
    assert canary(stage).sizes == ALONE


def test_a_graph_that_breaks_its_own_contract_is_whole() -> None:
    blocks: list[Object] = [
        {"compatibility": [{"edge": ["router", "worker"], "contract": word}]} for word in ("one", "two")
    ]
    stage = attached(graphs.policy(), graph(OLD, rollout=blocks[0]))
    stage.source(graph(NEW, rollout=blocks[1])).settle()
    assert "keep to one in stable and to two in it" in why(stage)
    assert canary(stage).sizes == WHOLE


def test_a_contract_that_comes_with_the_revision_says_nothing_about_stable() -> None:
    stage = attached(graphs.policy())
    stage.policy = policy()
    stage.source(graph(NEW)).settle()
    assert "keep to nothing in stable" in why(stage)
    assert canary(stage).sizes == WHOLE


def test_a_contract_that_was_declared_before_counts() -> None:
    stage = attached(graphs.policy())
    stage.policy = policy()
    stage.settle()
    assert canary(stage.source(graph(NEW))).sizes == ALONE


def test_a_contract_that_changes_with_the_revision_is_another_one() -> None:
    stage = attached()
    stage.policy = under(OTHER)
    assert canary(stage.source(graph(NEW))).sizes == WHOLE


def test_a_contract_is_judged_until_the_first_gate_is_merged_and_then_no_more() -> None:
    stage = going()
    stage.policy = graphs.policy()
    assert stage.settle().state.graphs[1].holds == ()
    stage = going("canary")
    stage.policy = graphs.policy()
    assert stage.settle().state.graphs[1].holds == ("Frontend",)


def test_without_a_contract_any_more_the_next_one_is_whole_and_retires_both() -> None:
    stage = promoted()
    stage.policy = graphs.policy()
    stage.source(graph(NEWER)).settle().through("canary")
    assert stage.sizes == {OLD: FULL, NEW: {"Frontend": 2}, NEWER: dict.fromkeys(SIZES, 1)}
    while stage.gate is not None:
        stage.merge()
    assert stage.sizes == {NEWER: SIZES}


# What changed


@pytest.mark.parametrize(
    "changed",
    [
        graph(NEW, "engine:2.0.0"),
        graph(NEW, env=[{"name": "LEVEL", "value": "debug"}]),
        graph(NEW, sizes={**SIZES, "Planner": 1}),
        graph(NEW, sizes={"Frontend": 2, "Decode": 4}),
    ],
)
def test_what_changes_more_than_routers_is_a_whole_graph(changed: Object) -> None:
    stage = attached().source(changed).settle()
    assert not why(stage)
    assert stage.state.graphs[1].workers == ""


def test_a_planner_is_no_router() -> None:
    before = graph(OLD, sizes={**SIZES, "Planner": 1})
    after = graphs.graph(
        WORKERS, {**SIZES, "Planner": 1}, changed={"Frontend": image(NEW), "Planner": image("planner:2.0.0")}
    )
    assert attached(wanted=before).source(after).settle().state.graphs[1].workers == ""


def frontend(**more: Json) -> Object:
    """Write a graph with another router that has these fields in its main container."""
    found = graph(NEW)
    component = mapping(sequence(at(found, "spec", "components"))[0])
    mapping(sequence(at(component, "podTemplate", "spec", "containers"))[0]).update(more)
    return found


@pytest.mark.parametrize(
    "fields",
    [
        {"args": ["--router-mode", "kv", "--namespace", "serving-other"]},
        {"args": ["--namespace-prefix=serving-other"]},
        {"command": ["sh", "-c", "exec python3 -m dynamo.frontend --namespace serving-other"]},
        {"env": [{"name": "DYN_NAMESPACE_PREFIX", "value": "serving-other"}]},
    ],
)
def test_a_router_that_says_itself_where_its_workers_are_cannot_be_bound(fields: Object) -> None:
    stage = attached().source(frontend(**fields)).settle()
    assert "Frontend says itself where its workers are" in why(stage)


def test_what_else_a_router_is_told_stays_beside_its_place() -> None:
    stage = canary(attached().source(frontend(env=[{"name": "LEVEL", "value": "debug"}])))
    (container,) = sequence(at(sequence(at(graphs_of(stage), "spec", "components"))[0], *_MAIN))
    assert [at(one, "name") for one in sequence(at(container, "env"))] == ["LEVEL", "DYN_NAMESPACE_PREFIX"]


_MAIN = ("podTemplate", "spec", "containers")


def graphs_of(stage: GraphStage) -> Object:
    return next(one for name, one in stage.graphs.items() if name != "chat")


def also(value: Object, name: str, **fields: Json) -> Object:
    """Add a component to a graph."""
    sequence(at(value, "spec", "components")).append({"name": name, "replicas": 1, **fields})
    return value


def test_an_endpoint_picker_is_a_whole_graph() -> None:
    config: Object = {"configMapRef": {"name": "epp", "key": "config"}}
    before, after = (
        also(graph(OLD), "Epp", type="epp", eppConfig=config, **image(name)) for name in ("epp:1", "epp:2")
    )
    stage = attached(wanted=before).source(after).settle()
    assert "Epp picks endpoints of a pool" in why(stage)


def test_a_router_that_is_not_asked_by_the_route_is_a_whole_graph() -> None:
    before, after = (
        also(graph(OLD), "Local", type="frontend", **image(name)) for name in ("local:1", "local:2")
    )
    stage = attached(wanted=before).source(after).settle()
    assert "Frontend, which requests are sent to, is as it was" in why(stage)


def test_a_planner_that_did_not_change_keeps_routers_and_workers_together() -> None:
    before, after = (
        also(graph(name), "Planner", type="planner", **image("planner:1")) for name in (OLD, NEW)
    )
    stage = attached(wanted=before).source(after).settle()
    assert "Planner scales its workers by what the routers of its own graph measure" in why(stage)


class Crowded(GraphStage):
    """Beside it is a workload whose namespace begins with that of this one, which ran before."""

    def scene(self, order: Order | None = None) -> Scene:
        scene = super().scene(order)
        scopes = frozenset({"serving-chat", "serving-chat-eu"})
        return replace(scene, desired=replace(scene.desired, scopes=scopes))


def test_workers_that_are_not_told_from_those_of_others_serve_nobody_else() -> None:
    stage = Crowded(graph(OLD), policy()).settle().through("attach")
    stage.source(graph(NEW)).settle()
    assert "serving-chat-eu begins with serving-chat" in why(stage)
    assert canary(stage).sizes == WHOLE


def test_a_standalone_router_is_a_whole_graph() -> None:
    before, after = (also(graph(name), "Local", **image(name)) for name in (OLD, NEW))
    stage = attached(wanted=before).source(after).settle()
    assert "Local is no frontend" in why(stage)


def test_component_groups_would_name_what_a_graph_of_routers_has_not() -> None:
    groups: Json = [{"name": "all", "replicas": 1, "components": [{"name": "Frontend"}, {"name": "Decode"}]}]
    before, after = (graph(one, experimental={"componentGroups": groups}) for one in (OLD, NEW))
    stage = attached(wanted=before).source(after).settle()
    assert "its component groups name components" in why(stage)


def test_a_router_that_did_not_change_stays_with_the_workers() -> None:
    before, after = (also(graph(name), "Local", **image("local:1")) for name in (OLD, NEW))
    stage = attached(wanted=before).source(after).settle()
    while stage.gate is not None:
        stage.merge()
    assert stage.sizes == {OLD: {**FULL, "Local": 1}, NEW: {"Frontend": 2}}


def adapted(router: str, name: str) -> Object:
    """Write a graph of which an adapter scales one component."""
    value = graph(router)
    for one in map(mapping, sequence(at(value, "spec", "components"))):
        one.update({"scalingAdapter": {}, "replicas": None} if one.get("name") == name else {})
    return value


def test_an_adapter_of_the_router_keeps_the_one_of_stable_so_it_is_a_whole_graph() -> None:
    stage = attached(wanted=adapted(OLD, "Frontend")).source(adapted(NEW, "Frontend")).settle()
    assert "Frontend has a scaling adapter" in why(stage)


def test_workers_that_an_adapter_scales_may_serve_both() -> None:
    stage = attached(wanted=adapted(OLD, "Decode")).source(adapted(NEW, "Decode")).settle()
    while stage.gate is not None:
        stage.merge()
    assert stage.sizes == {OLD: {"Frontend": 0, "Decode": None, "Prefill": 4}, NEW: {"Frontend": 2}}
