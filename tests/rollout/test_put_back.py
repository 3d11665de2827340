"""A gate that removes a graph, merged with the graph put back as it was: protection comes off first (R6)."""

from gitops_rollout.rollout.draft import Order, Word
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
