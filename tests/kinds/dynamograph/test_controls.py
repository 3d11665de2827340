"""Controls in their one normal form, and what is rendered from them."""

import pytest

from gitops_rollout.api.values import Json, Object, at, mapping
from gitops_rollout.kinds.dynamograph.kind import DYNAMO_GRAPH as KIND
from gitops_rollout.kinds.protocol import Injection
from tests.kinds.dynamograph.manifests import accepted, alpha, annotated, component, frontend, graph, service

PLAIN = Injection({})
LABEL = {"gitops-rollout.io/revision": "r1"}


def rendered(text_of: Object, controls_of: Object, labels: Injection = PLAIN) -> Object:
    """Render the text of one document under the controls of another."""
    text, controls = accepted(text_of).text, accepted(controls_of).controls
    return mapping(KIND.render(text, controls, labels, None)["spec"])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (graph(component()), graph(component(scalingAdapter=None, replicas=None))),
        (
            graph(restart={"id": "1"}),
            graph(restart={"id": "1", "strategy": {"type": "Sequential", "order": []}}),
        ),
        (graph(), graph(rollout={"components": [{"name": "decode", "partition": 0, "paused": False}]})),
        (graph(), annotated(graph(), current_worker_hash="0123abcd", dgd_spec="{}")),
        (alpha(), alpha({"decode": service(scalingAdapter={"enabled": False})})),
        (
            graph(rollout={"releaseGroups": [{"name": "a", "components": ["router", "decode"]}]}),
            graph(rollout={"releaseGroups": [{"name": "a", "components": ["decode", "router"]}]}),
        ),
    ],
)
def test_equal_controls_are_equal_values(one: Object, other: Object) -> None:
    assert accepted(one).controls == accepted(other).controls


def test_replicas_are_written_iff_the_source_writes_them() -> None:
    assert at(accepted(graph(component(replicas=1))).controls, "components", "decode") == {"replicas": 1}
    assert at(accepted(graph(component())).controls, "components", "decode") == {}


def test_a_text_of_one_version_takes_controls_of_the_other() -> None:
    beta = graph(component(type_="worker", scalingAdapter={}, replicas=3))
    spec = rendered(alpha(), beta)
    assert at(spec, "services", "decode", "scalingAdapter") == {"enabled": True}
    assert at(spec, "services", "decode", "replicas") == 3
    back = rendered(
        graph(component(type_="worker")), alpha({"decode": service(scalingAdapter={"enabled": True})})
    )
    assert back["components"] == [component(type_="worker", scalingAdapter={})]


@pytest.mark.parametrize(
    ("value", "path"),
    [
        (graph(component()), ("podTemplate", "metadata", "labels")),
        (alpha({"decode": service(extraPodMetadata={"labels": {"a": "b"}})}), ("extraPodMetadata", "labels")),
    ],
)
def test_labels_are_added_in_the_form_of_the_version(value: Object, path: tuple[str, ...]) -> None:
    spec = rendered(value, value, Injection({"*": LABEL, "router": {"x": "y"}}))
    written = spec.get("components") or spec.get("services")
    (only,) = written if isinstance(written, list) else mapping(written).values()
    assert mapping(at(only, *path)).items() >= LABEL.items()
    assert "x" not in mapping(at(only, *path))


def test_annotations_of_the_revision_stand_among_those_that_are_controls() -> None:
    value = annotated(graph(), enable_metrics="true", note="a")
    spec = accepted(value)
    assert at(spec.text, "metadata", "annotations") == {"nvidia.com/enable-metrics": "true"}
    assert at(spec.controls, "metadata", "annotations") == {"nvidia.com/note": "a"}
    published = KIND.render(spec.text, spec.controls, PLAIN, None)
    assert at(published, "metadata", "annotations") == at(value, "metadata", "annotations")


def test_contracts_are_part_of_the_revision_and_never_written_out() -> None:
    contract: Json = {"edge": ["router", "worker"], "contract": "frontend-worker/1.5"}
    value = graph(rollout={"compatibility": [contract]})
    assert KIND.canonical(accepted(value).text) != KIND.canonical(accepted(graph()).text)
    assert "rollout" not in rendered(value, value)


def test_an_update_strategy_that_protects_is_held_under_a_candidate() -> None:
    strict = accepted(annotated(graph(), grove_update_strategy="OnDelete")).controls
    loose = accepted(annotated(graph(component(replicas=2), frontend()), note="b")).controls
    held = KIND.hold_loosening(strict, loose)
    assert at(held, "metadata", "annotations") == {
        "nvidia.com/grove-update-strategy": "OnDelete",
        "nvidia.com/note": "b",
    }
    assert at(held, "components") == at(loose, "components")
    assert KIND.hold_loosening(loose, strict) == strict


def test_controls_of_a_component_that_only_the_old_graph_has_are_retained() -> None:
    rollout: Object = {"components": [{"name": "decode", "partition": 1}]}
    old = accepted(graph(frontend(), component(replicas=2), rollout=rollout)).controls
    new = accepted(graph(frontend(replicas=3))).controls
    kept = KIND.retain(old, new, {"router", "decode"})
    assert at(kept, "components") == {"router": {"replicas": 3}, "decode": {"replicas": 2}}
    assert at(kept, "floor") == {"decode": 1}
    assert KIND.retain(old, new, {"router"}) == new


def test_components_that_the_controls_do_not_know_get_none() -> None:
    assert rendered(graph(frontend(), component()), graph(frontend(replicas=2)))["components"] == [
        frontend(replicas=2),
        component(),
    ]


def test_no_service_is_rendered_for_a_text_in_v1beta1() -> None:
    assert "services" not in rendered(graph(component()), alpha())


def test_a_transfer_policy_shapes_workers_alone() -> None:
    policy: Object = {"kvTransferPolicy": {"labelKey": "rack", "domain": "rack"}}
    plain, bound = (KIND.components(accepted(value).text) for value in (graph(), graph(experimental=policy)))
    assert plain["router"] == bound["router"]
    assert plain["decode"] != bound["decode"]
