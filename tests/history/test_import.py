"""History of an older Kthena becomes baselines (Kthena #1799, cases 23 and 34)."""

import pytest

from gitops_rollout.api.policy import Policy
from gitops_rollout.api.values import Json, Object, at, mapping
from gitops_rollout.rollout.draft import Head, Order, Word
from tests.history.past import UNCERTAIN, A, B, C, asked, importing, legacy, legacy_role, lose, owner, to
from tests.rollout.stage import Stage, groups, role_of, rolling

OLD = "engine:old"


def plugged(image: str = A, replicas: int = 1) -> Object:
    """The usual workload with a plugin."""
    value = groups(image)
    spec = mapping(value["spec"])
    return {
        **value,
        "spec": {**spec, "plugins": [{"name": "p", "type": "BuiltIn", "config": {"n": replicas}}]},
    }


def published(wanted: Object) -> Stage:
    return Stage(wanted).settle()


def imported(*objects: Json, wanted: Object | None = None) -> Stage:
    return published(wanted or plugged()).order(importing(*(objects or (legacy(),))))


def baselines(stage: Stage) -> list[tuple[str, str]]:
    return [(one.source, one.uid) for one in stage.state.baselines]


def changed(value: Object, *path: str, to: Json) -> Object:
    """Give the object with another value at a path; None takes it out."""
    first, *rest = path
    inner = changed(mapping(value.get(first)), *rest, to=to) if rest else to
    return {
        **{name: one for name, one in value.items() if name != first},
        **({first: inner} if inner is not None else {}),
    }


def test_what_runs_is_not_moved_and_becomes_its_own_baseline() -> None:
    stage = published(plugged())
    before = stage.published
    stage.order(importing(legacy()))
    assert (stage.published, stage.gate, baselines(stage)) == (before, None, [("chat-7d9f", "u-1")])
    assert stage.state.baselines[0].revision == stage.state.stable


def test_an_older_one_is_recorded_below_what_serves_with_the_plugins_of_today() -> None:
    stage = imported(legacy({"data": [legacy_role(OLD)]}))
    head = stage.head()
    assert isinstance(head, Head)
    old, current = head.history
    assert (old.id, current.id) == (stage.revision(OLD), stage.state.stable)
    assert at(old.text, "spec", "plugins") == at(plugged(), "spec", "plugins")
    assert old.number < current.number


@pytest.mark.parametrize(
    "data",
    [
        {"data": [legacy_role()]},
        {"data": {"roles": [legacy_role()]}},
        [legacy_role()],
        {"roles": [legacy_role()]},
    ],
)
def test_every_form_of_the_old_data_is_read(data: Json) -> None:
    stage = imported(legacy(data))
    assert stage.state.baselines[0].revision == stage.state.stable


def test_data_of_version_1_keeps_its_own_plugins() -> None:
    data: Object = {
        "spec": {"plugins": [], "schedulerName": "default-scheduler", "template": {"roles": [legacy_role()]}}
    }
    one = changed(
        legacy(data), "metadata", "annotations", to={"modelserving.volcano.sh/revision-data-version": "v1"}
    )
    stage = imported(one)
    assert stage.state.baselines[0].revision != stage.state.stable


@pytest.mark.parametrize("again", [False, True])
def test_a_later_edit_of_a_plugin_is_seen_against_it(again: bool) -> None:
    stage = imported()
    if again:
        stage.order(importing(legacy()))
    assert asked(stage.source(plugged(replicas=2)).settle()) == "1"
    assert stage.state.stable == stage.state.baselines[0].revision


def test_the_same_import_again_writes_nothing() -> None:
    stage = imported(legacy(), legacy({"data": [legacy_role(OLD)]}, "chat-6c", number=0))
    before = len(stage.line.versions)
    stage.order(importing(legacy()))
    assert len(stage.line.versions) == before


def test_the_same_import_again_writes_nothing_after_the_plugins_have_changed() -> None:
    stage = imported().source(plugged(replicas=2)).settle().through("1", "50pct", "100pct", "complete")
    before = len(stage.line.versions)
    stage.order(importing(legacy()))
    assert len(stage.line.versions) == before


def test_a_recreated_object_is_another_one() -> None:
    assert "u-1" in imported().refusal(importing(legacy(uid="u-2")))
    assert imported().refusal(importing(legacy(name="chat-new", uid="u-2")))
    assert published(plugged()).refusal(importing(legacy(), legacy(name="chat-new", uid="u-2")))


