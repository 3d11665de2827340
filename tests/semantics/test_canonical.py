"""Equal under Kubernetes' semantic equality and equal canonical form: the same thing."""

import hashlib
import os
import random
import subprocess
import sys

import pytest
from hypothesis import given

from gitops_rollout.api.problems import Problem
from gitops_rollout.api.values import Json, Object, mapping
from gitops_rollout.documents.load import Limits, load
from gitops_rollout.semantics.canonical import Typed, alias_conflict, canonical, canonical_bytes, fold_aliases
from gitops_rollout.semantics.types import POD_TEMPLATE, core_types, with_core
from tests.semantics.typed_values import pod_templates, randoms, respelled
from tests.shared import vectors

INTEGER_FOR_STRING = "expected string, got integer; quote it"
NO_QUANTITY = "expected quantity such as 500m or 1Gi, got something else"
NO_TIME = "expected time as in 2006-01-02T15:04:05Z, got something else"


def read(text: str) -> Json:
    return load(text.encode(), Limits())[0].value


def typed(value: Json) -> Typed:
    return canonical(value, POD_TEMPLATE, core_types())


def equal(one: Json, other: Json) -> bool | None:
    """Give None when one of them is not of the type."""
    left, right = typed(one), typed(other)
    if left.problems or right.problems:
        return None
    return canonical_bytes(left.form) == canonical_bytes(right.form)


def test_named_pairs_have_the_verdict_of_kubernetes() -> None:
    # Kubernetes drops what it does not know; we keep it.
    rows = [
        row for row in vectors("podtemplate-equality-named.json")["cases"] if "unknown" not in row["name"]
    ]
    wrong = [
        row["name"] for row in rows if equal(read(row["a_yaml"]), read(row["b_yaml"])) is not row["equal"]
    ]
    assert len(rows) > 60
    assert wrong == []


def test_fuzzed_pairs_have_the_verdict_of_kubernetes() -> None:
    rows = vectors("podtemplate-equality-fuzz.json")["cases"]
    wrong = [row for row in rows if equal(row["a"], row["b"]) is not row["equal"]]
    back = [row for row in rows if equal(row["b"], row["a"]) is not row["equal"]]
    assert wrong == back == []


def test_what_we_do_not_know_is_kept_and_told() -> None:
    one = typed(read("{spec: {containers: [{name: c, newField: {x: null, k: 1.0}}]}}"))
    assert one.unknown == ("spec.containers[0].newField",)
    assert one.form == {"spec": {"containers": [{"name": "c", "newField": {"k": 1}}]}}


def test_an_unknown_null_is_nothing() -> None:
    assert typed({"spec": {"newField": None}}) == Typed({}, (), ())


@given(pod_templates, randoms)
def test_another_spelling_has_the_same_form(value: Json, chance: random.Random) -> None:
    other = respelled(value, POD_TEMPLATE, chance)
    assert canonical_bytes(typed(value).form) == canonical_bytes(typed(other).form)


@given(pod_templates)
def test_values_of_the_type_have_no_problems_and_stay_untouched(value: Json) -> None:
    before = repr(value)
    assert typed(value).problems == ()
    assert repr(value) == before


def test_one_hash_in_every_process() -> None:
    script = (
        "import hashlib, sys\n"
        "from gitops_rollout.semantics.canonical import canonical, canonical_bytes\n"
        "from gitops_rollout.semantics.types import POD_TEMPLATE, core_types\n"
        "labels = {word: word for word in {'b', 'a', 'é', 'z', 'x/y'}}\n"
        "value = {'metadata': {'labels': labels}, 'unknown': {'set': labels}}\n"
        "form = canonical(value, POD_TEMPLATE, core_types()).form\n"
        "print(hashlib.sha256(canonical_bytes(form)).hexdigest())\n"
    )
    runs = [
        subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        )
        for seed in ("0", "1", "42", "4294967295")
    ]
    assert len({run.stdout for run in runs}) == 1
    assert len(runs[0].stdout.strip()) == hashlib.sha256().digest_size * 2


