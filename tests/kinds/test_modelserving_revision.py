"""What is part of a revision, of which role, and what is not."""

import os
import subprocess
import sys

import pytest

from gitops_rollout.api.values import Json, Object, at, mapping
from gitops_rollout.kinds.modelserving.kind import MODEL_SERVING as KIND
from gitops_rollout.semantics.canonical import canonical_bytes
from tests.kinds.manifests import BY_ROLE, accepted, pod, role, rolling, serving

PREFILL, DECODE = role("prefill"), role("decode", pod("engine:2"))
BUSY = role(workerReplicas=2, workerTemplate=pod("worker:1"))


def form(value: Object) -> bytes:
    return canonical_bytes(KIND.canonical(accepted(value).text))


def differing(old: Object, new: Object) -> set[str]:
    """Name the roles whose projections differ."""
    before, after = (KIND.components(accepted(value).text) for value in (old, new))
    return {name for name in before if canonical_bytes(before[name]) != canonical_bytes(after[name])}


def plugins(*written: Object) -> Object:
    return serving(PREFILL, DECODE, plugins=[*written])


def labels(config: Json = None, **scope: Json) -> Object:
    return {"name": "labels", "config": config, "scope": {**scope}}


SAME: list[tuple[Object, Object]] = [
    (serving(), serving(schedulerName="volcano")),
    (serving(), serving(schedulerName=None)),
    (serving(schedulerName=""), serving(schedulerName="default-scheduler")),
    (serving(), serving(plugins=None)),
    (serving(PREFILL, DECODE), serving(DECODE, PREFILL)),
    (serving(), serving(role(replicas=3))),
    (serving(), serving(role(partition=1), rolloutStrategy=BY_ROLE)),
    (serving(), serving(recoveryPolicy="None", revisionHistoryLimit=2)),
    (serving(), serving(role(entry=pod(env=[{"name": "ENTRY_ADDRESS", "value": "x"}])))),
    (serving(), serving(role(entry={"spec": {**mapping(pod()["spec"]), "schedulerName": "x"}}))),
    (serving(), serving(role(workerTemplate=pod("other:1")))),
    (plugins(labels(target="All")), plugins(labels())),
    (plugins(labels(target="Entry")), plugins(labels())),
    (plugins(labels({"a": 1, "b": 2})), plugins(labels({"b": 2, "a": 1}))),
    (plugins(labels({"a": 1})), plugins(labels({"a": 1.0}))),
    (plugins(labels(None)), plugins({"name": "labels", "type": "BuiltIn"})),
    (plugins(labels(roles=["prefill", "decode"])), plugins(labels(roles=["decode", "prefill", "decode"]))),
]  # fmt: skip

DIFFERENT: list[tuple[Object, Object]] = [
    (serving(), serving(schedulerName="")),
    (serving(), serving(role(entry=pod(env=[{"name": "SIZE", "value": "x"}])))),
    (serving(), serving(turbo=True)),
    (serving(turbo=1), serving(turbo=True)),
    (serving(BUSY), serving({**BUSY, "workerReplicas": 3})),
    (serving(BUSY), serving({**BUSY, "workerTemplate": pod("worker:2")})),
    (plugins(labels({})), plugins(labels(None))),
    (plugins(labels({"a": 1})), plugins(labels({"a": True}))),
    (plugins(labels({"a": 1})), plugins(labels({"a": "1"}))),
    (plugins(labels({"a": [1, 2]})), plugins(labels({"a": [2, 1]}))),
    (plugins(labels({"a": 9007199254740993})), plugins(labels({"a": 9007199254740992}))),
    (plugins(labels({"a": 1}), {"name": "b"}), plugins({"name": "b"}, labels({"a": 1}))),
]  # fmt: skip


@pytest.mark.parametrize(("one", "other"), SAME)
def test_these_are_one_revision(one: Object, other: Object) -> None:
    assert form(one) == form(other)


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_these_are_two_revisions_and_the_update_says_why(one: Object, other: Object) -> None:
    assert form(one) != form(other)
    assert KIND.impact(accepted(one), accepted(other)).changes


@pytest.mark.parametrize(
    ("old", "new", "roles"),
    [
        (plugins(labels(1, roles=["prefill"])), plugins(labels(2, roles=["prefill"])), {"prefill"}),
        (plugins(labels(1, roles=["prefill"])), plugins(labels(1, roles=["prefill", "decode"])), {"decode"}),
        (plugins(labels(1, target="Worker")), plugins(labels(2, target="Worker")), set()),
        (plugins(), plugins(labels(1)), {"prefill", "decode"}),
        (serving(PREFILL, DECODE), serving(PREFILL, role("decode", pod("engine:3"))), {"decode"}),
        (serving(PREFILL, DECODE), serving(PREFILL, DECODE, turbo=True), {"prefill", "decode"}),
    ],
)  # fmt: skip
def test_a_change_reaches_the_roles_that_it_concerns(old: Object, new: Object, roles: set[str]) -> None:
    assert differing(old, new) == roles


def test_the_text_keeps_order_spelling_and_absence() -> None:
    entry = pod(resources={"limits": {"memory": "1024Mi", "cpu": "1000m"}}, env=[])
    spec = accepted(serving(DECODE, role("prefill", entry, replicas=2), rolloutStrategy=rolling(partition=1)))
    assert list(spec.text) == ["apiVersion", "kind", "spec"]
    assert spec.text["spec"] == {"template": {"roles": [DECODE, role("prefill", entry)]}}


def test_16_one_hash_whatever_the_hash_seed() -> None:
    value = serving(PREFILL, DECODE, plugins=[labels({"a": 1, "b": {"c": 2, "d": None}})])
    program = (
        "import sys; from tests.kinds.test_modelserving_revision import form;"
        f"sys.stdout.buffer.write(form({value!r}))"
    )
    seen = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": str(seed)},
            capture_output=True,
            check=True,
        ).stdout
        for seed in (1, 2, 3)
    }
    assert seen == {form(value)}


def test_unknown_fields_of_the_object_are_kept_but_its_metadata_is_not() -> None:
    spec = accepted({**serving(), "extra": {"a": 1}, "status": {"replicas": 1}})
    assert at(spec.text, "extra", "a") == 1
    assert not {"metadata", "status"} & spec.text.keys()
