"""Graphs beside each other: what is asked, what is made, what leaves, in which order (DESIGN 5, NewGraph)."""

from gitops_rollout.api.amounts import Amount
from gitops_rollout.api.graph_terms import Capacity
from gitops_rollout.api.values import at
from tests.rollout.graphs import (
    ALL_GATES,
    SIZES,
    GraphStage,
    going,
    graph,
    policy,
)

OLD, NEW = "engine:1.0.0", "engine:2.0.0"
NOTHING = dict.fromkeys(SIZES, 0)


def test_a_rollout_asks_for_capacity_then_requests_then_stables_share() -> None:
    stage = going(*ALL_GATES)
    assert stage.steps_asked == ["attach", *ALL_GATES]
    assert stage.sizes == {NEW: SIZES}


def test_a_whole_rollout_is_told_without_a_warning() -> None:
    assert going(*ALL_GATES).all_codes <= {"ADOPTED_UNSEEN"}


def test_nothing_of_a_candidate_is_made_before_its_first_gate() -> None:
    stage = going()
    assert stage.sizes == {OLD: SIZES}
    assert not [path for path in stage.line.files if "/capacity/dgd-" in path]


def test_the_graph_that_was_there_before_keeps_its_name() -> None:
    stage = going("canary")
    old, new = (one.name for one in stage.state.graphs)
    assert (old, new.endswith("-chat"), len(new)) == ("chat", True, len("r0123456789-chat"))


def test_every_component_of_a_candidate_has_at_least_one_replica() -> None:
    assert going("canary").sizes == {OLD: SIZES, NEW: {"Frontend": 1, "Decode": 1, "Prefill": 1}}


def test_prefill_and_decode_grow_in_proportion() -> None:
    stage = going("canary", "canary-traffic", "half")
    assert stage.sizes[NEW] == {"Frontend": 1, "Decode": 2, "Prefill": 2}


def test_stable_keeps_everything_until_requests_have_left_it() -> None:
    stage = going("canary", "canary-traffic", "half", "half-traffic")
    assert stage.sizes[OLD] == SIZES
    assert stage.through("drained").sizes[OLD] == {"Frontend": 1, "Decode": 2, "Prefill": 2}


def test_a_merge_of_a_gate_never_takes_capacity_from_stable() -> None:
    stage = going("canary", "canary-traffic", "half", "half-traffic")
    for _ in range(6):
        before = stage.sizes[OLD]
        stage.merge(look=False)
        assert stage.sizes[OLD] == before
        stage.settle()


def test_what_others_need_until_the_end_goes_last() -> None:
    stage = going(*ALL_GATES[:8])
    assert stage.sizes[OLD] == {"Frontend": 0, "Decode": 0, "Prefill": 2}
    assert stage.through("drained").sizes[OLD] == NOTHING


def test_prefill_goes_by_itself_when_the_wait_is_over() -> None:
    stage = going(*ALL_GATES[:8])
    stage.later(minutes=11).settle()
    assert stage.sizes[OLD] == NOTHING
    assert stage.gate is not None
    assert stage.gate.step == "complete"


def test_a_graph_loses_its_protection_before_it_is_removed() -> None:
    stage = going(*ALL_GATES[:9])
    marks = at(stage.graphs["chat"], "metadata", "annotations")
    assert "argocd.argoproj.io/sync-options" not in (marks if isinstance(marks, dict) else {})
    assert "chat" not in stage.merge().graphs


def test_the_route_sends_each_revision_its_own_share() -> None:
    stage = going("canary", "canary-traffic", "half", "half-traffic")
    assert stage.traffic == ([], [(OLD, 50), (NEW, 50)])


def test_pools_tell_revisions_by_their_graph() -> None:
    pools = going("canary").pools()
    graphs = [one.selector["nvidia.com/dynamo-graph-deployment-name"] for one in pools]
    assert graphs[0] == "chat"
    assert graphs[1].endswith("-chat")


def test_another_component_may_be_there_in_the_next_revision() -> None:
    bigger = graph(NEW, {**SIZES, "Planner": 1})
    stage = going("canary", wanted=bigger)
    assert stage.sizes[NEW]["Planner"] == 1
    assert "Planner" not in stage.sizes[OLD]


def test_a_little_surge_takes_more_gates() -> None:
    tight = policy(capacity=Capacity(Amount(25, percent=True)))
    stage = going("canary", "canary-traffic", "half-traffic", "drained", "half", "half-traffic", terms=tight)
    assert stage.traffic == ([], [(OLD, 50), (NEW, 50)])
    assert stage.through("drained", "all").sizes[NEW] == {"Frontend": 2, "Decode": 3, "Prefill": 3}


def test_a_little_surge_comes_to_the_same_end() -> None:
    stage = going(terms=policy(capacity=Capacity(Amount(1), Amount(1))))
    while stage.gate is not None:
        assert_within(stage, 1)
        stage.merge()
    assert stage.sizes == {NEW: SIZES}


def assert_within(stage: GraphStage, more: int) -> None:
    for name, count in SIZES.items():
        total = sum(int(str(one[name])) for one in stage.sizes.values())
        assert total <= count + more, stage.sizes