def test_another_content_under_a_known_name_is_refused() -> None:
    stage = imported()
    assert "other content" in stage.refusal(importing(legacy({"data": [legacy_role(OLD)]})))


REFUSED: dict[str, tuple[Object, str]] = {
    "ownerless": (changed(legacy(), "metadata", "ownerReferences", to=[]), "nothing owns it"),
    "owned, not controlled": (
        changed(legacy(), "metadata", "ownerReferences", to=[{**owner(), "controller": False}]),
        "nothing owns it",
    ),
    "another kind": (
        changed(legacy(), "metadata", "ownerReferences", to=[owner(kind="StatefulSet")]),
        "StatefulSet",
    ),
    "another name": (changed(legacy(), "metadata", "ownerReferences", to=[owner(name="other")]), "other"),
    "no uid": (changed(legacy(), "metadata", "ownerReferences", to=[owner(uid="")]), "UID"),
    "no roles": (legacy({"data": []}), "no roles"),
    "no data": (legacy({}), "no roles"),
    "a role without a template": (legacy({"data": [{"name": "decode"}]}), "no roles"),
    "one role twice": (legacy({"data": [legacy_role(), legacy_role()]}), "no roles"),
    "a later version": (
        changed(
            legacy(), "metadata", "annotations", to={"modelserving.volcano.sh/revision-data-version": "v9"}
        ),
        "v9",
    ),
}


@pytest.mark.parametrize("which", REFUSED)
def test_what_is_not_certain_is_refused_with_its_reason(which: str) -> None:
    value, why = REFUSED[which]
    stage = published(plugged())
    assert why in stage.refusal(importing(value))
    assert "chat-7d9f" in stage.refusal(importing(legacy(name="chat-0"), value))


@pytest.mark.parametrize(
    "value",
    [
        changed(legacy(), "metadata", "labels", to={"app": "chat"}),
        changed(legacy(), "metadata", "namespace", to="elsewhere"),
        {**legacy(), "kind": "Pod"},
        {**legacy(), "apiVersion": "v1"},
        "words",
        None,
    ],
)
def test_what_is_no_history_of_it_is_left_alone(value: Json) -> None:
    stage = published(plugged())
    assert "no ControllerRevision" in stage.refusal(importing(value))
    assert baselines(stage.order(importing(value, legacy()))) == [("chat-7d9f", "u-1")]


def test_an_object_without_a_namespace_is_of_the_one_that_was_listed() -> None:
    assert baselines(imported(changed(legacy(), "metadata", "namespace", to=None)))


def test_one_can_be_gone_back_to() -> None:
    stage = imported(legacy({"data": [legacy_role(OLD)]}))
    stage.order(Order(Word.ROLLBACK, revision=stage.revision(OLD))).through(
        "1", "50pct", "100pct", "complete"
    )
    assert (stage.image, at(stage.published, "spec", "plugins")) == (OLD, at(plugged(), "spec", "plugins"))


def test_one_is_never_pruned() -> None:
    stage = imported(legacy({"data": [legacy_role(OLD)]}))
    stage.policy = Policy(revision_history_limit=0)
    to(stage, B).through("all", "complete")
    assert stage.revision(OLD) == stage.state.baselines[0].revision
    assert len(stage.state.inventory) == 3


def test_one_that_is_lost_blocks_and_is_not_made_anew() -> None:
    stage = imported(legacy({"data": [legacy_role(OLD)]}))
    path, raw = lose(stage, OLD)
    before = stage.line.files
    assert to(stage, C).look().plan.blocked[0].code == UNCERTAIN
    assert stage.refusal(importing(legacy({"data": [legacy_role(OLD)]})))
    assert (stage.line.files, stage.gate) == (before, None)
    stage.line.commit({path: raw})
    assert asked(stage.settle()) == "1"


def test_in_mid_rollout_it_moves_nothing() -> None:
    stage = rolling("1")
    before = stage.published["spec"], stage.gate
    stage.order(importing(legacy({"data": [legacy_role(OLD)]})))
    assert (stage.published["spec"], stage.gate) == before
    assert stage.through("50pct", "100pct", "complete").image == B


def test_the_objects_that_are_read_stay_as_they_are() -> None:
    value, again = legacy(), legacy()
    assert role_of(imported(value).published, "decode")
    assert value == again
