"""What is refused, where, and what only earns a warning."""

import pytest

from gitops_rollout.api.values import Json, Object
from gitops_rollout.documents.load import Limits, Unreadable, load
from gitops_rollout.kinds.modelserving.kind import MODEL_SERVING as KIND
from gitops_rollout.kinds.registry import kind_named, kind_of
from tests.kinds.manifests import (
    BY_ROLE,
    accepted,
    checked,
    in_case,
    pod,
    refused,
    role,
    rolling,
    serving,
    warned,
)
from tests.shared import shared

ROLE = "spec.template.roles[0]"
MAIN = f"{ROLE}.entryTemplate.spec.containers[0]"
ROLLING = "spec.rolloutStrategy.rollingUpdateConfiguration"


def template(**fields: Json) -> Object:
    return {"template": {"roles": [role()], **fields}}


def gang(**least: Json) -> Object:
    return serving(**template(gangPolicy={"minRoleReplicas": dict(least)}))


def plugin(**fields: Json) -> Object:
    return serving(plugins=[{"name": "labels", **fields}])


CASES = [
    ("02", "after-unquoted", f"{MAIN}.env[0].value", "TYPE"),
    ("18", "quoted", f"{MAIN}.readinessProbe.httpGet.port", "PORT"),
    ("18", "bad-container-port", f"{MAIN}.ports[0].containerPort", "TYPE"),
    ("30", "dup", "spec.template.roles[1].name", "DUPLICATE_NAME"),
    ("30", "upper", f"{ROLE}.name", "NAME"),
    ("30", "digit", f"{ROLE}.name", "NAME"),
    ("30", "long", f"{ROLE}.name", "NAME_TOO_LONG"),
    ("30", "five", "spec.template.roles", "RANGE"),
    ("31", "over", f"{ROLE}.name", "NAME_TOO_LONG"),
    ("32", "bad-name", f"{ROLE}.name", "NAME"),
    ("32", "bad-image", f"{MAIN}.image", "IMAGE"),
    ("43", "bad-110", f"{ROLLING}.partition", "INT_OR_PERCENT"),
    ("43", "bad-string", f"{ROLLING}.partition", "INT_OR_PERCENT"),
    ("43", "bad-fraction", f"{ROLLING}.partition", "INT_OR_PERCENT"),
    ("43", "bad-negative", f"{ROLLING}.partition", "INT_OR_PERCENT"),
    ("43", "bad-maxunavailable", f"{ROLLING}.maxUnavailable", "RANGE"),
    ("43", "bad-role-strategy", ROLLING, "STRATEGY"),
]


@pytest.mark.parametrize(("number", "name", "path", "code"), CASES)
def test_public_cases_are_refused_at_their_path(number: str, name: str, path: str, code: str) -> None:
    assert refused(in_case(number, name)) == [(path, code)]


PARTITION, SURGE = f"{ROLLING}.partition", f"{ROLLING}.maxSurge"
WORKERS = f"{ROLE}.workerTemplate"

