"""Controls: one normal form, the numbers in it, and what may not loosen under a candidate."""

import pytest

from gitops_rollout.api.values import Json, Object, at
from gitops_rollout.api.workload import WHOLE, Thresholds
from gitops_rollout.kinds.modelserving.kind import MODEL_SERVING as KIND
from gitops_rollout.kinds.protocol import Injection
from tests.kinds.manifests import BY_ROLE, accepted, role, rolling, serving

PLAIN = Injection({})


def controls(*roles: Object, **spec: Json) -> Object:
    return accepted(serving(*roles, **spec)).controls


def test_defaults_are_left_out_and_replicas_stand_iff_written() -> None:
    written = controls(
        role(replicas=1, maxUnavailable=1),
        replicas=1,
        rolloutStrategy=rolling(maxUnavailable=1, maxSurge="0%", partition=0),
        recoveryPolicy="RoleRecreate",
        revisionHistoryLimit=10,
    )
    assert written == {"replicas": 1, "roles": {"decode": {"replicas": 1}}}
    assert controls(replicas=None) == {"roles": {"decode": {}}}


def test_what_others_keep_in_metadata_is_no_control() -> None:
    annotations: Object = {
        "team": "a",
        "argocd.argoproj.io/tracking-id": "x",
        "argocd.argoproj.io/sync-options": "Prune=false",
        "kubectl.kubernetes.io/last-applied-configuration": "{}",
        "gitops-rollout.io/policy": "standard",
    }
    labels: Object = {"kustomize.toolkit.fluxcd.io/name": "x", "kustomize.toolkit.fluxcd.io/namespace": "y"}
    metadata: Object = {"name": "chat", "uid": "1", "annotations": annotations, "labels": labels}
    kept = accepted({**serving(), "metadata": metadata}).controls["metadata"]
    assert kept == {"annotations": {"team": "a", "argocd.argoproj.io/sync-options": "Prune=false"}}


def test_empty_policies_are_not_absent_ones() -> None:
    template: Object = {
        "roles": [role()],
        "gangPolicy": {},
        "networkTopology": {"rolePolicy": {"mode": "hard"}},
    }
    assert controls(template=template)["template"] == {
        "gangPolicy": {},
        "networkTopology": {"rolePolicy": {}},
    }


PAIR = (role("prefill", replicas=2), role("decode", replicas=4, partition="50%"))


@pytest.mark.parametrize(
    ("written", "counts", "floors"),
    [
        (controls(rolloutStrategy=rolling(partition=3)), {WHOLE: 4}, {WHOLE: 3}),
        (controls(rolloutStrategy=rolling(partition=9)), {WHOLE: 4}, {WHOLE: 9}),
        (controls(rolloutStrategy=rolling(partition="26%")), {WHOLE: 4}, {WHOLE: 2}),
        (controls(replicas=None), {WHOLE: 1}, {WHOLE: 0}),
        (controls(*PAIR, rolloutStrategy=BY_ROLE), {"prefill": 2, "decode": 4}, {"prefill": 0, "decode": 2}),
    ],
)
def test_counts_and_floors_are_numbers_of_what_moves(
    written: Object, counts: Thresholds, floors: Thresholds
) -> None:
    assert KIND.counts(written) == counts
    assert KIND.floors(written) == floors


def test_floors_keep_their_spelling_in_the_controls() -> None:
    assert controls(rolloutStrategy=rolling(partition="05%"))["floor"] == "5%"
    assert controls(*PAIR, rolloutStrategy=BY_ROLE)["floor"] == {"decode": "50%"}


def test_a_partition_that_is_asked_for_is_written_even_when_it_is_0() -> None:
    spec = accepted(serving(rolloutStrategy=rolling(partition="50%", maxSurge=1)))
    rendered = KIND.render(spec.text, spec.controls, PLAIN, {WHOLE: 0})
    config = at(rendered, "spec", "rolloutStrategy", "rollingUpdateConfiguration")
    assert config == {"maxSurge": 1, "partition": 0}


def test_a_partition_by_role_is_written_on_the_roles() -> None:
    spec = accepted(serving(*PAIR, rolloutStrategy=BY_ROLE))
    rendered = KIND.render(spec.text, spec.controls, PLAIN, {"prefill": 1, "decode": 3})
    assert KIND.read_partition(rendered, spec.controls) == {"prefill": 1, "decode": 3}
    assert at(rendered, "spec", "rolloutStrategy") == BY_ROLE


def test_a_role_that_only_history_has_is_rendered_without_controls() -> None:
    old = accepted(serving(role("prefill", replicas=3), role("decode")))
    new = accepted(serving(role("decode", replicas=2)))
    rendered = KIND.render(old.text, new.controls, PLAIN, None)
    assert at(rendered, "spec", "template", "roles") == [role("prefill"), {**role("decode"), "replicas": 2}]


def test_labels_of_one_role_stay_in_that_role() -> None:
    spec = accepted(serving(role("prefill"), role("decode")))
    rendered = KIND.render(spec.text, spec.controls, Injection({"decode": {"revision": "r1"}}), None)
    prefill, decode = at(rendered, "spec", "template", "roles"), {"labels": {"revision": "r1"}}
    assert isinstance(prefill, list)
    assert prefill[0] == role("prefill")
    assert at(prefill[1], "entryTemplate", "metadata") == decode


@pytest.mark.parametrize(
    ("old", "new", "held"),
    [
        (
            controls(rolloutStrategy=rolling(partition=3)),
            controls(role(partition=1), rolloutStrategy=BY_ROLE),
            controls(rolloutStrategy=rolling(partition=3)),
        ),
        (
            controls(rolloutStrategy=rolling(maxUnavailable=2)),
            controls(replicas=8, rolloutStrategy=rolling(maxUnavailable=3, partition=1)),
            controls(replicas=8, rolloutStrategy=rolling(maxUnavailable=2, partition=1)),
        ),
        (
            controls(rolloutStrategy=rolling(maxUnavailable=3)),
            controls(rolloutStrategy=rolling(maxUnavailable="25%")),
            controls(rolloutStrategy=rolling(maxUnavailable="25%")),
        ),
        (controls(), controls(rolloutStrategy=rolling(maxUnavailable=2)), controls()),
        (controls(), controls(recoveryPolicy="ServingGroupRecreate"), controls()),
        (controls(recoveryPolicy="None"), controls(), controls(recoveryPolicy="None")),
        (
            controls(role(replicas=4), rolloutStrategy=BY_ROLE),
            controls(role(replicas=6, maxUnavailable="50%"), rolloutStrategy=BY_ROLE),
            controls(role(replicas=6), rolloutStrategy=BY_ROLE),
        ),
        (
            controls(role(replicas=4, maxUnavailable=2), rolloutStrategy=BY_ROLE),
            controls(role(replicas=6), replicas=5),
            controls(role(replicas=6, maxUnavailable=2), replicas=5, rolloutStrategy=BY_ROLE),
        ),
    ],
)
def test_r10_what_loosens_protection_is_held(old: Object, new: Object, held: Object) -> None:
    assert KIND.hold_loosening(old, new) == held


def test_controls_of_a_role_that_went_can_be_retained() -> None:
    old = controls(*PAIR, rolloutStrategy=BY_ROLE)
    new = controls(role("prefill"), rolloutStrategy=BY_ROLE)
    kept = KIND.retain(old, new, {"decode", "prefill"})
    assert KIND.floors(kept) == {"prefill": 0, "decode": 2}
    assert KIND.retain(old, new, {"prefill"}) == new
