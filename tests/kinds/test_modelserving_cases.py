"""Public bug reports as small cases: what each update does."""

import pytest

from gitops_rollout.api.values import Json, Object, at, mapping, sequence
from gitops_rollout.api.verdict import ComponentImpact, Verdict
from gitops_rollout.api.workload import WHOLE
from gitops_rollout.kinds.modelserving.kind import MODEL_SERVING as KIND
from gitops_rollout.kinds.modelserving.live import as_stored, read_live
from tests.kinds.manifests import (
    accepted,
    change,
    codes,
    document,
    in_case,
    paths,
    rolling,
    serving,
)
from tests.shared import case

NO, CONTROL, SCALE, RESTART, TOPOLOGY, REJECT = (
    Verdict.NO_CHANGE,
    Verdict.CONTROL_ONLY,
    Verdict.SCALE_ONLY,
    Verdict.RESTART,
    Verdict.TOPOLOGY,
    Verdict.REJECT,
)
MEMORY = "decode/containers[engine]/resources/limits/memory"

PORT = "decode/containers[engine]/readinessProbe/httpGet/port"
TIER = "template/networkTopology/rolePolicy/highestTierAllowed"
GANG = "template/gangPolicy/minRoleReplicas/decode"
PARTITION = "rolloutStrategy/rollingUpdateConfiguration/partition"

