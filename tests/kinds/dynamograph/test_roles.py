"""What each component does for a request."""

from gitops_rollout.kinds.dynamograph.kind import DYNAMO_GRAPH
from tests.kinds.dynamograph.manifests import accepted, alpha, component, frontend, graph, service


def test_prefill_parts_a_graph() -> None:
    parted = graph(frontend(), component("first", "prefill"), component("rest", "decode"))
    assert DYNAMO_GRAPH.roles(accepted(parted).text) == {
        "router": "router",
        "first": "prefill",
        "rest": "decode",
    }


def test_decode_alone_is_a_worker() -> None:
    assert set(DYNAMO_GRAPH.roles(accepted(graph()).text).values()) == {"router", "worker"}


def test_a_planner_serves_no_request() -> None:
    planned = graph(frontend(), component("planner", "planner"), component())
    assert "planner" not in DYNAMO_GRAPH.roles(accepted(planned).text)


def test_both_spellings_say_the_same() -> None:
    old = alpha({"router": service("frontend"), "decode": service()})
    assert set(DYNAMO_GRAPH.roles(accepted(old).text).values()) == {"router", "worker"}
