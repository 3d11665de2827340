"""A DynamoGraphDeployment moves whole, through one gate, and is published as it was written."""

from collections.abc import Callable

import pytest

from gitops_rollout.api.values import Json, Object, at, mapping, sequence
from gitops_rollout.documents.emit import emit
from gitops_rollout.rollout.draft import Head, Order, Word
from tests.history.graphs import OBJECT, GraphStage, alpha_of, beta_of, going, published
from tests.history.past import importing, legacy
from tests.kinds.dynamograph.manifests import component, graph
from tests.kinds.manifests import pod
from tests.rollout.stage import steps

A, B, C = "engine:a", "engine:b", "engine:c"


def step(stage: GraphStage) -> str | None:
    return stage.gate.step if stage.gate else None


def members(stage: GraphStage) -> dict[str, Object]:
    """Give the published components by name."""
    listed = sequence(at(stage.published, "spec", "components"))
    return {str(at(one, "name")): mapping(one) for one in listed}


def respelled(value: Object) -> Object:
    """Write the same graph with what means nothing."""
    components: list[Json] = [
        {**mapping(one), "podTemplate": {**mapping(at(one, "podTemplate")), "metadata": {}}}
        for one in reversed(sequence(at(value, "spec", "components")))
    ]
    return {**value, "spec": {"components": components, "annotations": {}}}


def test_it_is_published_as_it_was_written_and_unlabelled() -> None:
    stage = published()
    assert stage.published["spec"] == beta_of()["spec"]
    assert (stage.labelled, stage.gate) == (set(), None)


def test_one_gate_moves_everything_and_another_one_completes() -> None:
    stage = going()
    assert (step(stage), stage.images["Decode"]) == ("all", A)
    stage.through("all")
    assert (step(stage), stage.images) == ("complete", {"Frontend": "router:a", "Decode": B})
    stage.through("complete")
    assert (stage.gate, stage.state.stable, stage.state.candidate) == (None, stage.recorded(B), None)


def test_steps_of_a_policy_ask_once_for_what_moves_whole() -> None:
    stage = GraphStage(beta_of(), policy=steps(1, "50%", "100%"))
    stage.settle().source(beta_of(engine=B)).settle()
    stage.through("100pct", "complete")
    assert stage.images["Decode"] == B


def test_only_what_changed_is_labelled() -> None:
    assert going().through("all").labelled == {"Decode"}
    assert going(A, "router:b").through("all").labelled == {"Frontend"}


def test_before_its_gate_a_revision_is_left_by_a_commit() -> None:
    stage = going()
    before = stage.line.files[OBJECT]
    assert stage.source(beta_of()).settle().gate is None
    assert stage.line.files[OBJECT] == before


def test_a_b_a_is_a_way_back_that_makes_no_revision() -> None:
    stage = going()
    stage.through("all").source(beta_of()).settle()
    assert (stage.images["Decode"], stage.labelled, step(stage)) == (A, set(), "complete")
    stage.through("complete")
    assert (stage.state.stable, len(stage.state.inventory)) == (stage.recorded(A), 3)


def test_36_a_b_a_completed_takes_the_first_one_up_again() -> None:
    stage = going()
    stage.through("all", "complete").source(beta_of()).settle()
    head = stage.head()
    assert isinstance(head, Head)
    assert [one.number for one in head.history] == [2, 3]
    assert stage.through("all", "complete").state.stable == stage.recorded(A)


def test_a_b_c_replaces_what_serves_through_its_own_gate() -> None:
    stage = going()
    stage.through("all").source(beta_of(engine=C)).settle()
    assert (stage.images["Decode"], step(stage)) == (B, "all")
    stage.through("all", "complete")
    assert (stage.images["Decode"], stage.state.stable) == (C, stage.recorded(C))


@pytest.mark.parametrize("gates", [(), ("all",)])
def test_scaling_in_mid_rollout_changes_a_number_and_nothing_else(gates: tuple[str, ...]) -> None:
    stage = going()
    stage.through(*gates)
    before, asked = stage.published, step(stage)
    stage.source(beta_of(engine=B, replicas=5)).settle()
    scaled = [
        5 if at(one, "name") == "Decode" else None for one in sequence(at(before, "spec", "components"))
    ]
    shown = sequence(at(stage.published, "spec", "components"))
    assert [at(one, "replicas") for one in shown] == scaled
    assert [at(one, "podTemplate") for one in shown] == [
        at(one, "podTemplate") for one in sequence(at(before, "spec", "components"))
    ]
    assert step(stage) == asked


def test_an_alpha_source_stays_alpha() -> None:
    stage = published(alpha_of())
    assert stage.published["spec"] == alpha_of()["spec"]
    stage.source(alpha_of(engine=B)).settle().through("all", "complete")
    assert (at(stage.published, "apiVersion"), stage.images["Decode"]) == ("nvidia.com/v1alpha1", B)


@pytest.mark.parametrize(("one", "other"), [(alpha_of, beta_of), (beta_of, alpha_of)])
def test_the_other_api_version_writes_nothing(one: Callable[[], Object], other: Callable[[], Object]) -> None:
    stage = published(one())
    before = stage.line.files
    assert stage.source(other()).settle().line.files == before


def test_the_other_api_version_in_mid_rollout_writes_nothing() -> None:
    stage = going()
    stage.through("all")
    before = stage.line.files
    assert stage.source(alpha_of(engine=B)).settle().line.files == before


@pytest.mark.parametrize("gates", [(), ("all",), ("all", "complete")])
def test_a_respelling_writes_nothing(gates: tuple[str, ...]) -> None:
    stage = going()
    stage.through(*gates)
    before = stage.line.files
    assert stage.source(respelled(beta_of(engine=B))).settle().line.files == before


def test_a_deletion_asks_twice() -> None:
    stage = published()
    stage.source(None).settle().through("delete")
    assert "Prune=false" not in str(stage.published)
    stage.merge(look=False).look()
    assert stage.line.files == {}


def test_a_rollback_by_command_holds() -> None:
    stage = going()
    stage.through("all", "complete")
    stage.order(Order(Word.ROLLBACK, revision=stage.recorded(A))).through("all", "complete")
    assert (
        stage.images["Decode"],
        stage.gate,
        stage.source(beta_of(engine=B, replicas=3)).settle().gate,
    ) == (A, None, None)


@pytest.mark.parametrize(
    "wanted",
    [
        graph(component("Frontend", "frontend", podTemplate=pod("router:a"))),
        graph(component("Frontend", "frontend"), component("Other", "decode")),
        graph(*[component(name) for name in ("Frontend", "Decode", "More")]),
    ],
)
def test_28_a_component_that_comes_or_goes_is_refused_and_the_rest_stays(wanted: Object) -> None:
    stage = published()
    before = stage.line.files
    plan = stage.source(wanted).look().plan
    assert [one.code for one in plan.problems] == ["COMPONENT_SET"]
    assert stage.line.files == before


def test_28_the_rollout_that_is_on_goes_on_beside_a_refusal() -> None:
    stage = going()
    stage.source(graph(component("Frontend"))).settle().through("all", "complete")
    assert stage.images["Decode"] == B


def test_an_edit_by_hand_is_put_back() -> None:
    stage = going()
    stage.through("all")
    before = stage.published
    stage.line.commit({OBJECT: emit(beta_of(engine="engine:evil")).encode()})
    assert stage.settle() is stage
    assert stage.published["spec"] == before["spec"]


def test_a_graph_has_no_history_of_its_own_controller_to_import() -> None:
    assert published().refusal(importing(legacy()))
