"""ControllerRevisions: written once, read back whole or not at all (R26)."""

import json
from copy import deepcopy

import pytest
from hypothesis import given

from gitops_rollout.api.problems import Problem
from gitops_rollout.api.values import Json, Object, at, mapping
from gitops_rollout.api.workload import WorkloadKey
from gitops_rollout.documents.emit import emit
from gitops_rollout.documents.load import Limits, load
from gitops_rollout.kinds.modelserving.kind import MODEL_SERVING as KIND
from gitops_rollout.kinds.protocol import Injection
from gitops_rollout.revision.identity import digest, revision_id
from gitops_rollout.revision.record import Revision, controller_revision, read_controller_revision
from gitops_rollout.semantics.canonical import canonical_bytes
from tests.kinds.manifests import accepted, role, serving
from tests.kinds.specs import servings

KEY = WorkloadKey("serving", "ModelServing", "chat")
LABELS = Injection({"*": {"gitops-rollout.io/revision": "r1"}, "decode": {"a": "b"}})


def revision(value: Object | None = None, number: int = 7) -> Revision:
    text = accepted(value or serving(role(replicas=1))).text
    full = digest(KIND.canonical(text))
    return Revision(revision_id(full), full, number, text, LABELS, "c0ffee")


def written() -> Object:
    return controller_revision(KEY, revision())


@given(value=servings())
def test_what_is_written_is_read_back(value: Object) -> None:
    (only,) = load(emit(controller_revision(KEY, revision(value))).encode(), Limits())
    back = read_controller_revision(KEY, only.value)
    assert back == revision(value)
    assert isinstance(back, Revision)
    assert canonical_bytes(back.text) == canonical_bytes(revision(value).text)


def test_the_object_carries_no_label_that_kthena_cleans_up_by() -> None:
    labels = mapping(at(written(), "metadata", "labels"))
    assert all(key.startswith("gitops-rollout.io/") for key in labels)


def test_a_raised_number_changes_nothing_but_the_number() -> None:
    old, new = controller_revision(KEY, revision()), controller_revision(KEY, revision(number=8))
    assert {name for name in old if old[name] != new[name]} == {"revision"}


EDITS: dict[str, tuple[tuple[str, ...], Json]] = {
    "format": (("metadata", "annotations", "gitops-rollout.io/format"), "9"),
    "digest": (("metadata", "annotations", "gitops-rollout.io/digest"), "0" * 64),
    "commit": (("metadata", "annotations", "gitops-rollout.io/commit"), "bad"),
    "injected": (("metadata", "annotations", "gitops-rollout.io/injected"), "{}"),
    "broken": (("metadata", "annotations", "gitops-rollout.io/injected"), "{"),
    "seal": (("metadata", "annotations", "gitops-rollout.io/seal"), None),
    "workload": (("metadata", "labels", "gitops-rollout.io/workload"), "other"),
    "kind": (("metadata", "labels", "gitops-rollout.io/kind"), "Other"),
    "revision": (("metadata", "labels", "gitops-rollout.io/revision"), "r0000000000"),
    "name": (("metadata", "name"), "chat-r0000000000"),
    "number as text": (("revision",), "7"),
    "number as truth": (("revision",), True),
    "data": (("data", "spec", "schedulerName"), "other"),
    "no data": (("data",), None),
    "another label": (("metadata", "labels", "modelserving.volcano.sh/name"), "chat"),
}


@pytest.mark.parametrize("edit", EDITS)
def test_r26_a_recorded_revision_that_was_edited_is_not_used(edit: str) -> None:
    path, value = EDITS[edit]
    edited = deepcopy(written())
    mapping(at(edited, *path[:-1]) if path[:-1] else edited)[path[-1]] = value
    found = read_controller_revision(KEY, edited)
    assert isinstance(found, Problem)
    assert found.code == "HISTORY_UNKNOWN"


@pytest.mark.parametrize("value", [None, [], "text", {}, {"metadata": []}, {"data": {}, "revision": 1}])
def test_what_is_no_revision_is_not_used(value: Json) -> None:
    assert isinstance(read_controller_revision(KEY, value), Problem)


def test_a_revision_of_another_workload_is_not_used() -> None:
    assert isinstance(
        read_controller_revision(WorkloadKey("serving", "ModelServing", "other"), written()), Problem
    )


def test_what_is_injected_is_one_line_of_json() -> None:
    injected = at(written(), "metadata", "annotations", "gitops-rollout.io/injected")
    assert isinstance(injected, str)
    assert json.loads(injected) == LABELS.labels
    assert "\n" not in injected
