"""Graphs beside each other under scaling, pauses, partitions and adapters (DESIGN 5, R8, R24)."""

from gitops_rollout.api.values import Object, at
from tests.rollout.graphs import ALL_GATES, attached, going, graph, policy, sizes
from tests.rollout.routed import step

OLD, NEW = "engine:1.0.0", "engine:2.0.0"


def test_scaling_keeps_the_meaning_of_a_step() -> None:
    stage = going("canary", "canary-traffic", "half", "half-traffic", "drained")
    stage.source(graph(NEW, {"Frontend": 4, "Decode": 8, "Prefill": 8})).settle()
    assert stage.sizes == {
        OLD: {"Frontend": 2, "Decode": 4, "Prefill": 4},
        NEW: {"Frontend": 2, "Decode": 4, "Prefill": 4},
    }


def test_requests_are_lowered_before_a_share_gets_too_large_by_scaling() -> None:
    counted = policy(step(2, weight=25, name="two"), step("100%", weight=100, name="all"))
    stage = going("two", "two-traffic", terms=counted)
    stage.source(graph(NEW, {"Frontend": 20, "Decode": 4, "Prefill": 4})).settle()
    assert stage.traffic == ([], [(OLD, 90), (NEW, 10)])


def test_44_a_paused_candidate_keeps_its_count_and_stable_takes_the_difference() -> None:
    paused: Object = {"components": [{"name": "Decode", "paused": True}]}
    stage = going("canary", "canary-traffic", "half", "half-traffic", "drained")
    stage.source(graph(NEW, {"Frontend": 2, "Decode": 6, "Prefill": 4}, paused)).settle()
    assert stage.gate is None
    assert stage.sizes[NEW]["Decode"] == 2
    assert (stage.traffic, stage.sizes[OLD]["Decode"]) == (([], [(OLD, 67), (NEW, 33)]), 5)


def test_a_paused_component_holds_its_whole_group() -> None:
    paused: Object = {"components": [{"name": "Decode", "paused": True}]}
    stage = going("canary").source(graph(NEW, rollout=paused)).settle()
    assert stage.gate is None
    assert stage.source(graph(NEW)).settle().gate is not None


def test_pausing_never_stands_in_the_way_of_going_back() -> None:
    paused: Object = {"components": [{"name": "Decode", "paused": True}]}
    stage = going("canary", "canary-traffic").source(graph(OLD, rollout=paused)).settle()
    assert stage.traffic == ([], [(OLD, 100)])


def test_a_partition_of_the_source_is_never_passed() -> None:
    kept: Object = {"components": [{"name": "Decode", "partition": 3}]}
    stage = attached().source(graph(NEW, rollout=kept)).settle()
    while stage.gate is not None:
        assert int(str(stage.sizes[OLD]["Decode"])) >= 3
        stage.merge()
    assert stage.sizes[NEW]["Decode"] == 1
    assert stage.sizes[OLD]["Decode"] == 3


def test_replicas_that_a_scaling_adapter_owns_are_never_written() -> None:
    adapted: Object = {"scalingAdapter": {}, "replicas": None}
    stage = attached(wanted=graph(OLD, changed={"Decode": adapted}))
    stage.source(graph(NEW, changed={"Decode": adapted})).settle().through("canary")
    assert [sizes(one)["Decode"] for one in stage.graphs.values()] == [None, None]


def test_48_nothing_is_complete_before_the_old_graph_has_left() -> None:
    stage = going(*ALL_GATES[:7])
    assert stage.gate is not None
    assert (stage.gate.step, stage.state.stable) == ("drained", stage.revision_of(OLD))


def test_46_a_step_that_moves_nothing_is_not_asked() -> None:
    steps = policy(step(1, weight=20), step("20%", weight=20), step("100%", weight=100))
    stage = attached(steps, graph(OLD, {"Frontend": 2, "Decode": 2}))
    stage.source(graph(NEW, {"Frontend": 2, "Decode": 2})).settle()
    while stage.gate is not None:
        stage.merge()
    assert stage.steps_asked == [
        "attach",
        "20pct",
        "20pct-traffic",
        "100pct",
        "100pct-traffic",
        "drained",
        "complete",
    ]


def test_an_order_to_restart_reaches_only_the_graph_that_was_there() -> None:
    stage = attached(wanted=graph(OLD, restart={"id": "one"}))
    stage.source(graph(NEW, restart={"id": "one"})).settle().through("canary")
    orders = {stage.image_in(one): at(one, "spec", "restart", "id") for one in stage.graphs.values()}
    assert orders == {OLD: "one", NEW: None}


def test_a_candidate_that_was_made_larger_by_hand_counts_as_the_step_that_allows_it() -> None:
    stage = going("canary", "canary-traffic").by_hand(NEW, {"Frontend": 1, "Decode": 2, "Prefill": 2})
    assert "STEP_SKIPPED" in stage.all_codes
    assert (stage.state.published.step, stage.sizes[NEW]["Decode"]) == ("half", 2)
    assert stage.steps_asked[-1] == "half-traffic"


def test_a_stable_graph_or_another_template_by_hand_is_put_back() -> None:
    stage = going("canary", "canary-traffic").by_hand(OLD, {"Frontend": 1, "Decode": 1, "Prefill": 1})
    assert (stage.state.published.step, stage.sizes[OLD]["Decode"]) == ("canary", 4)
    stage.by_hand(NEW, {"Frontend": 2, "Decode": 4, "Prefill": 4}, "engine:3.0.0")
    assert (stage.state.published.step, stage.sizes[NEW]["Decode"]) == ("canary", 1)
