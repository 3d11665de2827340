"""Changes for people: every difference, by name, as it was written, and nothing else."""

import random

import pytest
from hypothesis import given

from gitops_rollout.api.values import Json
from gitops_rollout.api.verdict import Change
from gitops_rollout.documents.load import Limits, load
from gitops_rollout.semantics.canonical import canonical, canonical_bytes
from gitops_rollout.semantics.changes import changes
from gitops_rollout.semantics.types import POD_TEMPLATE, core_types, with_core
from tests.semantics.typed_values import nudged, pod_templates, randoms, respelled
from tests.shared import vectors


def between(old: Json, new: Json) -> tuple[Change, ...]:
    return changes(old, new, POD_TEMPLATE, core_types(), "decode")


def container(text: str) -> Json:
    (document,) = load(f"spec: {{containers: [{{name: main, {text}}}]}}".encode(), Limits())
    return document.value


def same_form(old: Json, new: Json) -> bool:
    forms = [canonical(value, POD_TEMPLATE, core_types()).form for value in (old, new)]
    return canonical_bytes(forms[0]) == canonical_bytes(forms[1])


def test_fuzzed_pairs_change_iff_kubernetes_says_they_differ() -> None:
    rows = vectors("podtemplate-equality-fuzz.json")["cases"]
    assert [row for row in rows if (between(row["a"], row["b"]) == ()) is not row["equal"]] == []


@given(pod_templates, randoms)
def test_no_change_iff_the_forms_are_equal(old: Json, chance: random.Random) -> None:
    new = respelled(nudged(old, POD_TEMPLATE, chance), POD_TEMPLATE, chance)
    assert (between(old, new) == ()) is same_form(old, new)


@given(pod_templates, randoms)
def test_a_respelling_is_no_change(value: Json, chance: random.Random) -> None:
    assert between(value, respelled(value, POD_TEMPLATE, chance)) == ()


@given(pod_templates, pod_templates)
def test_the_way_back_changes_the_same_places(old: Json, new: Json) -> None:
    there = {
        (change.path, repr(change.old), repr(change.new))
        for change in between(old, new)
        if change.note != "order"
    }
    back = {
        (change.path, repr(change.new), repr(change.old))
        for change in between(new, old)
        if change.note != "order"
    }
    assert there == back


@given(pod_templates, pod_templates)
def test_a_change_shows_something(old: Json, new: Json) -> None:
    assert all(change.old is not None or change.new is not None for change in between(old, new))


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("image: a", "image: b", Change("image", "a", "b")),
        ("args: [a, b, c]", "args: [a, x, c]", Change("args[1]", "b", "x")),
        ("args: [a, c]", "args: [a, b, c]", Change("args[1]", None, "b")),
        ("args: [a, b]", "args: [a]", Change("args[1]", "b", None)),
        ("args: ['']", "args: []", Change("args[0]", "", None)),
        ("env: [{name: T, value: a}]", "env: [{name: T, value: b}]", Change("env[T]/value", "a", "b")),
        ("env: []", "env: [{name: T}]", Change("env[T]", None, {"name": "T"})),
        ("env: [{name: A}, {name: B}]", "env: [{name: B}]", Change("env[A]", {"name": "A"}, None)),
        ("stdin: false", "stdin: true", Change("stdin", False, True)),
        ("tty: true", "tty: null", Change("tty", True, None)),
        ("securityContext: {}", "stdin: false", Change("securityContext", {}, None)),
        ("newField: true", "newField: 1", Change("newField", True, 1)),
        ("lifecycle: {preStop: {sleep: {seconds: 1}}}", "lifecycle: {preStop: {sleep: {seconds: 2}}}",
         Change("lifecycle/preStop/sleep/seconds", 1, 2)),
        ("volumeMounts: [{name: v, mountPath: /a}]", "volumeMounts: [{name: w, mountPath: /a}]",
         Change("volumeMounts[/a]/name", "v", "w")),
        ("resources: {limits: {memory: 1Gi}}", "resources: {limits: {memory: 1G}}",
         Change("resources/limits/memory", "1Gi", "1G", "1073741824 -> 1000000000")),
        ("resources: {limits: {nvidia.com/gpu: 1}}", "resources: {}",
         Change("resources/limits[nvidia.com/gpu]", 1, None)),
        ("resources: {limits: {cpu: null}}", "resources: {}", Change("resources/limits/cpu", "0", None)),
    ],
)  # fmt: skip
def test_one_change(old: str, new: str, expected: Change) -> None:
    (change,) = between(container(old), container(new))
    path = f"decode/containers[main]/{expected.path}"
    assert change == Change(path, expected.old, expected.new, expected.note)


def test_metadata_is_shown_and_spec_is_not() -> None:
    new: Json = {"metadata": {"labels": {"app": "x"}}, "spec": {"hostname": "h"}}
    assert [change.path for change in between(None, new)] == ["decode/metadata/labels/app", "decode/hostname"]


def test_a_move_alone_is_one_change_of_the_list() -> None:
    (change,) = between(container("env: [{name: A}, {name: B}]"), container("env: [{name: B}, {name: A}]"))
    assert (change.path, change.note) == ("decode/containers[main]/env", "order only")
    assert change.old == [{"name": "A"}, {"name": "B"}]


def test_a_move_beside_a_change_is_told_by_names() -> None:
    old, new = container("env: [{name: A}, {name: B}]"), container("env: [{name: B, value: x}, {name: A}]")
    assert between(old, new) == (
        Change("decode/containers[main]/env[B]/value", None, "x"),
        Change("decode/containers[main]/env", ["A", "B"], ["B", "A"], "order"),
    )


def test_a_name_that_stands_twice_is_compared_by_position() -> None:
    twice = "env: [{name: T, value: '1'}, {name: O}, {name: T, value: '1'}]"
    (change,) = between(container(twice), container("env: [{name: T, value: '1'}, {name: O}]"))
    assert change == Change("decode/containers[main]/env[2]", {"name": "T", "value": "1"}, None)


def test_elements_without_names_go_by_position() -> None:
    old: Json = {"spec": {"tolerations": [{"key": "a"}, {"key": "b"}]}}
    new: Json = {"spec": {"tolerations": [{"key": "a"}, {"key": "c"}]}}
    assert between(old, new) == (Change("decode/tolerations[1]/key", "b", "c"),)


def test_structs_of_a_kind_are_walked_too() -> None:
    table = with_core({"x.Role": {"name": "s", "entryTemplate": POD_TEMPLATE}})
    old: Json = [{"name": "decode", "entryTemplate": {"spec": {"hostname": "a"}}}]
    new: Json = [{"name": "decode", "entryTemplate": {"spec": {"hostname": "b"}}}]
    found = changes(old, new, ("[]", ("struct", "x.Role")), table, "")
    assert found == (Change("[decode]/entryTemplate/hostname", "a", "b"),)
