"""A graph on its way out that somebody put back as it was: it leaves in order once more (R6, 8.17)."""

from gitops_rollout.rollout.draft import Order, Word
from tests.rollout import graphs
from tests.rollout.graphs import GraphStage
from tests.rollout.router_only import going
from tests.rollout.stage import HOME

PROTECTED = b"Delete=false"


def aborted() -> tuple[GraphStage, str, bytes]:
    """Give a candidate that has left but for its last gate, with its file, and what stood there before."""
    stage = going("canary")
    (path,) = (one for one in stage.line.files if one.startswith(f"{HOME}/capacity/dgd-r"))
    before = stage.line.files[path]
    return stage.order(Order(Word.ABORT)).settle(), path, before


def test_a_graph_that_was_put_back_is_not_removed_by_the_gate_that_came_with_it() -> None:
    stage, path, before = aborted()
    stage.line.commit({**stage.question, path: before})
    stage.settle()
    assert PROTECTED in before
    assert PROTECTED not in stage.line.files[path]
    assert "GATE_STALE" in stage.all_codes


def test_the_gate_is_asked_again_and_then_removes_it() -> None:
    stage, path, before = aborted()
    stage.line.commit({**stage.question, path: before})
    assert path not in stage.settle().through("complete").line.files


def stands_again() -> tuple[GraphStage, str]:
    """Give a graph that had left but for its last gate, and that somebody put back as it had been."""
    stage = graphs.going("canary")
    (path,) = (one for one in stage.line.files if one.startswith(f"{HOME}/capacity/dgd-r"))
    before = stage.line.files[path]
    stage.order(Order(Word.ABORT)).settle().through("drained")
    stage.line.commit({path: before})
    return stage.settle(), path


def test_what_others_need_goes_after_them_again_when_a_graph_was_put_back() -> None:
    stage, _ = stands_again()
    assert stage.sizes["engine:2.0.0"] == {"Frontend": 0, "Decode": 0, "Prefill": 1}


def test_a_graph_that_was_put_back_still_leaves() -> None:
    stage, path = stands_again()
    assert path not in stage.through("drained", "complete").line.files
