"""Graphs beside each other on the way back: requests, then replicas, then the graph (DESIGN 5, R3, R13)."""

import pytest

from gitops_rollout.rollout.draft import Order
from tests.rollout.graphs import ALL_GATES, SIZES, going, graph

OLD, NEW = "engine:1.0.0", "engine:2.0.0"
NOTHING = dict.fromkeys(SIZES, 0)


def test_a_rollback_without_requests_scales_the_candidate_down_at_once() -> None:
    stage = going("canary").source(graph(OLD)).settle()
    assert stage.sizes == {OLD: SIZES, NEW: {"Frontend": 0, "Decode": 0, "Prefill": 1}}


def test_requests_leave_before_replicas() -> None:
    stage = going("canary", "canary-traffic").source(graph(OLD)).settle()
    assert stage.traffic == ([], [(OLD, 100)])
    assert stage.sizes[NEW] == {"Frontend": 1, "Decode": 1, "Prefill": 1}


def test_stable_has_its_replicas_back_before_its_requests() -> None:
    stage = going("canary", "canary-traffic", "half", "half-traffic", "drained")
    stage.source(graph(OLD)).settle()
    assert stage.sizes[OLD] == SIZES
    assert stage.traffic == ([], [(OLD, 50), (NEW, 50)])
    assert stage.through("stable-traffic").traffic == ([], [(OLD, 100)])


def test_requests_leave_by_the_clock_where_nobody_says_that_stable_answers() -> None:
    stage = going("canary", "canary-traffic", "half", "half-traffic", "drained")
    stage.source(graph(OLD)).settle().later(minutes=11).settle()
    assert stage.traffic == ([], [(OLD, 100)])
    assert "ROLLBACK_DEADLINE" in stage.all_codes


def test_a_rollback_ends_on_stable_alone() -> None:
    stage = going("canary", "canary-traffic").source(graph(OLD)).settle()
    stage.through("drained", "drained", "complete")
    assert stage.sizes == {OLD: SIZES}
    assert [one.name for one in stage.state.graphs] == ["chat"]


def test_an_abort_goes_the_same_way_and_does_not_ask_again() -> None:
    stage = going("canary", "canary-traffic").order(Order.ABORT)
    stage.through("drained", "drained", "complete").settle()
    assert (stage.sizes, stage.gate) == ({OLD: SIZES}, None)


def test_a_stable_that_was_leaving_comes_back() -> None:
    stage = going(*ALL_GATES[:8]).source(graph(OLD)).settle()
    assert stage.sizes[OLD] == SIZES
    assert stage.through("stable-traffic").traffic == ([], [(OLD, 100)])


def test_the_third_revision_waits_until_the_candidate_has_left() -> None:
    stage = going("canary", "canary-traffic").source(graph("engine:3.0.0")).settle()
    assert "DRAINS_FIRST" in stage.all_codes
    stage.through("drained", "drained", "complete").settle()
    assert stage.gate is not None
    assert (stage.gate.step, set(stage.sizes)) == ("canary", {OLD})


def test_never_are_three_revisions_made() -> None:
    stage = going("canary", "canary-traffic").source(graph("engine:3.0.0")).settle()
    while stage.gate is not None:
        assert len(stage.sizes) <= 2
        stage.merge()
    assert stage.sizes == {"engine:3.0.0": SIZES}


# People on the output branch


def test_a_reverted_gate_takes_the_requests_back_and_then_the_replicas() -> None:
    stage = going("canary", "canary-traffic", "half", "half-traffic")
    stage.revert("half").settle()
    assert stage.traffic == ([], [(OLD, 100)])
    stage.later(minutes=11).settle()
    assert stage.sizes == {OLD: SIZES, NEW: {"Frontend": 1, "Decode": 1, "Prefill": 1}}


def test_a_reverted_first_gate_leaves_no_replicas() -> None:
    stage = going("canary", "canary-traffic")
    stage.revert("canary").settle().later(minutes=11).settle()
    assert stage.sizes == {OLD: SIZES, NEW: NOTHING}
    assert stage.traffic == ([], [(OLD, 100)])


def test_a_hand_edit_of_a_graph_is_put_back() -> None:
    stage = going("canary")
    path = next(one for one in stage.line.files if "/capacity/dgd-" in one)
    stage.line.commit({path: stage.line.files[path].replace(b"replicas: 1", b"replicas: 4")})
    stage.settle()
    assert stage.sizes[NEW] == {"Frontend": 1, "Decode": 1, "Prefill": 1}


@pytest.mark.parametrize("word", ["abort", "revert"])
def test_a_candidate_that_is_given_up_before_its_first_pass_grows_no_more(word: str) -> None:
    stage = going().merge(look=False)
    if word == "abort":
        stage.order(Order.ABORT)
    else:
        stage.source(graph(OLD)).look()
    assert stage.sizes == {OLD: SIZES, NEW: {"Frontend": 0, "Decode": 0, "Prefill": 1}}


def test_no_commit_moves_requests_and_takes_what_a_merge_has_just_given() -> None:
    stage = going("canary", "canary-traffic").merge(look=False)
    given = stage.sizes[NEW]
    stage.source(graph(OLD)).look()
    assert (stage.traffic, stage.sizes[NEW]) == (([], [(OLD, 100)]), given)
    assert given == {"Frontend": 1, "Decode": 2, "Prefill": 2}


def test_what_is_given_up_in_the_pass_that_reads_its_merge_drains_all_the_same() -> None:
    stage = going("canary", "canary-traffic", "half").merge(look=False)
    stage.source(graph("engine:3.0.0")).look()
    assert (stage.traffic, stage.sizes[NEW]) == (
        ([], [(OLD, 100)]),
        {"Frontend": 1, "Decode": 2, "Prefill": 2},
    )