@pytest.mark.parametrize(
    ("yaml", "path", "message"),
    [
        (
            "spec: {containers: [{env: [{value: on}]}]}",
            "spec.containers[0].env[0].value",
            "expected string, got boolean; quote it",
        ),
        ("spec: {containers: [{image: 1}]}", "spec.containers[0].image", INTEGER_FOR_STRING),
        (
            "spec: {containers: [{args: [a, 0.5]}]}",
            "spec.containers[0].args[1]",
            "expected string, got number; quote it",
        ),
        ("spec: {priority: '80'}", "spec.priority", "expected integer, got string; remove the quotes"),
        ("spec: {priority: 1.5}", "spec.priority", "expected integer, got number"),
        ("spec: {priority: 2147483648}", "spec.priority", "integer out of range for int32"),
        (
            "spec: {hostNetwork: 'true'}",
            "spec.hostNetwork",
            "expected boolean, got string; remove the quotes",
        ),
        ("spec: {overhead: {cpu: 1 Gi}}", "spec.overhead.cpu", NO_QUANTITY),
        ("spec: {overhead: {cpu: ''}}", "spec.overhead.cpu", NO_QUANTITY),
        ("spec: {overhead: {cpu: true}}", "spec.overhead.cpu", "expected quantity, got boolean"),
        ("spec: {affinity: x}", "spec.affinity", "expected mapping, got string"),
        ("spec: {containers: {a: b}}", "spec.containers", "expected list, got mapping"),
        ("spec: {nodeSelector: []}", "spec.nodeSelector", "expected mapping, got list"),
        ("metadata: {labels: {a.b/c: 1}}", "metadata.labels[a.b/c]", INTEGER_FOR_STRING),
        ("metadata: {creationTimestamp: x}", "metadata.creationTimestamp", NO_TIME),
        (
            "spec: {containers: [{startupProbe: {tcpSocket: {port: on}}}]}",
            "spec.containers[0].startupProbe.tcpSocket.port",
            "expected integer or string, got boolean",
        ),
    ],
)
def test_a_value_of_another_type_is_told_never_coerced(yaml: str, path: str, message: str) -> None:
    assert typed(read(yaml)).problems == (Problem(path=path, code="TYPE", message=message),)


def test_all_problems_are_found_in_one_pass() -> None:
    problems = typed(
        read("{metadata: {labels: {a: 1}}, spec: {priority: x, hostPID: x, containers: [1]}}")
    ).problems
    assert {problem.path for problem in problems} == {
        "metadata.labels.a",
        "spec.priority",
        "spec.hostPID",
        "spec.containers[0]",
    }


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("2024-01-02T04:04:05+01:00", "2024-01-02T03:04:05Z", True),
        ("2024-01-02T03:04:05.5Z", "2024-01-02T03:04:05.500Z", True),
        ("2024-01-02T03:04:05.5Z", "2024-01-02T03:04:05Z", False),
        ("0001-01-01T00:00:00Z", None, True),
    ],
)
def test_times_are_instants(one: str, other: str | None, same: bool) -> None:
    assert equal({"metadata": {"creationTimestamp": one}}, {"metadata": {"creationTimestamp": other}}) is same


def test_bytes_are_sorted_compact_text() -> None:
    assert canonical_bytes({"b": [1, None], "a": "é<"}) == '{"a":"é<","b":[1,null]}'.encode()


def test_the_deprecated_service_account_is_read_as_the_new_one() -> None:
    live: Object = {"spec": {"serviceAccount": "x", "serviceAccountName": "x"}}
    assert (
        fold_aliases(live)
        == fold_aliases({"spec": {"serviceAccount": "x"}})
        == {"spec": {"serviceAccountName": "x"}}
    )
    assert mapping(live["spec"])["serviceAccount"] == "x"
    assert alias_conflict(live) == ()


def test_two_different_service_accounts_are_told() -> None:
    live: Object = {"spec": {"serviceAccount": "old", "serviceAccountName": "new"}}
    assert fold_aliases(live) == {"spec": {"serviceAccountName": "new"}}
    assert [problem.code for problem in alias_conflict(live)] == ["ALIAS_CONFLICT"]


def test_a_kind_adds_its_structs_to_those_of_core() -> None:
    table = with_core({"x.Role": {"name": "s", "template": POD_TEMPLATE}})
    role = canonical({"name": "", "template": {"spec": {"hostIPC": False}}}, ("struct", "x.Role"), table)
    assert role == Typed({}, (), ())


def test_a_kind_cannot_redefine_a_struct_of_core() -> None:
    with pytest.raises(ValueError, match=r"core\.Container"):
        with_core({"core.Container": {}})
