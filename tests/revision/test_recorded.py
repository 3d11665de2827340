"""History as it stands in the output: rendered from what was recorded, healed, or blocking."""

import pytest
from hypothesis import given

from gitops_rollout.api.values import Object, at
from gitops_rollout.kinds.modelserving.project import source_text
from gitops_rollout.semantics.canonical import canonical_bytes
from tests.drawn import drawn
from tests.kinds.manifests import accepted
from tests.kinds.specs import servings
from tests.rollout.stage import HOME, KIND, Stage, chat, groups, rolling

A, B = "engine:a", "engine:b"


def file_of(stage: Stage, image: str) -> str:
    return f"{HOME}/capacity/revisions/chat-{stage.revision(image)}.yaml"


@drawn(40)
@given(value=servings())
def test_r4_a_first_publication_is_the_source_value_for_value(value: Object) -> None:
    spec = accepted({**value, "metadata": {"name": "chat", "namespace": "serving"}})
    stage = Stage({**value, "metadata": {"name": "chat", "namespace": "serving"}}).settle()
    assert canonical_bytes(source_text(stage.published)) == canonical_bytes(spec.text)


def test_r4_a_respelling_in_mid_rollout_writes_nothing() -> None:
    stage = rolling("1")
    before = stage.line.files
    respelled = groups(B)
    respelled["spec"]["template"]["roles"][0]["entryTemplate"]["spec"]["initContainers"] = []  # type: ignore[index,call-overload]
    assert stage.source(respelled).settle().line.files == before


def test_r23_what_is_injected_stays_what_it_was_at_first() -> None:
    stage = rolling("1", "50pct", "100pct", "complete")
    published = at(stage.published, "spec", "template")
    stage.source(groups("engine:c")).settle().source(groups(B)).settle()
    assert at(stage.published, "spec", "template") == published
    assert at(stage.source(groups(A)).settle().published, "spec", "template") == published


@pytest.mark.parametrize("image", [A, B])
@pytest.mark.parametrize("edit", [b"image: evil", None])
def test_r26_a_damaged_revision_is_healed_from_an_ancestor(image: str, edit: bytes | None) -> None:
    stage = rolling("1")
    path, before = file_of(stage, image), stage.line.files
    raw = before[path]
    stage.line.commit({path: raw.replace(f"image: {image}".encode(), edit) if edit else None})
    stage.settle()
    assert stage.line.files[path] == raw
    assert (stage.image, stage.partition) == (B, 3)


def test_r26_an_edit_of_what_is_injected_restarts_nothing() -> None:
    stage = rolling("1", "50pct", "100pct", "complete")
    published, path = stage.published["spec"], file_of(stage, B)
    stage.line.commit({path: stage.line.files[path].replace(b'\'{"*":', b'\'{"x":')})
    assert stage.settle().published["spec"] == published


def test_a_revision_that_no_version_has_blocks_and_writes_nothing() -> None:
    stage = chat().source(groups(B)).settle()
    path = file_of(stage, A)
    for version in stage.line.versions:
        version.pop(path, None)
    stage.line.trees.clear()
    before = len(stage.line.versions)
    assert stage.source(groups("engine:c")).look().plan.blocked[0].code == "HISTORY_UNKNOWN"
    assert (len(stage.line.versions), stage.gate) == (before, None)


def test_case_39_history_is_pruned_in_a_commit_of_its_own_and_only_at_rest() -> None:
    stage = chat()
    assert stage.policy is not None
    stage.policy = type(stage.policy)(stage.policy.steps, revision_history_limit=0)
    stage.source(groups(B)).settle().through("1", "50pct", "100pct")
    assert len(stage.state.inventory) == 3
    stage.merge(look=False)
    before = len(stage.line.versions)
    stage.look()
    first, second = stage.line.versions[before:]
    assert len(first) == len(second) + 1
    assert [*stage.state.inventory] == [f"ControllerRevision/chat-{stage.revision(B)}", "ModelServing/chat"]


def test_case_39_a_pruned_revision_that_is_wanted_again_is_a_new_one() -> None:
    stage = chat()
    assert stage.policy is not None
    stage.policy = type(stage.policy)(stage.policy.steps, revision_history_limit=0)
    stage.source(groups(B)).settle().through("1", "50pct", "100pct", "complete").settle()
    assert stage.source(groups(A)).settle().gate is not None


def test_the_kind_sees_recorded_and_published_text_as_one() -> None:
    stage = rolling("1")
    head = stage.head()
    recorded = next(one for one in head.history if one.id == stage.state.candidate)  # type: ignore[union-attr]
    rendered = KIND.render(recorded.text, stage.state.accepted.controls, recorded.injection, {"*": 3})
    assert at(stage.published, "spec") == at(rendered, "spec")
