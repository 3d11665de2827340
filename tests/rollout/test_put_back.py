"""A graph on its way out that somebody put back as it was: it leaves in order once more (R6, 8.17)."""

from collections.abc import Callable
from typing import TypeAlias

import pytest

from gitops_rollout.rollout.draft import Order, Word
from tests.rollout import graphs, routed
from tests.rollout.graphs import GraphStage
from tests.rollout.routed import RoutedStage
from tests.rollout.router_only import going
from tests.rollout.stage import HOME, groups

Ended: TypeAlias = Callable[[], tuple[RoutedStage, str, bytes]]

PROTECTED = b"Delete=false"


def aborted() -> tuple[GraphStage, str, bytes]:
    """Give a candidate that has left but for its last gate, with its file, and what stood there before."""
    stage = going("canary")
    (path,) = (one for one in stage.line.files if one.startswith(f"{HOME}/capacity/dgd-r"))
    before = stage.line.files[path]
    return stage.order(Order(Word.ABORT)).settle(), path, before


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


def test_stable_leaves_in_order_once_more_when_it_was_put_back() -> None:
    stage = graphs.going(*graphs.ALL_GATES[:-2])
    before = next(files for files in stage.line.versions if f"{HOME}/capacity/dgd.yaml" in files)
    stage.through("drained").line.commit({f"{HOME}/capacity/dgd.yaml": before[f"{HOME}/capacity/dgd.yaml"]})
    assert stage.settle().sizes["engine:1.0.0"] == {"Frontend": 0, "Decode": 0, "Prefill": 4}
    assert stage.through("drained", "complete").sizes.keys() == {"engine:2.0.0"}


def deleted() -> tuple[RoutedStage, str, bytes]:
    """Give a workload that has lost its protection, to be deleted, with its file, and what stood there."""
    stage, path = RoutedStage(groups("engine:a")).settle(), f"{HOME}/capacity/modelserving.yaml"
    before = stage.line.files[path]
    return stage.source(None).settle().through("delete"), path, before


def retiring() -> tuple[RoutedStage, str, bytes]:
    """Give a workload on its way to a third revision, with the pool of the first, and what stood there."""
    stage = routed.attached()
    (pool,) = stage.pools()
    path = f"{HOME}/traffic/pool-{pool.revision}.yaml"
    before = stage.line.files[path]
    stage.source(groups("engine:b", 4)).settle().through(*routed.ALL_GATES)
    return stage.source(groups("engine:c", 4)).settle(), path, before


@pytest.mark.parametrize("ended", [aborted, deleted, retiring])
def test_whatever_is_removed_loses_its_protection_once_more(ended: Ended) -> None:
    stage, path, before = ended()
    stage.line.commit({**stage.question, path: before})
    stage.look()
    assert PROTECTED in before
    assert PROTECTED not in stage.line.files[path]
    assert "GATE_STALE" in stage.codes


@pytest.mark.parametrize(
    ("ended", "gate"), [(aborted, "complete"), (deleted, "unprotected"), (retiring, "canary")]
)
def test_it_goes_when_the_gate_is_merged_again(ended: Ended, gate: str) -> None:
    stage, path, before = ended()
    stage.line.commit({**stage.question, path: before})
    stage.settle().later(minutes=60).settle()
    assert stage.gate is not None
    assert stage.gate.step == gate
    stage.merge(look=False).look()
    assert path not in stage.line.files
