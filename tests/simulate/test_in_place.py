"""A graph that holds both revisions, played: its operator keeps a partition, where no CRD prunes it (R26)."""

from dataclasses import replace

import pytest

from gitops_rollout.simulate import in_place_laws as laws
from gitops_rollout.simulate.dynamo import Dynamo
from gitops_rollout.simulate.faults import Faults
from gitops_rollout.simulate.moments import Moment
from gitops_rollout.simulate.run import played, prepared
from tests.simulate.graph_runs import beta, graph_wishes
from tests.simulate.runs import found
from tests.simulate.test_graphs import made, manifest, running
from tests.simulate.test_invariants import GROUPS

PRUNED = Faults(pruned_field=1.0)


def parted(image: str, **kept: int) -> bytes:
    """Write a graph that keeps so many replicas of these components on what ran before."""
    entries = ", ".join(f"{{name: {name}, partition: {count}}}" for name, count in kept.items())
    return beta(image) + f"  rollout: {{components: [{entries}]}}\n".encode()


def split(dynamo: Dynamo, component: str) -> tuple[int, int]:
    """Count the pods of a component that run the old image, and the new one."""
    pods = [pod.made_from for pod in dynamo.pods if pod.component == component]
    return pods.count(made("a")[component]), pods.count(made("b")[component])


def moved(dynamo: Dynamo, text: bytes, ticks: int = 12) -> Dynamo:
    for _ in range(ticks):
        dynamo.tick([manifest(text)])
    return dynamo


def test_a_graph_in_place_is_played_to_its_end() -> None:
    run = played(graph_wishes("in-place"), Faults())
    assert run.findings == ()
    assert [row.merges for row in run.timeline.rows if row.merges] == ["canary", "half", "all"]


@pytest.mark.parametrize("group", [name for name in GROUPS if name != "routers"])
def test_no_fault_breaks_an_invariant_of_a_graph_in_place(group: str) -> None:
    assert [found("in-place", GROUPS[group], seed) for seed in range(2)] == [[], []]


@pytest.mark.parametrize(
    ("policy", "merged"),
    [("in-place-told", "canary half all"), ("in-place-routers", "canary half-traffic all-traffic")],
)
def test_behind_a_route_whose_routers_are_told_it_is_played_to_its_end(policy: str, merged: str) -> None:
    run = played(graph_wishes(policy), Faults())
    assert run.findings == ()
    assert [row.merges for row in run.timeline.rows if row.merges][1:] == merged.split()


@pytest.mark.parametrize("policy", ["in-place-told", "in-place-routers"])
def test_no_fault_breaks_an_invariant_of_it_behind_a_route(policy: str) -> None:
    assert [found(policy, "all", seed) for seed in range(2)] == [[], []]


def test_a_partition_keeps_so_many_on_what_ran_before() -> None:
    dynamo = moved(running(beta("a")), parted("b", Decode=3, Prefill=4, Frontend=0))
    assert [split(dynamo, name) for name in ("Decode", "Prefill", "Frontend")] == [(3, 1), (4, 0), (0, 2)]


def test_a_partition_that_rises_gives_pods_back() -> None:
    dynamo = moved(running(beta("a")), parted("b", Decode=1, Prefill=1, Frontend=1))
    assert split(moved(dynamo, parted("b", Decode=4, Prefill=4, Frontend=2)), "Decode") == (4, 0)


def test_without_a_partition_the_new_one_becomes_what_ran_before() -> None:
    dynamo = moved(running(beta("a")), parted("b", Decode=0, Prefill=0, Frontend=0))
    dynamo = moved(dynamo, beta("b"))
    assert split(moved(dynamo, parted("a", Decode=3, Prefill=3, Frontend=1)), "Decode") == (1, 3)


def test_a_paused_component_keeps_its_split() -> None:
    dynamo = moved(running(beta("a")), parted("b", Decode=2, Prefill=2, Frontend=1))
    paused = parted("b", Decode=0, Prefill=0, Frontend=0).replace(
        b"{name: Decode,", b"{name: Decode, paused: true,"
    )
    assert split(moved(dynamo, paused), "Decode") == (2, 2)


def test_fewer_than_may_be_unavailable_never_answer() -> None:
    dynamo, least = running(beta("a")), 10
    for _ in range(12):
        dynamo.tick([manifest(parted("b", Decode=1, Prefill=1, Frontend=1))])
        least = min(least, sum(pod.ready for pod in dynamo.pods if pod.component == "Decode"))
    assert least == 3


def test_a_field_that_is_pruned_holds_nothing_back() -> None:
    dynamo = running(beta("a"))
    dynamo.prunes = True
    assert split(moved(dynamo, parted("b", Decode=3, Prefill=3, Frontend=1)), "Decode") == (0, 4)


def test_nothing_of_a_candidate_is_published_while_the_field_is_pruned() -> None:
    play = prepared(graph_wishes("in-place"), PRUNED)
    pruned = [moment for moment in play.moments() if moment.prunes and moment.head is not None]
    shown = {play.world.name_of(one) for moment in pruned if moment.head for one in moment.head.workloads}
    assert len(shown) == 1
    assert shown == {revision for moment in pruned for revision in moment.parts}
    assert (play.world.findings, play.world.moment.prunes) == ([], False)


def both() -> Moment:
    """Give the moment at which both revisions run."""
    moments = prepared(graph_wishes("in-place"), Faults()).moments()
    return next(one for one in moments if len(one.parts) == 2 and one.state and one.state.candidate)


def test_a_candidate_beside_a_pruned_field_is_a_finding() -> None:
    assert "runs" in laws.nothing_runs_where_the_field_is_pruned(both(), replace(both(), prunes=True))


def test_less_of_stable_than_the_partition_says_is_a_finding() -> None:
    moment = both()
    high = replace(moment, ledger=replace(moment.ledger, low={"Decode": 4}))
    assert laws.components_keep_their_partition(moment, moment) == ""
    assert "of 4 Decode" in laws.components_keep_their_partition(moment, high)