REFUSALS: list[tuple[Object, str, str]] = [
    ({**serving(), "metadata": {"generateName": "chat-"}}, "metadata.name", "REQUIRED"),
    ({**serving(), "metadata": {"name": "Chat"}}, "metadata.name", "NAME"),
    ({**serving(), "metadata": {"name": "c", "namespace": "a_b"}}, "metadata.namespace", "NAME"),
    ({**serving(), "metadata": {"name": "c", "labels": {"a": "b c"}}}, "metadata.labels[a]", "LABEL"),
    ({**serving(), "metadata": {"name": "c", "labels": {"-a": "b"}}}, "metadata.labels[-a]", "LABEL"),
    ({**serving(), "apiVersion": "workload.serving.volcano.sh/v2"}, "apiVersion", "KIND"),
    (serving(template={"roles": []}), "spec.template.roles", "REQUIRED"),
    (serving(template={}), "spec.template.roles", "REQUIRED"),
    (serving(role("")), f"{ROLE}.name", "REQUIRED"),
    (serving(role(workerReplicas=None)), f"{ROLE}.workerReplicas", "REQUIRED"),
    (serving(role(workerReplicas=1)), WORKERS, "REQUIRED"),
    (serving(role(workerReplicas=-1)), f"{ROLE}.workerReplicas", "RANGE"),
    (serving(role(entryTemplate=None)), f"{ROLE}.entryTemplate", "REQUIRED"),
    (serving(role(entryTemplate={"spec": {}})), f"{ROLE}.entryTemplate.spec.containers", "REQUIRED"),
    (serving(role(replicas=-1)), f"{ROLE}.replicas", "RANGE"),
    (serving(replicas=-1), "spec.replicas", "RANGE"),
    (serving(replicas="4"), "spec.replicas", "TYPE"),
    (serving(replicas=2**31), "spec.replicas", "TYPE"),
    (serving(revisionHistoryLimit=-1), "spec.revisionHistoryLimit", "RANGE"),
    (serving(recoveryPolicy="Restart"), "spec.recoveryPolicy", "ENUM"),
    (serving(rolloutStrategy={"type": "Rolling"}), "spec.rolloutStrategy.type", "ENUM"),
    (serving(rolloutStrategy=rolling(partition=" 50%")), PARTITION, "INT_OR_PERCENT"),
    (serving(rolloutStrategy=rolling(partition="%")), PARTITION, "INT_OR_PERCENT"),
    (serving(rolloutStrategy=rolling(partition=-1.0)), PARTITION, "INT_OR_PERCENT"),
    (serving(rolloutStrategy=rolling(partition=1.5)), PARTITION, "TYPE"),
    (serving(rolloutStrategy=rolling(partition="-1")), PARTITION, "INT_OR_PERCENT"),
    (serving(rolloutStrategy=rolling(partition="٥%")), PARTITION, "INT_OR_PERCENT"),
    (serving(rolloutStrategy=rolling(partition=True)), PARTITION, "TYPE"),
    (serving(rolloutStrategy=rolling(maxSurge="101%")), SURGE, "INT_OR_PERCENT"),
    (serving(rolloutStrategy=rolling(maxUnavailable=0)), f"{ROLLING}.maxUnavailable", "RANGE"),
    (serving(role(partition=1)), f"{ROLE}.partition", "STRATEGY"),
    (serving(role(maxSurge=1)), f"{ROLE}.maxSurge", "STRATEGY"),
    (serving(role(maxUnavailable=2)), f"{ROLE}.maxUnavailable", "RANGE"),
    (serving(role(maxUnavailable="40%"), rolloutStrategy=BY_ROLE), f"{ROLE}.maxUnavailable", "RANGE"),
    (
        serving(rolloutStrategy=BY_ROLE, recoveryPolicy="ServingGroupRecreate"),
        "spec.recoveryPolicy",
        "STRATEGY",
    ),
    (gang(ghost=1), "spec.template.gangPolicy.minRoleReplicas.ghost", "UNKNOWN_ROLE"),
    (gang(decode=2), "spec.template.gangPolicy.minRoleReplicas.decode", "RANGE"),
    (plugin(scope={"roles": ["ghost"]}), "spec.plugins[0].scope.roles[0]", "UNKNOWN_ROLE"),
    (plugin(scope={"target": "Both"}), "spec.plugins[0].scope.target", "ENUM"),
    (plugin(type="Wasm"), "spec.plugins[0].type", "ENUM"),
    (plugin(name=""), "spec.plugins[0].name", "REQUIRED"),
    (
        serving(**template(networkTopology={"rolePolicy": {"mode": "firm"}})),
        "spec.template.networkTopology.rolePolicy.mode",
        "ENUM",
    ),
    (serving(role(entry=pod(" "))), f"{MAIN}.image", "IMAGE"),
    (serving(role(entry=pod("engine: 1"))), f"{MAIN}.image", "IMAGE"),
    (serving(role(entry=pod(ports=[{"containerPort": 0}]))), f"{MAIN}.ports[0].containerPort", "PORT"),
    (serving(role(entry=pod(ports=[{"name": "http"}]))), f"{MAIN}.ports[0].containerPort", "REQUIRED"),
    (serving(role(entry=pod(ports=[{"containerPort": 1, "name": "1-1"}]))), f"{MAIN}.ports[0].name", "PORT"),
    (serving(role(entry=pod(resources={"limits": {"cpu": "1 Gi"}}))), f"{MAIN}.resources.limits.cpu", "TYPE"),
    (serving(role(entry=pod(resources={"limits": {"cpu": ""}}))), f"{MAIN}.resources.limits.cpu", "TYPE"),
    (
        serving(role(entry={**pod(), "metadata": {"labels": {"gitops-rollout.io/revision": "x"}}})),
        f"{ROLE}.entryTemplate.metadata.labels[gitops-rollout.io/revision]",
        "RESERVED_KEY",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("value", "path", "code"), REFUSALS, ids=[f"{r[1]}:{r[2]}" for r in REFUSALS])
def test_what_kthena_would_refuse_is_refused_with_its_path(value: Object, path: str, code: str) -> None:
    assert refused(value) == [(path, code)]


@pytest.mark.parametrize(
    "value",
    [
        serving(role(replicas=0), rolloutStrategy=BY_ROLE),
        serving(rolloutStrategy=rolling(maxUnavailable="20%", maxSurge=1)),
        serving(rolloutStrategy=rolling(maxUnavailable=0, maxSurge="1%")),
        serving(replicas=0, rolloutStrategy=rolling(maxUnavailable="50%")),
        serving(rolloutStrategy=rolling(partition=2.0)),
        serving(role(workerTemplate={"spec": {"containers": []}})),
        serving(role(entry=pod(ports=[{"containerPort": 8000, "name": "8k"}]))),
        serving(schedulerName=""),
    ],
)
def test_what_kthena_takes_is_accepted(value: Object) -> None:
    assert accepted(value)


@pytest.mark.parametrize(("number", "name"), [("31", "fits"), ("42", "ms-zero"), ("42", "ms-above")])
def test_public_cases_that_only_look_wrong_are_accepted(number: str, name: str) -> None:
    assert accepted(in_case(number, name))


WARNINGS: list[tuple[Object, list[tuple[str, str]]]] = [
    (serving(turbo=True), [("spec.turbo", "UNKNOWN_FIELD")]),
    (serving(role(colour="red")), [(f"{ROLE}.colour", "UNKNOWN_FIELD")]),
    (serving(role(entry=pod(gpu=1))), [(f"{MAIN}.gpu", "UNKNOWN_FIELD")]),
    (serving(rolloutStrategy=rolling(partition="100%")), [(PARTITION, "PAUSED_BY_PARTITION")]),
    (serving(role(partition=1), rolloutStrategy=BY_ROLE), [(f"{ROLE}.partition", "PAUSED_BY_PARTITION")]),
    (serving(role(entry=pod(env=[{"name": "A"}, {"name": "A"}]))), [(f"{MAIN}.env[1]", "DUPLICATE_ENV")]),
    (serving(role(entry=pod(env=[{"name": "GROUP_SIZE"}]))), [(f"{MAIN}.env[0]", "NO_EFFECT")]),
    (
        serving(role(entry={"spec": {"schedulerName": "x", "containers": [{"name": "m"}]}})),
        [(f"{ROLE}.entryTemplate.spec.schedulerName", "NO_EFFECT")],
    ),
    (
        {**serving(), "metadata": {"name": "c", "finalizers": ["x"]}},
        [("metadata.finalizers", "NOT_PUBLISHED")],
    ),
    (serving(), []),
]  # fmt: skip


@pytest.mark.parametrize(("value", "warnings"), WARNINGS)
def test_what_goes_on_is_still_told(value: Object, warnings: list[tuple[str, str]]) -> None:
    assert warned(value) == warnings


@pytest.mark.parametrize(
    ("field", "entries"),
    [
        ("containers", [{"name": "main"}, {"name": "main"}]),
        ("initContainers", [{"name": "main"}]),
        ("volumes", [{"name": "cache"}, {"name": "cache"}]),
    ],
)
def test_17_names_that_must_differ_are_refused(field: str, entries: list[Json]) -> None:
    entry: Object = {"spec": {"containers": [{"name": "main"}], field: entries}}
    assert [code for _, code in refused(serving(role(entry=entry)))] == ["DUPLICATE_NAME"]


def test_30_all_problems_are_told_in_one_pass() -> None:
    value = serving(role("Bad", replicas=-1), role("Bad"), recoveryPolicy="x", replicas="4")
    assert {code for _, code in refused(value)} == {"NAME", "RANGE", "DUPLICATE_NAME", "ENUM", "TYPE"}


def test_31_the_message_shows_the_generated_name_and_its_length() -> None:
    (problem,) = checked(in_case("31", "over")).problems
    assert "-3-decode-1-0" in problem.message
    assert "64 characters" in problem.message


def test_31_scaling_can_make_a_name_too_long() -> None:
    name = "c" * 50
    assert accepted({**serving(replicas=9), "metadata": {"name": name}})
    assert refused({**serving(replicas=10), "metadata": {"name": name}}) == [
        (f"{ROLE}.name", "NAME_TOO_LONG")
    ]


def test_32_the_message_shows_the_code_point() -> None:
    (problem,) = checked(in_case("32", "bad-name")).problems
    assert "U+0435 (CYRILLIC SMALL LETTER IE)" in problem.message


def test_18_the_message_says_what_to_do() -> None:
    (problem,) = checked(in_case("18", "quoted")).problems
    assert problem.message == '"8000" is a name without a letter; remove the quotes'


def test_a_document_without_namespace_is_in_the_default_one() -> None:
    spec = accepted({**serving(), "metadata": {"name": "chat"}})
    assert (spec.key.namespace, spec.key.kind, spec.key.name) == ("default", "ModelServing", "chat")


@pytest.mark.parametrize(
    "value", [{}, {"spec": []}, {"spec": {"template": "x"}}, {"metadata": 7, "spec": None}]
)
def test_a_document_of_any_shape_gets_an_answer(value: Object) -> None:
    assert checked(value).problems


def test_the_registry_knows_kinds_by_group_and_by_the_words_people_type() -> None:
    assert kind_of(serving()) is KIND
    assert kind_of({"apiVersion": "apps/v1", "kind": "Deployment"}) is None
    assert {kind_named(word) for word in ("ms", "MS", "ModelServing")} == {KIND}


def test_every_real_manifest_gets_an_answer() -> None:
    refusals = [checked(value).problems for value in _real()]
    assert len(refusals) > 20
    # One file is a template whose counts are still placeholders.
    assert len([problems for problems in refusals if problems]) <= 1


def _real() -> list[Object]:
    found: list[Object] = []
    for path in sorted(shared("data", "kthena").rglob("*.yaml")):
        if "crds" in path.parts:
            continue
        try:
            documents = load(path.read_bytes(), Limits())
        except Unreadable:
            continue
        values = [document.value for document in documents]
        found += [value for value in values if isinstance(value, dict) and kind_of(value) is KIND]
    return found
