"""Public bug reports as small cases, as somebody sees them who runs `diff -o json` in CI."""

from typing import Any

import pytest

from tests.cli.shell import Ran, run
from tests.shared import SHARED, case

MEMORY = "decode/containers[engine]/resources/limits/memory"
PORT = "decode/containers[engine]/readinessProbe/httpGet/port"
TIER = "template/networkTopology/rolePolicy/highestTierAllowed"
Shown = tuple[str, str, str, str, list[str], int]

SHOWN: list[Shown] = [
    ("01", "before", "after", "NO_CHANGE", [], 0),
    ("01", "before", "after-negative", "RESTART", [MEMORY], 4),
    ("03", "before", "after", "NO_CHANGE", [], 0),
    ("03", "before", "modern", "NO_CHANGE", [], 0),
    ("03", "before", "after-negative", "RESTART", ["decode/volumes[certs]/secret/defaultMode"], 4),
    ("05", "before", "after", "NO_CHANGE", [], 0),
    ("06", "before", "after", "NO_CHANGE", [], 0),
    ("07", "good-content", "good-content", "NO_CHANGE", [], 0),
    ("15", "before", "after", "NO_CHANGE", [], 0),
    ("16", "before", "after", "RESTART", ["decode/containers[engine]/env"], 4),
    ("16", "before", "map-order", "NO_CHANGE", [], 0),
    ("17", "before", "after", "RESTART", ["decode/containers[engine]/env[2]"], 4),
    ("18", "number", "name", "RESTART", [PORT], 4),
    ("19", "git", "git-explicit-pod-default", "RESTART", ["decode/terminationGracePeriodSeconds"], 4),
    ("20", "before", "after-negative", "RESTART", ["decode/serviceAccount"], 4),
    ("21", "before", "after", "CONTROL_ONLY", ["metadata/annotations/owner", "metadata/labels/cost"], 0),
    ("24", "before", "after", "NO_CHANGE", ["decode/worker/containers[helper]/image"], 0),
    ("25", "before", "after-config", "RESTART", ["plugins[lws-labels]/config/prefix"], 4),
    ("25", "before", "after-key-order", "NO_CHANGE", [], 0),
    ("26", "before", "after", "NO_CHANGE", [], 0),
    ("27", "before", "after-topology", "CONTROL_ONLY", [TIER], 0),
    ("28", "before", "after-rename", "TOPOLOGY", ["decode", "gen"], 4),
    ("29", "before", "after", "NO_CHANGE", [], 0),
    ("32", "before", "after", "RESTART", ["decode/metadata/annotations/title"], 4),
    ("40", "before", "after", "CONTROL_ONLY", ["rolloutStrategy/rollingUpdateConfiguration/partition"], 0),
    ("44", "start", "up", "SCALE_ONLY", ["replicas"], 0),
    ("44", "start", "role-up", "SCALE_ONLY", ["decode/replicas"], 0),
    ("44", "start", "zero", "SCALE_ONLY", ["replicas"], 0),
    ("21", "dgd-before", "dgd-meta", "CONTROL_ONLY", ["metadata/annotations/note"], 0),
    ("21", "dgd-before", "dgd-spec-annotations", "RESTART", ["annotations/note"], 4),
    ("29", "dgd-before", "dgd-after", "NO_CHANGE", [], 0),
]  # fmt: skip

WARNED = [
    ("17", "before", "before", ["DUPLICATE_ENV"]),
    ("20", "before", "after-negative", ["ALIAS_CONFLICT"]),
    ("24", "before", "after", ["INACTIVE"]),
    ("27", "before", "after-topology", ["NOT_APPLIED_TO_RUNNING_PODS"]),
    ("40", "before", "after", ["PARTITION_RAISED", "PAUSED_BY_PARTITION"]),
    ("42", "ms-above", "ms-above", ["PAUSED_BY_PARTITION"]),
    ("42", "ms-equal", "ms-equal", ["PAUSED_BY_PARTITION"]),
    ("42", "ms-zero", "ms-zero", []),
    ("47", "before", "after", ["COMBINED_CHANGE"]),
]