UPDATES = [
    ("01", "before", "after", NO, []),
    ("01", "before", "after-negative", RESTART, [MEMORY]),
    ("03", "before", "after", NO, []),
    ("03", "before", "modern", NO, []),
    ("03", "before", "after-negative", RESTART, ["decode/volumes[certs]/secret/defaultMode"]),
    ("05", "before", "after", NO, []),
    ("06", "before", "after", NO, []),
    ("15", "before", "after", NO, []),
    ("16", "before", "after", RESTART, ["decode/containers[engine]/env"]),
    ("16", "before", "map-order", NO, []),
    ("17", "before", "after", RESTART, ["decode/containers[engine]/env[2]"]),
    ("18", "number", "name", RESTART, [PORT]),
    ("19", "git", "git-explicit-pod-default", RESTART, ["decode/terminationGracePeriodSeconds"]),
    ("20", "before", "after", RESTART, ["decode/serviceAccount"]),
    ("21", "before", "after", CONTROL, ["metadata/annotations/owner", "metadata/labels/cost"]),
    ("24", "before", "after", NO, ["decode/worker/containers[helper]/image"]),
    ("25", "before", "after-key-order", NO, []),
    ("25", "before", "after-config", RESTART, ["plugins[lws-labels]/config/prefix"]),
    ("25", "before", "after-expand", RESTART, ["plugins[lws-labels]/scope/roles"]),
    ("25", "worker-target-before", "after-worker-target", NO, ["plugins[lws-labels]/config/prefix"]),
    ("26", "before", "after", NO, []),
    ("26", "before", "after-negative", REJECT, ["schedulerName"]),
    ("27", "before", "after-topology", CONTROL, [TIER]),
    ("27", "before", "after-gang-value", REJECT, [GANG]),
    ("27", "before", "after-gang-removed", REJECT, [GANG]),
    ("28", "before", "after-add", TOPOLOGY, ["router"]),
    ("28", "before", "after-remove", TOPOLOGY, ["decode"]),
    ("28", "before", "after-rename", TOPOLOGY, ["decode", "gen"]),
    ("29", "before", "after", NO, []),
    ("29", "group-before", "group-after", NO, []),
    ("32", "before", "after", RESTART, ["decode/metadata/annotations/title"]),
    ("40", "before", "after", CONTROL, [PARTITION]),
    ("44", "start", "up", SCALE, ["replicas"]),
    ("44", "start", "role-up", SCALE, ["decode/replicas"]),
    ("44", "start", "zero", SCALE, ["replicas"]),
    ("44", "zero", "two", SCALE, ["replicas"]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("number", "old", "new", "verdict", "changed"), UPDATES, ids=[f"{row[0]}:{row[2]}" for row in UPDATES]
)
def test_an_update_gets_its_verdict_and_names_what_changed(
    number: str, old: str, new: str, verdict: Verdict, changed: list[str]
) -> None:
    impact = change(number, old, new)
    assert impact.verdict is verdict
    assert paths(impact) == changed


@pytest.mark.parametrize(
    ("old", "new", "restarts"),
    [
        ("before", "after-config", [("prefill", 3)]),
        ("before", "after-expand", [("decode", 6)]),
        ("worker-target-before", "after-worker-target", []),
    ],
)
def test_25_a_plugin_restarts_the_roles_that_it_reaches(
    old: str, new: str, restarts: list[tuple[str, int]]
) -> None:
    impact = change("25", old, new)
    moved = [one for one in impact.components if one.verdict is not Verdict.NO_CHANGE]
    assert [(component.name, component.pods) for component in moved] == restarts


def test_25_a_plugin_restarts_whole_groups_where_groups_roll() -> None:
    old, new = (in_case("25", name) for name in ("before", "after-config"))
    strategy: Object = {"type": "ServingGroupRollingUpdate"}
    impact = KIND.impact(*(accepted(_with(value, rolloutStrategy=strategy)) for value in (old, new)))
    assert [(found.name, found.pods) for found in impact.components] == [("prefill", 3), ("decode", 6)]


def test_01_a_changed_amount_is_shown_in_plain_numbers() -> None:
    (only,) = change("01", "before", "after-negative").changes
    assert (only.old, only.new, only.note) == ("1Gi", "1G", "1073741824 -> 1000000000")


def test_15_each_pointer_that_is_written_out_is_a_change() -> None:
    impact = change("15", "before", "after-negative")
    assert len(impact.changes) == 4


def test_16_an_env_order_is_told_as_order_only() -> None:
    (only,) = change("16", "before", "after").changes
    assert only.note == "order only"


def test_19_a_live_object_equals_its_file() -> None:
    live = read_live(in_case("19", "live")).spec
    assert live is not None
    impact = KIND.impact(as_stored(accepted(in_case("19", "git"))), live)
    assert impact.verdict is NO
    assert not impact.changes


def test_19_a_live_value_that_is_no_default_is_drift() -> None:
    value = in_case("19", "live")
    live = read_live(_with(value, schedulerName="default-scheduler")).spec
    assert live is not None
    assert KIND.impact(accepted(in_case("19", "git")), live).verdict is REJECT


def test_20_the_alias_is_folded_in_live_objects_only() -> None:
    before = accepted(in_case("20", "before"))
    live = read_live(in_case("20", "after")).spec
    assert live is not None
    assert KIND.impact(before, live).verdict is NO


def test_20_a_conflicting_alias_is_told_and_never_folded() -> None:
    value = in_case("20", "after-negative")
    before = accepted(in_case("20", "before"))
    for spec in (accepted(value), read_live(value).spec):
        assert spec is not None
        assert "ALIAS_CONFLICT" in {warning.code for warning in spec.warnings}
        assert KIND.impact(before, spec).verdict is RESTART


def test_24_workers_that_appear_restart_the_role() -> None:
    impact = change("24", "before", "after-negative")
    assert [(c.name, c.pods, c.part) for c in impact.components] == [("decode", 6, "entry and worker")]
    assert paths(impact)[0] == "decode/workerReplicas"


def test_26_the_scheduler_of_a_new_object_is_free() -> None:
    assert accepted(in_case("26", "after-negative"))
    (refusal,) = change("26", "before", "after-negative").rejections
    assert refusal.path == "spec.schedulerName"
    assert "create a new object" in refusal.message


def test_40_a_raised_partition_says_what_stays_and_how_to_go_back() -> None:
    impact = change("40", "before", "after")
    (warning,) = [warning for warning in impact.warnings if warning.code == "PARTITION_RAISED"]
    assert "ordinals 1-2 keep" in warning.message
    assert "revert the template" in warning.message


def test_42_ordinals_below_the_partition_are_born_on_stable() -> None:
    old = in_case("42", "ms-above")
    (only,) = KIND.impact(accepted(old), accepted(_with(old, replicas=7))).changes
    assert only.note == "ordinals 3-4 on the stable revision, ordinals 5-6 on the newest"


@pytest.mark.parametrize(("name", "warned"), [("ms-zero", False), ("ms-equal", True), ("ms-above", True)])
def test_42_a_partition_from_replicas_up_pauses(name: str, warned: bool) -> None:
    spec = accepted(in_case("42", name))
    assert ("PAUSED_BY_PARTITION" in {warning.code for warning in spec.warnings}) is warned


def test_47_scale_and_template_are_two_parts() -> None:
    impact = change("47", "before", "after")
    assert impact.components == (
        ComponentImpact("prefill", SCALE),
        ComponentImpact("decode", SCALE),
        ComponentImpact("decode", RESTART, pods=5, part="entry"),
    )
    assert "COMBINED_CHANGE" in codes(impact)


def test_43_percentages_of_the_new_replicas_round_up() -> None:
    for row in sequence(document(case("43-partition-percent", "table.yaml"))["rows"]):
        replicas, partition = at(row, "replicas"), at(row, "partition")
        spec = accepted(serving(replicas=replicas, rolloutStrategy=rolling(partition=partition)))
        assert KIND.floors(spec.controls) == {WHOLE: at(row, "resolved")}, row


def _with(value: Object, **spec: Json) -> Object:
    return {**value, "spec": {**mapping(value["spec"]), **spec}}
