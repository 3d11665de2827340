"""A graph that holds both revisions: its partitions fall step by step, and people are asked for each."""

import pytest

from gitops_rollout.api.values import Json, Object, at
from gitops_rollout.revision.history import ROLE_LABEL
from gitops_rollout.rollout.facts import About
from tests.kinds.dynamograph.manifests import alpha, service
from tests.rollout.graphs import graph
from tests.rollout.in_place import components, everywhere, going, only, resting
from tests.rollout.observed import NEW, OLD


def test_a_graph_at_rest_is_published_as_it_was_written() -> None:
    stage = resting()
    assert stage.published["spec"] == graph(OLD)["spec"]
    assert stage.state.graphs == ()


def test_its_own_rollout_is_published_where_it_stands_on_that() -> None:
    stage = resting(wanted=graph(OLD, rollout={"components": [{"name": "Decode", "partition": 2}]}))
    assert at(stage.published, "spec", "rollout") == {"components": [{"name": "Decode", "partition": 2}]}


def test_nothing_of_a_candidate_is_published_before_its_first_gate() -> None:
    stage = going()
    assert stage.published["spec"] == graph(OLD)["spec"]
    assert stage.gate is not None
    assert stage.gate.step == "1"


@pytest.mark.parametrize(
    ("gates", "kept"),
    [
        (("1",), {"Frontend": 1, "Decode": 3, "Prefill": 3}),
        (("1", "50pct"), {"Frontend": 1, "Decode": 2, "Prefill": 2}),
    ],
)
def test_a_step_leaves_to_stable_what_it_does_not_take(gates: tuple[str, ...], kept: dict[str, int]) -> None:
    assert going(*gates).partitions == kept


def test_the_whole_way_up() -> None:
    stage = going("1", "50pct", "100pct")
    assert (stage.pods, stage.state.stable) == (everywhere(NEW), stage.revision_of(NEW))
    assert (stage.partitions, stage.gate) == ({}, None)


def test_a_graph_of_v1alpha1_goes_the_same_way() -> None:
    old, new = (
        alpha(
            {"router": service("frontend", image, replicas=2), "decode": service("worker", image, replicas=4)}
        )
        for image in (OLD, NEW)
    )
    stage = resting(wanted=old).source(new).settle().through("1")
    assert stage.pods == {"router": {OLD: 1, NEW: 1}, "decode": {OLD: 3, NEW: 1}}
    stage.run(times=3).through("50pct").run(times=3).through("100pct").run()
    assert stage.pods == {"router": {NEW: 2}, "decode": {NEW: 4}}


def test_pods_are_replaced_once_each_and_never_given_back() -> None:
    stage = going("1", "50pct", "100pct")
    assert stage.operator.deaths == {"Frontend": 2, "Decode": 4, "Prefill": 4}


def test_the_graph_keeps_its_name_and_every_component_its_replicas() -> None:
    stage = going("1")
    assert [*stage.graphs] == ["chat"]
    assert stage.sizes == {NEW: {"Frontend": 2, "Decode": 4, "Prefill": 4}}


def test_a_component_that_did_not_change_keeps_every_byte() -> None:
    stage = resting()
    before = components(stage.published)["Frontend"]
    stage.source(only(NEW, "Decode", "Prefill")).settle()
    for gate in ("1", "50pct", "100pct"):
        stage.through(gate).run(times=3)
        assert components(stage.published)["Frontend"] == before
    assert stage.operator.deaths["Frontend"] == 0


def label_of(component: Object) -> Json:
    return at(component, "podTemplate", "metadata", "labels", ROLE_LABEL)


def test_r10_each_component_carries_a_label_of_its_own_text() -> None:
    stage = going("1", "50pct", "100pct", wanted=only(NEW, "Decode", "Prefill"))
    labels = {name: label_of(one) for name, one in components(stage.published).items()}
    assert labels["Frontend"] is None
    assert labels["Decode"]
    stage.source(graph(NEW)).settle().through("50pct", "100pct").run()
    after = {name: label_of(one) for name, one in components(stage.published).items()}
    assert (after["Decode"], after["Prefill"]) == (labels["Decode"], labels["Prefill"])
    assert after["Frontend"]


def test_workers_that_did_not_change_are_kept_whole_so_that_none_is_drawn_along() -> None:
    stage = going("1", wanted=only(NEW, "Decode"))
    assert stage.partitions == {"Decode": 3, "Prefill": 4}


@pytest.mark.parametrize("about", [About.KEPT, About.LIVE, About.ROUTABLE])
def test_r26_what_is_unknown_lets_nothing_in(about: About) -> None:
    stage = resting()
    stage.unknown = frozenset({about})
    stage.source(graph(NEW)).run(times=4)
    assert (stage.gate, stage.pods) == (None, everywhere(OLD))
