"""What an update restarts, scales, moves or refuses."""

import pytest

from gitops_rollout.api.values import Json, Object
from gitops_rollout.api.verdict import Change, ComponentImpact, Impact, Verdict
from gitops_rollout.kinds.modelserving.kind import MODEL_SERVING, ModelServingKind
from gitops_rollout.kinds.pods import gpus
from tests.kinds.manifests import BY_ROLE, accepted, codes, paths, pod, role, rolling, serving

RESTART = Verdict.RESTART
GPU: Object = {"limits": {"nvidia.com/gpu": 4, "cpu": "8"}}


def update(old: Object, new: Object) -> Impact:
    return MODEL_SERVING.impact(accepted(old), accepted(new))


def workers(image: str, **fields: Json) -> Object:
    entry, worker = pod(image, resources=GPU), pod(image, resources={"limits": {"amd.com/gpu": "8"}})
    return role("decode", entry, workerReplicas=2, workerTemplate=worker, replicas=3, **fields)


PREFILL = role("prefill", replicas=2)


@pytest.mark.parametrize(
    ("spec", "components"),
    [
        (
            {},
            [
                ComponentImpact("prefill", RESTART, 8, 0, "entry"),
                ComponentImpact("decode", RESTART, 36, 240, "entry and worker"),
            ],
        ),
        (
            {"rolloutStrategy": rolling(partition="50%")},
            [
                ComponentImpact("prefill", RESTART, 4, 0, "entry"),
                ComponentImpact("decode", RESTART, 18, 120, "entry and worker"),
            ],
        ),
        (
            {"rolloutStrategy": BY_ROLE},
            [
                ComponentImpact("decode", RESTART, 36, 240, "entry and worker"),
                ComponentImpact("prefill", Verdict.NO_CHANGE),
            ],
        ),
        (
            {"rolloutStrategy": rolling(partition=9)},
            [
                ComponentImpact("prefill", RESTART, 0, 0, "entry"),
                ComponentImpact("decode", RESTART, 0, 0, "entry and worker"),
            ],
        ),
    ],
)
def test_pods_and_gpus_are_counted_above_the_partition(
    spec: Object, components: list[ComponentImpact]
) -> None:
    impact = update(
        serving(PREFILL, workers("engine:1"), **spec), serving(PREFILL, workers("engine:2"), **spec)
    )
    assert impact.verdict is RESTART
    assert list(impact.components) == components


def test_a_role_partition_counts_in_every_group() -> None:
    old, new = (serving(workers(image, partition="34%"), rolloutStrategy=BY_ROLE) for image in ("e:1", "e:2"))
    (only,) = update(old, new).components
    assert only.pods == 4 * (3 - 2) * 3


def test_gpus_of_a_pod_are_its_containers_together_or_its_largest_init_container() -> None:
    def containers(*counts: int) -> list[Json]:
        return [{"resources": {"limits": {"nvidia.com/gpu": count}}} for count in counts]

    assert gpus({"spec": {"containers": containers(1, 2), "initContainers": containers(2, 2)}}) == 3
    assert gpus({"spec": {"containers": containers(1), "initContainers": containers(4)}}) == 4
    assert gpus(None) == 0


def test_paths_are_keyed_by_names_and_values_are_as_written() -> None:
    old = serving(workers("engine:1"), replicas=4)
    new = serving(workers("engine:2"), replicas=4, turbo={"mode": "on"})
    assert update(old, new).changes == (
        Change("decode/containers[main]/image", "engine:1", "engine:2"),
        Change("decode/worker/containers[main]/image", "engine:1", "engine:2"),
        Change("turbo", None, {"mode": "on"}),
    )


def test_an_unknown_field_restarts_and_is_flagged() -> None:
    impact = update(serving(), serving(turbo=True))
    assert impact.verdict is RESTART
    assert "UNKNOWN_FIELD" in codes(impact)


def test_writing_replicas_out_is_a_control_and_no_scaling() -> None:
    impact = update(serving(role(), replicas=None), serving(role(replicas=1), replicas=1))
    assert impact.verdict is Verdict.CONTROL_ONLY
    assert paths(impact) == ["decode/replicas", "replicas"]


