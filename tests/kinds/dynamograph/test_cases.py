"""Public bug reports as small cases: what graphs get."""

import pytest

from gitops_rollout.api.values import Json, Object, at, mapping, sequence
from gitops_rollout.api.verdict import Verdict
from gitops_rollout.kinds.dynamograph.kind import DYNAMO_GRAPH as KIND
from gitops_rollout.kinds.dynamograph.project import source_text
from gitops_rollout.kinds.protocol import Injection
from gitops_rollout.semantics.canonical import canonical_bytes
from tests.kinds.dynamograph.manifests import (
    accepted,
    change,
    checked,
    component,
    frontend,
    graph,
    moved,
    refused,
    update,
    warned,
)
from tests.kinds.manifests import codes, document, in_case, paths, pod
from tests.shared import case

DECODE = "spec.components[1]"
PARTITION = "spec.rollout.components[0].partition"


def test_13_a_graph_may_have_the_name_of_a_model_serving() -> None:
    key = accepted(document(case("13-same-name-twice", "repo", "specs", "d.yaml"))).key
    assert (key.kind, key.namespace, key.name) == ("DynamoGraphDeployment", "serving", "aurora-chat")
    assert KIND.filename != "modelserving.yaml"


def test_15_what_is_empty_but_means_something_is_kept() -> None:
    volumes: Json = [{"name": "cache", "emptyDir": {}}]
    template: Object = {"spec": {**mapping(pod("engine:1.4.0")["spec"]), "volumes": volumes}}
    spec = accepted(graph(component(podTemplate=template, scalingAdapter={}, replicas=0)))
    rendered = KIND.render(spec.text, spec.controls, Injection({}), None)
    (written,) = map(mapping, sequence(at(rendered, "spec", "components")))
    assert written["podTemplate"] == template
    assert (written["scalingAdapter"], written["replicas"]) == ({}, 0)


def test_15_no_components_at_all_is_refused() -> None:
    empty = graph()
    mapping(empty["spec"])["components"] = []
    assert refused(empty) == [("spec.components", "REQUIRED")]


def test_21_annotations_of_the_object_restart_nothing() -> None:
    impact = change("21", "dgd-before", "dgd-meta")
    assert impact.verdict is Verdict.CONTROL_ONLY
    assert paths(impact) == ["metadata/annotations/note"]


def test_21_annotations_of_the_spec_restart_every_worker() -> None:
    impact = change("21", "dgd-before", "dgd-spec-annotations")
    assert impact.verdict is Verdict.RESTART
    assert paths(impact) == ["annotations/note"]
    restarts = moved(impact)
    assert {name: restarts[name] for name in ("prefill", "decode")} == {
        "prefill": ("RESTART", 4, 0),
        "decode": ("RESTART", 8, 0),
    }


def test_29_the_order_of_components_is_no_change() -> None:
    impact = change("29", "dgd-before", "dgd-after")
    assert impact.verdict is Verdict.NO_CHANGE
    assert not impact.changes


def test_30_names_differ_in_more_than_case() -> None:
    (problem,) = checked(in_case("30", "dgd-case")).problems
    assert (problem.path, problem.code) == (f"{DECODE}.name", "DUPLICATE_NAME")
    assert "spec.components[0]" in problem.message


def test_31_several_nodes_leave_less_room_for_names() -> None:
    (problem,) = checked(in_case("31", "dgd-multinode-over")).problems
    assert (problem.path, problem.code) == (f"{DECODE}.name", "NAME_TOO_LONG")
    assert "trtllmdecodeworker-ldr" in problem.message
    assert "54 characters" in problem.message


@pytest.mark.parametrize(("letters", "fits"), [(16, True), (17, False)])
def test_31_shortening_the_graph_to_eight_leaves_a_component_16(letters: int, fits: bool) -> None:
    value = graph(component("d" * letters, multinode={"nodeCount": 2}))
    mapping(value["metadata"])["name"] = "kimi-large-chat"
    assert (checked(value).spec is not None) is fits


def test_31_a_graph_that_the_operator_shortens_is_told() -> None:
    value = graph(component("vllmdecodeworker", multinode={"nodeCount": 2}))
    mapping(value["metadata"])["name"] = "kimi-large-chat"
    assert warned(value) == [("spec.components[0].name", "NAME_SHORTENED")]


