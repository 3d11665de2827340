"""Public cases about rollouts, for graphs beside each other: each item under its number."""

import pytest

from gitops_rollout.api.amounts import Amount
from gitops_rollout.api.graph_terms import Capacity
from gitops_rollout.api.policy import Policy
from gitops_rollout.api.values import Json, Object, at, sequence, text
from gitops_rollout.api.verdict import Verdict
from gitops_rollout.documents.emit import emit
from gitops_rollout.kinds.dynamograph.kind import DYNAMO_GRAPH
from gitops_rollout.rollout.facts import About, Fact
from tests.kinds.dynamograph.manifests import moved
from tests.rollout import observed
from tests.rollout.graphs import GraphStage, graph, policy, sizes
from tests.rollout.line import Changes
from tests.rollout.routed import ROUTE, step
from tests.rollout.stage import FILE, HOME, accepted
from tests.rollout.traffic_play import read

GRAPH = "nvidia.com/dynamo-graph-deployment-name"
A, B, C = "engine:1.4.0", "engine:1.5.0", "engine:1.6.0"
BIRCH = {"Frontend": 2, "Prefill": 4, "Decode": 8}
HALF = ("canary", "canary-traffic", "half", "half-traffic", "drained")
PAUSED: Object = {"components": [{"name": "Decode", "paused": True}]}


def birch(image: str, rollout: Json = None, **counts: int) -> Object:
    return graph(image, {**BIRCH, **counts}, rollout)


def on_its_way(*gates: str, terms: Policy | None = None) -> GraphStage:
    """The graph on its way from A to B, with these gates merged."""
    stage = GraphStage(birch(A), terms or policy()).settle()
    stage.through("attach").source(birch(B)).settle()
    stage.through(*gates)
    return stage


def half_way(terms: Policy | None = None) -> GraphStage:
    """Half of the replicas and of the requests are on B, and A keeps the other half."""
    return on_its_way(*HALF, terms=terms)


def finished(stage: GraphStage) -> GraphStage:
    """Let people merge every gate that there is."""
    while stage.gate is not None:
        stage.merge()
    return stage


def published(stage: GraphStage) -> list[tuple[dict[str, int], dict[str, int]]]:
    """Give decode replicas and shares of the requests by image, at every version that has a route."""
    return [(_decode(files), _shares(files)) for files in stage.line.versions if ROUTE in files]


def _decode(files: dict[str, bytes]) -> dict[str, int]:
    graphs = [read(files[path]) for path in files if path.startswith(f"{HOME}/capacity/dgd")]
    return {GraphStage.image_in(one): int(str(sizes(one)["Decode"])) for one in graphs}


def _shares(files: dict[str, bytes]) -> dict[str, int]:
    """Give who answers requests without a header: a Service selects its graph by name."""
    objects = [read(files[path]) for path in files if "/capacity/dgd" in path or "/service-" in path]
    named = {text(at(one, "metadata", "name")): one for one in objects}
    *_, default = sequence(at(read(files[ROUTE]), "spec", "rules"))
    found = {}
    for ref in sequence(at(default, "backendRefs")):
        name = text(at(named[text(at(ref, "name"))], "spec", "selector", GRAPH))
        found[GraphStage.image_in(named[name])] = int(str(at(ref, "weight")))
    return found


# 37: back to A while B is half way


def test_37_1_back_to_a_is_the_revision_of_a_and_b_is_kept_while_it_stands() -> None:
    stage = half_way()
    before = stage.recorded
    stage.source(birch(A)).settle()
    assert (stage.recorded, stage.state.offered) == (before, None)
    assert finished(stage).sizes == {A: BIRCH}


def test_37_2_requests_leave_then_what_answered_them() -> None:
    stage = half_way()
    since = len(published(stage))
    finished(stage.source(birch(A)).settle())
    way = published(stage)[since:]
    without_requests = next(index for index, (_, shares) in enumerate(way) if B not in shares)
    smaller = next(index for index, (decode, _) in enumerate(way) if decode.get(B, 0) < 4)
    assert 0 < without_requests < smaller
    assert [decode.get(A) for decode, _ in way] == [8] * len(way)


def test_37_2_its_replicas_go_when_its_requests_have_ended_and_not_before() -> None:
    stage = half_way()
    stage.source(birch(A)).settle().through("stable-traffic")
    assert stage.settle().sizes[B] == {"Frontend": 1, "Prefill": 2, "Decode": 4}
    assert stage.through("drained").sizes[B] == {"Frontend": 0, "Prefill": 2, "Decode": 0}


