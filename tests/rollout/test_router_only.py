"""Routers alone, which use the workers of stable: the way up, and the way out (DESIGN 5, R17)."""

from gitops_rollout.api.values import at, mapping
from tests.rollout.graphs import SIZES, GraphStage, sizes
from tests.rollout.router_only import (
    ALL_WORKERS,
    FULL,
    NEW,
    NEWER,
    OLD,
    OTHERS,
    UP,
    going,
    graph,
    of,
    place,
    policy,
    promoted,
    running,
)

PROTECTED = "argocd.argoproj.io/sync-options"


def protected(stage: GraphStage, router: str) -> bool:
    return PROTECTED in mapping(at(of(stage, router), "metadata", "annotations"))


def finished(stage: GraphStage) -> GraphStage:
    while stage.gate is not None:
        stage.merge()
    return stage


def test_routers_alone_go_the_whole_way_up() -> None:
    stage = going(*UP)
    assert stage.steps_asked == ["attach", *UP]
    assert stage.sizes == {OLD: FULL, NEW: {"Frontend": 2}}
    assert stage.state.stable == stage.revision_of(NEW)


def test_the_candidate_has_nothing_but_the_routers_that_changed() -> None:
    stage = going("canary")
    assert stage.sizes == {OLD: SIZES, NEW: {"Frontend": 1}}


def test_its_routers_look_for_workers_where_stable_has_them() -> None:
    stage = going("canary")
    assert (place(of(stage, NEW)), place(of(stage, OLD))) == ("serving-chat", None)


def test_no_worker_is_ever_made_or_taken() -> None:
    stage = going(*UP)
    for files in stage.line.versions[1:]:
        assert {name: count for name, count in running(files).items() if name in ALL_WORKERS} == {
            name: SIZES[name] for name in ALL_WORKERS
        }


def test_requests_follow_the_routers() -> None:
    stage = going("canary", "canary-traffic", "half-traffic")
    assert stage.traffic == ([], [(OLD, 50), (NEW, 50)])
    assert stage.through(*UP[3:]).traffic == ([], [(NEW, 100)])


def test_it_is_said_that_workers_serve_both() -> None:
    notes = {note.code: note.message for note in going().last.plan.notes}  # type: ignore[union-attr]
    assert "Frontend alone: the workers of chat serve both" in notes["ROUTERS_ONLY"]


def test_the_graph_with_the_workers_stays_ours_and_protected() -> None:
    stage = promoted()
    assert protected(stage, OLD)
    assert "DynamoGraphDeployment/chat" in stage.state.inventory


def test_nothing_is_written_while_nothing_happens() -> None:
    stage = promoted()
    before = len(stage.line.versions)
    stage.later(days=1).settle()
    assert len(stage.line.versions) == before


def test_the_text_of_the_graph_with_the_workers_is_never_pruned() -> None:
    stage = promoted(policy(revision_history_limit=0))
    finished(stage.source(graph(NEWER)).settle())
    kept = {one for one in stage.state.inventory if one.startswith("ControllerRevision")}
    assert kept == {f"ControllerRevision/chat-{stage.revision_of(image)}" for image in (OLD, NEWER)}


# What comes after it


def test_a_second_change_of_routers_uses_the_same_workers() -> None:
    stage = finished(promoted().source(graph(NEWER)).settle())
    assert stage.sizes == {OLD: FULL, NEWER: {"Frontend": 2}}
    assert place(of(stage, NEWER)) == "serving-chat"


def test_a_second_change_is_never_a_third_router() -> None:
    stage = promoted().source(graph(NEWER)).settle().through("canary")
    assert stage.sizes == {OLD: FULL, NEW: {"Frontend": 2}, NEWER: {"Frontend": 1}}


def test_the_way_back_to_the_first_routers_makes_no_graph() -> None:
    stage = promoted().source(graph(OLD)).settle().through("canary")
    assert stage.sizes == {OLD: {**SIZES, "Frontend": 1}, NEW: {"Frontend": 2}}
    assert finished(stage).sizes == {OLD: SIZES}
    assert [one.name for one in stage.state.graphs] == ["chat"]


def test_a_whole_revision_retires_routers_and_workers() -> None:
    stage = finished(promoted().source(graph(NEWER, OTHERS)).settle())
    assert stage.sizes == {NEWER: SIZES}
    assert len(stage.state.graphs) == 1


def test_a_whole_revision_takes_workers_and_routers_in_proportion() -> None:
    stage = promoted().source(graph(NEWER, OTHERS)).settle()
    stage.through("canary", "canary-traffic", "half", "half-traffic", "drained")
    assert stage.sizes[NEW] == {"Frontend": 1}
    assert stage.sizes[OLD] == {"Frontend": 0, "Decode": 2, "Prefill": 2}


def test_prefill_of_the_worker_graph_leaves_last() -> None:
    stage = promoted().source(graph(NEWER, OTHERS)).settle()
    stage.through(
        "canary", "canary-traffic", "half", "half-traffic", "drained", "all", "all-traffic", "drained"
    )
    assert stage.sizes[OLD] == {"Frontend": 0, "Decode": 0, "Prefill": 2}
    assert (protected(stage, NEW), protected(stage, OLD)) == (False, True)
    stage.through("drained")
    assert (sizes(of(stage, OLD))["Prefill"], protected(stage, OLD)) == (0, False)
    assert stage.through("complete").sizes == {NEWER: SIZES}
