"""What today's operator makes of an edit."""

import pytest

from gitops_rollout.api.values import Json, Object, mapping
from gitops_rollout.api.verdict import Verdict
from tests.kinds.dynamograph.manifests import (
    alpha,
    annotated,
    component,
    frontend,
    gpu_pod,
    graph,
    moved,
    service,
    update,
)
from tests.kinds.manifests import codes, paths, pod

NEWER = "engine:1.5.0"
PREFILL = component("prefill", "prefill", replicas=2, podTemplate=gpu_pod(2))
DECODE = component(replicas=3, podTemplate=gpu_pod(4))


def three(decode: Object = DECODE, router: Object | None = None, **spec: Json) -> Object:
    """Give a graph of router, prefill and decode."""
    return graph(router or frontend(replicas=2), PREFILL, decode, **spec)


def test_an_edit_of_one_worker_restarts_all_workers() -> None:
    impact = update(three(), three({**DECODE, "podTemplate": gpu_pod(4, NEWER)}))
    assert impact.verdict is Verdict.RESTART
    assert moved(impact) == {"prefill": ("RESTART", 2, 4), "decode": ("RESTART", 3, 12)}
    assert paths(impact) == ["decode/containers[main]/image"]
    assert "WORKERS_ROLL_TOGETHER" in codes(impact)


def test_an_edit_of_the_frontend_restarts_the_frontend() -> None:
    impact = update(three(), three(router=frontend(replicas=2, podTemplate=pod(NEWER))))
    assert moved(impact) == {"router": ("RESTART", 2, 0)}
    assert paths(impact) == ["router/containers[main]/image"]
    assert not codes(impact)


@pytest.mark.parametrize("kind", [None, "planner", "frontend"])
def test_components_without_the_workers_hash_restart_alone(kind: str | None) -> None:
    old, new = (component("other", kind, podTemplate=pod(image)) for image in ("e:1.4.0", "e:1.5.0"))
    assert set(moved(update(graph(old, DECODE), graph(new, DECODE)))) == {"other"}


@pytest.mark.parametrize(
    ("new", "path"),
    [(three(labels={"team": "a"}), "labels/team"), (three(annotations={"team": "a"}), "annotations/team")],
)
def test_labels_and_annotations_of_the_spec_restart_every_pod(new: Object, path: str) -> None:
    impact = update(three(), new)
    assert moved(impact) == {
        "router": ("RESTART", 2, 0),
        "prefill": ("RESTART", 2, 4),
        "decode": ("RESTART", 3, 12),
    }
    assert paths(impact) == [path]


def test_what_a_pod_template_says_itself_hides_what_the_spec_says() -> None:
    own = component(podTemplate={**pod(NEWER), "metadata": {"labels": {"team": "b"}}})
    impact = update(graph(own), graph(own, labels={"team": "a"}))
    assert impact.verdict is Verdict.NO_CHANGE


def test_variables_of_the_spec_reach_the_main_container_of_each_component() -> None:
    common: list[Json] = [{"name": "A", "value": "1"}]
    own = component(podTemplate=pod(NEWER, env=[{"name": "A", "value": "2"}]))
    impact = update(graph(frontend(), own), graph(frontend(), own, env=common))
    assert set(moved(impact)) == {"router"}
    assert paths(impact) == ["env[A]"]


def test_a_variable_that_moves_from_the_spec_to_the_components_is_no_change() -> None:
    common: list[Json] = [{"name": "A", "value": "1"}]
    impact = update(
        graph(component(), env=common), graph(component(podTemplate=pod("engine:1.4.0", env=common)))
    )
    assert impact.verdict is Verdict.NO_CHANGE
    assert not impact.changes


def test_annotations_of_the_object_that_shape_pods_restart_them() -> None:
    impact = update(graph(), annotated(graph(), dynamo_kube_discovery_mode="container"))
    assert set(moved(impact)) == {"router", "decode"}
    assert paths(impact) == ["metadata/annotations[nvidia.com/dynamo-kube-discovery-mode]"]


def test_a_replica_of_several_nodes_is_several_pods_and_moves_as_a_whole() -> None:
    old, new = (
        graph(component(replicas=2, multinode={"nodeCount": 3}, podTemplate=gpu_pod(8, image)))
        for image in ("e:1.4.0", "e:1.5.0")
    )
    (only,) = update(old, new).components
    assert (only.pods, only.gpus, only.part) == (6, 48, "leader and worker")
    assert "MOVES_AS_A_WHOLE" in codes(update(old, new))