@pytest.mark.parametrize(("type_", "longest"), [("decode", 63 - 10), ("frontend", 63 - 1)])
def test_31_names_of_what_the_operator_makes_fit_into_a_label(type_: str, longest: int) -> None:
    def named(length: int) -> Object:
        value = graph(component("c", type_))
        mapping(value["metadata"])["name"] = "g" * length
        return value

    assert accepted(named(longest - 1))
    (problem,) = checked(named(longest)).problems
    assert problem.code == "NAME_TOO_LONG"
    assert "64 characters" in problem.message


def test_37_back_to_a_is_the_revision_of_a() -> None:
    impact = change("37", "a", "b")
    assert moved(impact) == {"prefill": ("RESTART", 4, 0), "decode": ("RESTART", 8, 0)}
    assert paths(impact) == ["prefill/containers[main]/image", "decode/containers[main]/image"]
    forms = [KIND.canonical(accepted(in_case("37", name)).text) for name in ("a", "b", "a")]
    assert canonical_bytes(forms[0]) == canonical_bytes(forms[2]) != canonical_bytes(forms[1])


def test_38_three_versions_are_three_revisions() -> None:
    values = [graph(component(podTemplate=pod(f"engine:1.{version}.0"))) for version in (4, 5, 6)]
    assert len({canonical_bytes(KIND.canonical(accepted(value).text)) for value in values}) == 3


@pytest.mark.parametrize(
    ("number", "name", "path", "code"),
    [
        ("42", "dgd-above", PARTITION, "RANGE"),
        ("42", "dgd-unknown", "spec.rollout.components[0].name", "UNKNOWN_COMPONENT"),
        ("42", "dgd-recreate", PARTITION, "STRATEGY"),
        ("43", "bad-dgd-percent", PARTITION, "TYPE"),
    ],
)
def test_partitions_that_cannot_be_kept_are_refused(number: str, name: str, path: str, code: str) -> None:
    assert refused(in_case(number, name)) == [(path, code)]


def test_42_scaling_below_a_partition_names_both_numbers() -> None:
    rollout: Object = {"components": [{"name": "decode", "partition": 3}]}
    assert accepted(graph(component(replicas=3), rollout=rollout))
    (problem,) = checked(graph(component(replicas=2), rollout=rollout)).problems
    assert "3 is not between 0 and the 2 replicas" in problem.message


def test_43_only_whole_numbers_are_partitions() -> None:
    (problem,) = checked(in_case("43", "bad-dgd-percent")).problems
    assert "whole number" in problem.message


def test_44_scaling_while_paused_scales() -> None:
    rollout: Object = {"components": [{"name": "decode", "paused": True}]}
    old, new = (graph(component(replicas=count), rollout=rollout) for count in (8, 10))
    impact = update(old, new)
    assert impact.verdict is Verdict.SCALE_ONLY
    assert moved(impact) == {"decode": ("SCALE_ONLY", 0, 0)}
    assert paths(impact) == ["decode/replicas"]


def test_44_the_rollout_of_the_proposal_is_read_and_not_published() -> None:
    rollout: Object = {
        "components": [{"name": "decode", "paused": True, "partition": 2}],
        "releaseGroups": [{"name": "all", "components": ["router", "decode"]}],
    }
    spec = accepted(graph(frontend(), component(replicas=4), rollout=rollout))
    assert (spec.controls["floor"], spec.controls["paused"]) == ({"decode": 2}, {"decode": True})
    assert "rollout" not in mapping(KIND.render(spec.text, spec.controls, Injection({}), None)["spec"])
    assert {warning.code for warning in spec.warnings} == {"NO_EFFECT"}


def test_47_scale_and_template_are_two_parts() -> None:
    old = graph(component(replicas=1))
    impact = update(old, graph(component(replicas=2, podTemplate=pod("engine:1.5.0"))))
    assert [one.verdict for one in impact.components] == [Verdict.SCALE_ONLY, Verdict.RESTART]
    assert "COMBINED_CHANGE" in codes(impact)


def test_a_text_keeps_the_version_that_it_was_written_in() -> None:
    value = in_case("37", "a")
    assert source_text(value)["apiVersion"] == value["apiVersion"]