ENTRY = "spec.template.roles[0].entryTemplate.spec"
PARTITION = "spec.rolloutStrategy.rollingUpdateConfiguration.partition"
REFUSED = [
    ("02", "before", "after-unquoted", [(f"{ENTRY}.containers[0].env[0].value", "TYPE")]),
    ("05", "before", "cross-document", [("", "UNREADABLE")]),
    ("07", "good-content", "bad-indent", [("", "UNREADABLE")]),
    ("18", "number", "quoted", [(f"{ENTRY}.containers[0].readinessProbe.httpGet.port", "PORT")]),
    ("30", "dup", "dup", [("spec.template.roles[1].name", "DUPLICATE_NAME")]),
    ("31", "over", "over", [("spec.template.roles[0].name", "NAME_TOO_LONG")]),
    ("32", "before", "bad-name", [("spec.template.roles[0].name", "NAME")]),
    ("32", "before", "bad-image", [(f"{ENTRY}.containers[0].image", "IMAGE")]),
    *(
        ("43", name, name, [(PARTITION, "INT_OR_PERCENT")])
        for name in ("bad-110", "bad-fraction", "bad-string")
    ),
    *(
        (number, name, name, [(f"spec.{path}", code)])
        for number, name, path, code in (
            ("30", "dgd-case", "components[1].name", "DUPLICATE_NAME"),
            ("31", "dgd-multinode-over", "components[1].name", "NAME_TOO_LONG"),
            ("42", "dgd-above", "rollout.components[0].partition", "RANGE"),
            ("42", "dgd-recreate", "rollout.components[0].partition", "STRATEGY"),
            ("42", "dgd-unknown", "rollout.components[0].name", "UNKNOWN_COMPONENT"),
            ("43", "bad-dgd-percent", "rollout.components[0].partition", "TYPE"),
        )
    ),
    ("26", "before", "after-negative", [("spec.schedulerName", "IMMUTABLE")]),
    ("27", "before", "after-gang-value", [("spec.template.gangPolicy.minRoleReplicas", "IMMUTABLE")]),
    ("27", "before", "after-gang-removed", [("spec.template.gangPolicy", "IMMUTABLE")]),
]


def diff(number: str, old: str, new: str, *options: str) -> Ran:
    folder = case(next(iter(SHARED.glob(f"cases/{number}-*"))).name if SHARED.exists() else number)
    return run("diff", folder / f"{old}.yaml", folder / f"{new}.yaml", *options)


def only(ran: Ran) -> Any:
    (workload,) = ran.json["workloads"]
    return workload


def idents(rows: list[Any]) -> list[str]:
    return [f"{row[0]}:{row[2]}" for row in rows]


@pytest.mark.parametrize("row", SHOWN, ids=idents(SHOWN))
def test_a_consumer_reads_verdict_paths_and_exit_code(row: Shown) -> None:
    ran = diff(*row[:3], "-o", "json", "--exit-code")
    told = only(ran)
    assert (told["verdict"], [one["path"] for one in told["changes"]], ran.code) == row[3:]
    assert ran.json["errors"] == []


@pytest.mark.parametrize(("number", "old", "new", "codes"), WARNED, ids=idents(WARNED))
def test_a_consumer_reads_warnings(number: str, old: str, new: str, codes: list[str]) -> None:
    told = only(diff(number, old, new, "-o", "json"))
    assert sorted({one["code"] for one in told["warnings"]}) == codes


@pytest.mark.parametrize(("number", "old", "new", "errors"), REFUSED, ids=idents(REFUSED))
def test_what_is_refused_stands_under_errors_and_exits_3(
    number: str, old: str, new: str, errors: list[tuple[str, str]]
) -> None:
    ran = diff(number, old, new, "-o", "json", "--exit-code")
    told = ran.json
    assert ran.code == 3
    assert [(one["path"], one["code"]) for one in told["errors"]] == errors
    assert {one["file"].rpartition("/")[2] for one in told["errors"]} == {f"{new}.yaml"}
    assert all(one["verdict"] == "REJECT" for one in told["workloads"])


@pytest.mark.parametrize(("number", "new"), [("26", "after-negative"), ("27", "after-gang-value")])
def test_a_refused_update_is_told_as_reject(number: str, new: str) -> None:
    assert only(diff(number, "before", new, "-o", "json"))["verdict"] == "REJECT"


def test_01_a_changed_amount_is_shown_in_plain_numbers() -> None:
    (change,) = only(diff("01", "before", "after-negative", "-o", "json"))["changes"]
    assert (change["old"], change["new"], change["note"]) == ("1Gi", "1G", "1073741824 -> 1000000000")


def test_15_each_pointer_that_is_written_out_is_a_change() -> None:
    assert len(only(diff("15", "before", "after-negative", "-o", "json"))["changes"]) == 4


def test_30_all_problems_of_a_file_are_told_at_once() -> None:
    for name in ("dup", "upper", "digit", "long", "five"):
        assert diff("30", name, name).code == 3


def test_47_scale_and_restart_are_two_parts() -> None:
    told = only(diff("47", "before", "after", "-o", "json"))["components"]
    parts = [(one["name"], one["verdict"], one["pods"]) for one in told]
    assert parts == [("prefill", "SCALE_ONLY", 0), ("decode", "SCALE_ONLY", 0), ("decode", "RESTART", 5)]


@pytest.mark.parametrize("row", SHOWN[:6], ids=idents(SHOWN[:6]))
def test_text_and_markdown_give_the_same_verdict(row: Shown) -> None:
    shown = [diff(*row[:3], "-o", form).out for form in ("text", "markdown")]
    assert all(f": {row[3]}" in text for text in shown)
    assert all(path in text for text in shown for path in row[4])