def test_annotations_stand_in_brackets_when_they_hold_a_slash() -> None:
    new: Object = {**serving(), "metadata": {"name": "chat", "annotations": {"a.b/c": "d"}}}
    assert update({**serving(), "metadata": {"name": "chat"}}, new).changes == (
        Change("metadata/annotations[a.b/c]", None, "d"),
    )


@pytest.mark.parametrize(("controller", "warns"), [("semantic", False), ("main", True)])
def test_a_kthena_that_ignores_plugins_is_warned_of(controller: str, warns: bool) -> None:
    kind = ModelServingKind(controller="main" if controller == "main" else "semantic")
    impact = kind.impact(accepted(serving()), accepted(serving(plugins=[{"name": "labels"}])))
    assert impact.verdict is RESTART
    assert ("NOT_APPLIED_TO_RUNNING_PODS" in codes(impact)) is warns


def test_plugins_in_another_order_are_told_as_order_only() -> None:
    one: Object = {"name": "a"}
    other: Object = {"name": "b"}
    impact = update(serving(plugins=[one, other]), serving(plugins=[other, one]))
    assert impact.verdict is RESTART
    assert impact.changes == (Change("plugins", ["a", "b"], ["b", "a"], "order only"),)


def test_a_plugin_of_no_pod_is_inactive() -> None:
    written: list[Json] = [{"name": "a", "scope": {"target": "Worker"}}]
    impact = update(serving(), serving(plugins=written))
    assert impact.verdict is Verdict.NO_CHANGE
    assert codes(impact) == {"INACTIVE"}


@pytest.mark.parametrize(("before", "after", "raised"), [(1, 3, True), (3, 1, False), (4, 6, False)])
def test_only_a_partition_that_passes_running_ordinals_is_raised(
    before: int, after: int, raised: bool
) -> None:
    old, new = (serving(rolloutStrategy=rolling(partition=partition)) for partition in (before, after))
    impact = update(old, new)
    assert impact.verdict is Verdict.CONTROL_ONLY
    assert ("PARTITION_RAISED" in codes(impact)) is raised


def test_a_partition_of_a_role_is_named_by_its_role() -> None:
    old, new = (serving(role(replicas=3, partition=p), rolloutStrategy=BY_ROLE) for p in (1, 2))
    impact = update(old, new)
    assert paths(impact) == ["decode/partition"]
    assert [w.path for w in impact.warnings if w.code == "PARTITION_RAISED"] == ["decode/partition"]


GANG: Object = {"roles": [role()], "gangPolicy": {"minRoleReplicas": {"decode": 1}}}


@pytest.mark.parametrize(
    ("old", "new", "path", "code"),
    [
        (serving(), serving(schedulerName=""), "spec.schedulerName", "IMMUTABLE"),
        (serving(template=GANG), serving(), "spec.template.gangPolicy", "IMMUTABLE"),
        (
            serving(template=GANG),
            serving(template={**GANG, "gangPolicy": {}}),
            "spec.template.gangPolicy.minRoleReplicas",
            "IMMUTABLE",
        ),
        (
            serving(rolloutStrategy=BY_ROLE),
            serving(role("gen"), rolloutStrategy=BY_ROLE),
            "spec.template.roles",
            "ROLE_SET",
        ),
    ],
)
def test_what_may_not_change_is_refused(old: Object, new: Object, path: str, code: str) -> None:
    impact = update(old, new)
    assert impact.verdict is Verdict.REJECT
    assert not impact.components
    assert [(refusal.path, refusal.code) for refusal in impact.rejections] == [(path, code)]


def test_28_the_refusal_names_both_sets_of_roles() -> None:
    old = serving(role("prefill"), role("decode"), rolloutStrategy=BY_ROLE)
    (refusal,) = update(old, serving(role("gen"), rolloutStrategy=BY_ROLE)).rejections
    assert "decode, prefill -> gen" in refusal.message


def test_a_gang_policy_may_be_added_and_says_what_it_does_not_do() -> None:
    impact = update(serving(), serving(template=GANG))
    assert impact.verdict is Verdict.CONTROL_ONLY
    assert codes(impact) == {"NOT_APPLIED_TO_RUNNING_PODS"}
