"""Public cases about what is observed, for graphs beside each other: what is not a yes is waited for."""

from typing import Any, NamedTuple

import pytest
import yaml

from gitops_rollout.api.policy import Proof
from gitops_rollout.rollout.facts import About, Fact
from tests.rollout.graphs import graph, policy
from tests.rollout.observed import NEW, OLD, ObservedStage, going
from tests.rollout.routed import ROUTE, step
from tests.rollout.stage import HOME
from tests.shared import case

EVERYTHING = frozenset(About)
NOTHING: frozenset[About] = frozenset()


class Seen(NamedTuple):
    """What is unknown, and what is definitely not so; all else is a yes."""

    unknown: frozenset[About] = NOTHING
    no: frozenset[About] = NOTHING

    def by(self, stage: ObservedStage) -> ObservedStage:
        """Let a stage see this, of the workload and of every revision."""
        stage.unknown = self.unknown
        named = ["", stage.revision_of(OLD), stage.revision_of(NEW)]
        stage.no = frozenset(Fact(about, one) for about in self.no for one in named)
        return stage


# 48: no success before its time

STATES = {
    "old pods are ready, few are updated": (Seen(no=frozenset({About.UPDATED})), False),
    "the status is of an older generation": (Seen(EVERYTHING), False),
    "not all that are updated are ready": (Seen(no=frozenset({About.UPDATED})), False),
    "an old pod is there besides": (Seen(no=frozenset({About.GONE})), False),
    "nobody knows whether old pods are there": (Seen(frozenset({About.GONE})), False),
    "what is published is not applied yet": (Seen(no=frozenset({About.LIVE})), False),
    "everything is seen": (Seen(), True),
}


def completes(seen: Seen) -> bool:
    """Say whether a rollout of which everything has moved is taken for done."""
    stage = going("canary", "half")
    stage.unknown = frozenset({About.UPDATED})
    stage.through("all").run()
    assert stage.state.candidate is not None
    return seen.by(stage).run(times=3).state.candidate is None


@pytest.mark.parametrize("state", STATES)
def test_48_1_48_2_only_what_is_seen_of_this_revision_is_success(state: str) -> None:
    seen, passes = STATES[state]
    assert completes(seen) is passes


def test_48_the_table_of_the_case() -> None:
    table = yaml.safe_load(case("48-premature-success", "states.yaml").read_text(encoding="utf-8"))
    found = {row["name"]: "pass" if completes(told({**table, **row})) else "wait" for row in table["states"]}
    assert found == {row["name"]: row["expect"] for row in table["states"]}


def told(row: dict[str, Any]) -> Seen:
    """Say what a status tells: nothing where it is missing or of an older generation."""
    if row.get("observed", 0) < row["generation"]:
        return Seen(EVERYTHING)
    counts = row["updated"], row["updatedReady"]
    eligible = row["replicas"] - row["partition"] if "name" in row else 0
    rows = (
        (counts != (eligible, eligible), About.UPDATED),
        (row["ready"] > row["updatedReady"] + row["partition"], About.GONE),
    )
    return Seen(no=frozenset(about for holds, about in rows if holds))


def test_48_2_ready_is_not_routable() -> None:
    stage = Seen(frozenset({About.ROUTABLE})).by(going("canary"))
    stage.run()
    assert (stage.gate, stage.state.published.weight) == (None, None)


# 57: requests, then what answered them

ROWS: list[tuple[Seen, str]] = [
    (Seen(no=frozenset({About.ACCEPTED, About.DRAINED})), ""),
    (Seen(frozenset({About.ACCEPTED}), frozenset({About.DRAINED})), ""),
    (Seen(no=frozenset({About.DRAINED})), ""),
    (Seen(frozenset({About.DRAINED})), ""),
    (Seen(), "fewer replicas"),
]
"""What is seen, row by row, when a revision gets no request any more, and what is done then."""


def retiring() -> ObservedStage:
    """Stable got the last requests a pass ago."""
    return until_unserved(half_way_to_all(), OLD)


def going_back() -> ObservedStage:
    """The candidate got its last requests a pass ago."""
    return until_unserved(going("canary", "half").source(graph(OLD)), NEW)


def until_unserved(stage: ObservedStage, image: str) -> ObservedStage:
    """Look, pass by pass, until a revision gets no request any more."""
    while image in dict(stage.traffic[1]) or image in dict(stage.traffic[0]):
        stage.later(seconds=20).look()
    return stage


@pytest.mark.parametrize(("begin", "leaves"), [(retiring, OLD), (going_back, NEW)])
def test_57_1_57_3_each_row_has_its_action_and_each_commit_one_class(begin: Any, leaves: str) -> None:
    stage = begin()
    since = len(stage.line.versions)
    full = stage.sizes[leaves]
    for seen, action in ROWS:
        seen.by(stage).later(seconds=20).look()
        assert (stage.sizes[leaves] != full) == bool(action), seen
    assert stage.recorded == [stage.revision_of(OLD), stage.revision_of(NEW)]
    stage.run(times=8)
    assert leaves not in stage.sizes
    assert classes(stage, since) == ["replicas", "replicas", "objects"]


EXPECTED = {
    "set weight 0 / drop header rule": "requests",
    "wait for route status": "",
    # Routers of a graph see nobody but its own workers: nothing is bound.
    "remove router policy binding": "",
    "wait for drain": "",
    "scale down, keep history": "replicas",
    "remove pool from output, then history may be pruned": "objects",
}


def test_57_the_table_of_the_case() -> None:
    table = yaml.safe_load(case("57-drain-before-scale-down", "states.yaml").read_text(encoding="utf-8"))
    stage = half_way_to_all()
    for row in table["rows"]:
        facts = ((row["routeAccepted"], About.ACCEPTED), (row["inflight"] == 0, About.DRAINED))
        Seen(no=frozenset(about for holds, about in facts if not holds)).by(stage)
        while row["replicasOld"] == 0 and any(stage.sizes[OLD].values()):
            stage.later(seconds=20).look()
        assert action(stage) == EXPECTED[row["expect"]], row


def half_way_to_all() -> ObservedStage:
    """Everything is on the candidate but half of the requests."""
    steps = (step("50%", weight=50, name="half"), step("100%", weight=100, name="all"))
    return going("half", terms=policy(*steps, proof=Proof.CLUSTER)).through("all")


def action(stage: ObservedStage) -> str:
    """Name the class of the next commit; empty where none comes."""
    since = len(stage.line.versions)
    for _ in range(3):
        stage.later(seconds=20).look()
        if found := classes(stage, since):
            return found[0]
    return ""


def classes(stage: ObservedStage, since: int) -> list[str]:
    """Name the class of each commit that changes more than the record."""
    found = []
    for before, after in zip(stage.line.versions[since - 1 :], stage.line.versions[since:], strict=False):
        changed = {path for path in {*before, *after} if before.get(path) != after.get(path)}
        gone = {path for path in changed if path not in after}
        found += [_class(changed, gone)] if changed - {f"{HOME}/rollout.yaml"} else []
    return found


def _class(changed: set[str], gone: set[str]) -> str:
    graphs = any("/capacity/dgd" in path for path in changed)
    route = ROUTE in changed
    assert not (graphs and route)
    return "requests" if route else "objects" if gone else "replicas" if graphs else "pools"