def test_recreate_is_told() -> None:
    annotations: Object = {"nvidia.com/deployment-strategy": "Recreate"}
    old, new = (
        graph(component(podTemplate={**pod(image), "metadata": {"annotations": annotations}}))
        for image in ("e:1.4.0", "e:1.5.0")
    )
    assert "RECREATES" in codes(update(old, new))


def test_what_has_no_replicas_restarts_nothing() -> None:
    old, new = (graph(component(replicas=0, podTemplate=pod(image))) for image in ("e:1.4.0", "e:1.5.0"))
    impact = update(old, new)
    assert moved(impact) == {"decode": ("RESTART", 0, 0)}
    assert "NOT_APPLIED_TO_RUNNING_PODS" in codes(impact)


def test_a_strategy_that_waits_for_people_is_told() -> None:
    old, new = (
        annotated(graph(component(podTemplate=pod(image))), grove_update_strategy="OnDelete")
        for image in ("e:1.4.0", "e:1.5.0")
    )
    assert codes(update(old, new)) == {"NOT_APPLIED_TO_RUNNING_PODS"}


def test_another_restart_id_restarts_what_it_names() -> None:
    impact = update(three(restart={"id": "1"}), three(restart={"id": "2"}))
    assert impact.verdict is Verdict.RESTART
    assert set(moved(impact)) == {"router", "prefill", "decode"}
    assert paths(impact) == ["restart/id"]
    assert "RESTART_REQUESTED" in codes(impact)


def test_a_restart_that_is_taken_away_restarts_nothing() -> None:
    assert update(three(restart={"id": "1"}), three()).verdict is Verdict.CONTROL_ONLY


@pytest.mark.parametrize(
    ("old", "new", "path"),
    [
        (graph(), graph(component("router", "frontend"), component(minAvailable=1)), "decode/minAvailable"),
        (graph(), graph(frontend(), component(scalingAdapter={})), "decode/scalingAdapter"),
        (
            graph(),
            graph(rollout={"components": [{"name": "decode", "partition": 1}]}),
            "rollout/components[decode]/partition",
        ),
        (
            graph(),
            annotated(graph(), grove_update_strategy="OnDelete"),
            "metadata/annotations[nvidia.com/grove-update-strategy]",
        ),
    ],
)
def test_controls_restart_nothing(old: Object, new: Object, path: str) -> None:
    impact = update(old, new)
    assert (impact.verdict, paths(impact)) == (Verdict.CONTROL_ONLY, [path])
    assert not moved(impact)


@pytest.mark.parametrize(
    ("old", "new", "path"),
    [
        (
            graph(),
            graph(rollout={"compatibility": [{"edge": ["prefill", "decode"], "contract": "nixl/0.7"}]}),
            "contracts",
        ),
        (
            alpha(),
            alpha(
                pvcs=[{"name": "m", "create": True, "size": 1, "storageClass": "s", "volumeAccessMode": "x"}]
            ),
            "pvcs",
        ),
        (alpha(), alpha({"decode": service(ingress={"host": "chat.example"})}), "ingresses"),
    ],
)
def test_a_revision_that_no_pod_sees_says_so(old: Object, new: Object, path: str) -> None:
    impact = update(old, new)
    assert (impact.verdict, paths(impact)) == (Verdict.CONTROL_ONLY, [path])
    assert "NO_POD_RESTARTS" in codes(impact)


def test_what_the_operator_ignores_is_inactive() -> None:
    impact = update(alpha(), alpha({"decode": service(autoscaling={"enabled": True})}))
    assert impact.verdict is Verdict.NO_CHANGE
    assert [change.note for change in impact.changes] == ["inactive"]
    assert "INACTIVE" in codes(impact)


def test_an_unknown_field_is_part_of_the_revision() -> None:
    for old, new in (
        (graph(turbo=1), graph(turbo=2)),
        (graph(component(colour="red")), graph(component(colour="blue"))),
        (alpha({"decode": service(colour="red")}), alpha({"decode": service(colour="blue")})),
        (alpha({"decode": service(type="a")}), alpha({"decode": service(type="b")})),
    ):
        assert update(old, new).verdict is Verdict.RESTART


def test_paths_of_v1alpha1_are_those_of_v1beta1() -> None:
    old, new = (service(image=image, replicas=2) for image in ("e:1.4.0", "e:1.5.0"))
    impact = update(alpha({"decode": old}), alpha({"decode": new}))
    assert paths(impact) == ["decode/containers[main]/image"]
    assert moved(impact) == {"decode": ("RESTART", 2, 0)}


def test_a_wide_edit_is_told_once() -> None:
    value = three(env=[{"name": "A", "value": "1"}])
    other = three(env=[{"name": "A", "value": "2"}])
    assert paths(update(value, other)) == ["env[A]/value"]
    assert mapping(value["spec"]) != mapping(other["spec"])
