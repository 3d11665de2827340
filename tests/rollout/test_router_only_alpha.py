"""Routers alone in a graph of v1alpha1: the same way, written as services."""

from gitops_rollout.api.values import Json, Object, at, mapping, sequence
from tests.rollout.graphs import SIZES, GraphStage
from tests.rollout.router_only import NEW, OLD, UP, WORKERS, attached

TYPES: dict[str, Object] = {
    "Frontend": {"componentType": "frontend"},
    "Decode": {"componentType": "worker", "subComponentType": "decode"},
    "Prefill": {"componentType": "worker", "subComponentType": "prefill"},
}


def alpha(router: str, **fields: Json) -> Object:
    """Write a graph of v1alpha1 with this image in its frontend, and these fields beside it."""
    services: Object = {
        name: {
            **TYPES[name],
            "replicas": count,
            "extraPodSpec": {"mainContainer": {"image": router if name == "Frontend" else WORKERS}},
            **(fields if name == "Frontend" else {}),
        }
        for name, count in SIZES.items()
    }
    return {
        "apiVersion": "nvidia.com/v1alpha1",
        "kind": "DynamoGraphDeployment",
        "metadata": {"name": "chat", "namespace": "serving"},
        "spec": {"services": services},
    }


def services(stage: GraphStage) -> dict[str, Object]:
    """Give the services of every published graph."""
    return {name: mapping(at(one, "spec", "services")) for name, one in stage.graphs.items()}


def replicas(stage: GraphStage) -> list[dict[str, Json]]:
    return [{name: at(one, "replicas") for name, one in each.items()} for each in services(stage).values()]


def test_a_service_finds_its_workers_by_a_variable_of_its_own() -> None:
    written: Json = [{"name": "LEVEL", "value": "debug"}]
    stage = attached(wanted=alpha(OLD, envs=written)).source(alpha(NEW, envs=written)).settle()
    stage.through("canary")
    frontend = next(one["Frontend"] for name, one in services(stage).items() if name != "chat")
    place: Object = {"name": "DYN_NAMESPACE_PREFIX", "value": "serving-chat"}
    assert at(frontend, "envs") == [*sequence(written), place]


def test_routers_alone_go_the_whole_way_up() -> None:
    stage = attached(wanted=alpha(OLD)).source(alpha(NEW)).settle().through(*UP)
    assert replicas(stage) == [{**SIZES, "Frontend": 0}, {"Frontend": 2}]


def test_a_service_that_says_itself_where_its_workers_are_is_a_whole_graph() -> None:
    fields: Json = [{"name": "DYN_NAMESPACE", "value": "serving-other"}]
    stage = attached(wanted=alpha(OLD, envs=fields)).source(alpha(NEW, envs=fields)).settle()
    assert "WHOLE_GRAPH" in stage.codes


def test_a_graph_that_is_only_respelled_may_be_the_one_with_the_workers() -> None:
    stage = attached(wanted=alpha(OLD)).source(alpha(OLD)).settle()
    stage.source(alpha(NEW)).settle().through(*UP)
    assert replicas(stage.source(alpha(OLD)).settle().through("canary")) == [
        {**SIZES, "Frontend": 1},
        {"Frontend": 2},
    ]