@pytest.mark.parametrize("capacity", [Capacity(), Capacity(Amount(25, percent=True), Amount(1))])
def test_37_3_serving_replicas_never_fall_under_the_budget(capacity: Capacity) -> None:
    stage = on_its_way(terms=policy(capacity=capacity))
    while stage.gate is not None and stage.traffic[1][-1] != (B, 50):
        stage.merge()
    finished(stage.source(birch(A)).settle())
    for decode, shares in published(stage):
        assert all(decode[image] >= decode_needed(share, capacity) for image, share in shares.items())


def decode_needed(share: int, capacity: Capacity) -> int:
    return -(-8 * share // 100) - capacity.max_unavailable.down(8)


def test_37_4_a_late_merge_of_a_gate_of_b_has_no_effect() -> None:
    stage = half_way()
    late = stage.question
    stage.source(birch(A)).settle()
    before = (stage.sizes, stage.traffic)
    merged_late(stage, late)
    assert "GATE_STALE" in stage.all_codes
    assert (stage.sizes, stage.traffic) == before
    assert finished(stage).sizes == {A: BIRCH}


def merged_late(stage: GraphStage, late: Changes) -> None:
    """Merge a gate that no longer stands, its conflict resolved in its favour: approval, fence and graph."""
    ours, gate = read(stage.line.files[FILE]), read(late[FILE])
    value = {**ours, "fence": gate["fence"], "approved": gate["approved"]}
    stage.line.commit({**late, FILE: emit(value, sort=False).encode()})
    stage.settle()


# 38: C arrives while B is half way


def test_38_5_b_has_left_before_c_gets_anything() -> None:
    stage = finished(half_way().source(birch(C)).settle())
    for decode, shares in published(stage):
        assert len(decode) <= 2
        assert len(shares) <= 2
        assert not {B, C} <= decode.keys()
    assert stage.sizes == {C: BIRCH}


def test_38_1_stable_stays_a_until_c_is_complete() -> None:
    stage = half_way().source(birch(C)).settle()
    while stage.gate is not None:
        assert stage.image_of(stage.state.stable) == A
        stage.merge()
    assert stage.image_of(stage.state.stable) == C


def test_38_3_b_is_kept_while_it_stands_and_pruned_afterwards() -> None:
    stage = half_way(policy(revision_history_limit=0))
    gone = stage.revision_of(B)
    stage.source(birch(C)).settle()
    while B in stage.sizes:
        assert gone in stage.recorded
        stage.merge()
    assert gone not in finished(stage).recorded


def test_38_4_an_approval_for_b_does_not_count_for_c() -> None:
    stage = half_way()
    late = stage.question
    stage.source(birch(C)).settle().through("stable-traffic", "drained", "drained", "complete")
    assert stage.gate is not None
    assert (stage.gate.step, stage.gate.revision) == ("canary", stage.revision_of(C))
    merged_late(stage, late)
    # What the late merge brought stands like a file of people's: nothing that is applied names it.
    assert b"dgd-" not in stage.line.files[f"{HOME}/capacity/kustomization.yaml"]
    assert "GATE_STALE" in stage.all_codes


# 41: back from a B that is broken


@pytest.mark.parametrize("gates", [("canary",), ("canary", "canary-traffic"), HALF[:3]])
def test_41_no_gate_of_b_is_needed_and_nothing_of_stable_is_touched(gates: tuple[str, ...]) -> None:
    stage = on_its_way(*gates)
    since, merged = len(stage.line.versions), len(stage.asked)
    before = stable_file(stage.line.versions[-1])
    stage.source(birch(A)).settle().later(minutes=11).settle().later(minutes=11).settle()
    assert stage.sizes == {A: BIRCH, B: dict.fromkeys(BIRCH, 0)}
    assert stage.traffic == ([], [(A, 100)])
    assert {stable_file(files) for files in stage.line.versions[since:]} == {before}
    assert {gate.revision for gate, _ in stage.asked[merged:]} == {stage.revision_of(A)}


def stable_file(files: dict[str, bytes]) -> bytes:
    """Give the graph that was there before, without the mark of the commit."""
    lines = files[f"{HOME}/capacity/dgd.yaml"].splitlines()
    return b"\n".join(line for line in lines if b"gitops-rollout.io/" not in line)


def test_41_what_is_observed_of_a_broken_candidate_does_not_hold_its_way_back() -> None:
    stage = observed.going("canary")
    broken = stage.revision_of(observed.NEW)
    stage.no = frozenset({Fact(About.ROUTABLE, broken)})
    stage.source(graph(observed.OLD)).run(times=25)
    assert (stage.state.candidate, [*stage.sizes]) == (None, [observed.OLD])


# 44: scaling while it is held


@pytest.mark.parametrize(
    ("count", "stable", "candidate", "shares"),
    [(10, 6, 4, [(A, 60), (B, 40)]), (8, 4, 4, [(A, 50), (B, 50)]), (16, 12, 4, [(A, 75), (B, 25)])],
)
def test_44_5_paused_the_candidate_keeps_its_count_and_stable_takes_the_rest(
    count: int, stable: int, candidate: int, shares: list[tuple[str, int]]
) -> None:
    stage = half_way().source(birch(B, PAUSED, Decode=count)).settle()
    assert (stage.sizes[A]["Decode"], stage.sizes[B]["Decode"]) == (stable, candidate)
    assert (stage.traffic, stage.gate) == (([], shares), None)


def test_44_4_scaling_ends_no_pause() -> None:
    stage = half_way().source(birch(B, PAUSED)).settle()
    assert stage.source(birch(B, PAUSED, Decode=10)).settle().gate is None
    assert finished(stage.source(birch(B, Decode=10)).settle()).sizes == {B: {**BIRCH, "Decode": 10}}


def test_44_scaling_up_with_a_partition_never_takes_it_from_stable() -> None:
    kept: Object = {"components": [{"name": "Decode", "partition": 3}]}
    stage = half_way()
    for count in (10, 4):
        stage.source(birch(B, kept, Decode=count)).settle()
        assert int(str(stage.sizes[A]["Decode"])) >= 3


def test_44_3_to_nothing_and_back_keeps_the_split() -> None:
    stage = half_way()
    stage.source(graph(B, dict.fromkeys(BIRCH, 0))).settle()
    assert stage.sizes == {A: dict.fromkeys(BIRCH, 0), B: dict.fromkeys(BIRCH, 0)}
    stage.source(graph(B, dict.fromkeys(BIRCH, 2))).settle().through("drained")
    assert stage.sizes == {A: dict.fromkeys(BIRCH, 1), B: dict.fromkeys(BIRCH, 1)}
    assert stage.traffic == ([], [(A, 50), (B, 50)])


# 46: small numbers


@pytest.mark.parametrize(("count", "expected"), [(1, [0]), (2, [1, 0]), (3, [2, 1, 0]), (10, [7, 5, 2, 0])])
def test_46_every_step_of_replicas_moves_some_and_equal_ones_are_one(count: int, expected: list[int]) -> None:
    quarters = policy(*(step(f"{share}%", name=f"to-{share}") for share in (25, 50, 75, 100)))
    stage = GraphStage(graph(A, dict.fromkeys(BIRCH, count)), quarters).settle()
    finished(stage.through("attach").source(graph(B, dict.fromkeys(BIRCH, count))).settle())
    asked = [gate.partition for gate, _ in stage.asked if gate.partition is not None]
    assert asked == [dict.fromkeys(BIRCH, number) for number in expected]
    assert stage.sizes == {B: dict.fromkeys(BIRCH, count)}


# 47: replicas and template in one commit


def test_47_the_report_has_two_parts_and_asks_for_two_commits() -> None:
    before, after = accepted(birch(A), DYNAMO_GRAPH), accepted(birch(B, Prefill=2, Decode=10), DYNAMO_GRAPH)
    impact = DYNAMO_GRAPH.impact(before, after)
    assert impact.verdict is Verdict.RESTART
    assert {"COMBINED_CHANGE"} <= {one.code for one in impact.warnings}
    assert {one.path for one in impact.changes} >= {"Decode/replicas", "Decode/containers[main]/image"}
    assert moved(impact)["Decode"] == ("RESTART", 10, 0)


def test_47_replicas_follow_at_once_and_the_template_by_its_gates() -> None:
    stage = on_its_way().source(birch(B, Decode=10, Prefill=2)).settle()
    assert stage.sizes == {A: {"Frontend": 2, "Prefill": 2, "Decode": 10}}
    assert finished(stage).sizes == {B: {"Frontend": 2, "Prefill": 2, "Decode": 10}}
