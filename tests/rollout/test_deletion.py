"""Deletion: by two gates, never by mistake (R6)."""

import pytest

from gitops_rollout.api.policy import Deletion, Policy
from gitops_rollout.api.values import Object, at, mapping
from gitops_rollout.rollout.deletion import stop
from gitops_rollout.rollout.draft import Presence
from tests.rollout.stage import HOME, Stage, chat, groups, rolling

PROTECTED = {"argocd.argoproj.io/sync-options", "kustomize.toolkit.fluxcd.io/prune"}


def protected(stage: Stage) -> bool:
    return mapping(at(stage.published, "metadata", "annotations")).keys() >= PROTECTED


def gone() -> Stage:
    """A workload that is published, and whose spec has left the source."""
    return chat().source(None).settle()


def without_seal(published: Object) -> Object:
    return {**published, "metadata": {}}


def test_everything_is_born_protected() -> None:
    assert protected(chat())


def test_options_that_people_gave_to_argo_cd_stay_beside_the_protection() -> None:
    wanted = groups("engine:a")
    options: Object = {"argocd.argoproj.io/sync-options": "Replace=true, Prune=true"}
    stage = Stage({**wanted, "metadata": {**mapping(wanted["metadata"]), "annotations": options}}).settle()
    written = at(stage.published, "metadata", "annotations", "argocd.argoproj.io/sync-options")
    assert written == "Replace=true,Prune=false,Delete=false"


def test_the_first_key_takes_the_protection_off_and_nothing_else() -> None:
    stage = gone()
    before = stage.published
    stage.through("delete")
    assert not protected(stage)
    assert without_seal(stage.published) == without_seal(before)


def test_the_second_key_removes_the_folder_and_nothing_else() -> None:
    stage = gone().through("delete")
    stage.line.commit({"README.md": b"of people", f"{HOME}/OWNERS": b"ada"})
    assert stage.gate is not None
    assert stage.gate.step == "unprotected"
    stage.merge(look=False).look()
    assert stage.line.files.keys() == {"README.md", f"{HOME}/OWNERS"}


def test_a_spec_that_comes_back_withdraws_the_question() -> None:
    for gates in ((), ("delete",)):
        stage = gone().through(*gates).source(groups("engine:a")).settle()
        assert (stage.state.withdraw, stage.gate, protected(stage)) == (None, None, True)


def test_a_spec_that_comes_back_as_its_removal_is_approved_stays() -> None:
    stage = gone().through("delete").merge(look=False).source(groups("engine:a")).settle()
    assert (stage.state.withdraw, stage.image) == (None, "engine:a")


def test_it_outranks_the_gate_of_a_step_and_gives_it_back() -> None:
    stage = rolling("1").source(None).settle()
    assert stage.gate is not None
    assert (stage.gate.step, stage.partition) == ("delete", 3)
    assert stage.source(groups("engine:b")).settle().through("50pct").partition == 2


def test_a_name_that_is_made_again_goes_on_from_the_last_number() -> None:
    stage = gone().through("delete")
    last = stage.state.seq
    stage.merge(look=False).look()
    assert stage.source(groups("engine:c")).settle().state.seq > last + 1


@pytest.mark.parametrize("presence", [Presence.REFUSED, Presence.HELD])
def test_what_cannot_be_read_or_is_held_is_not_gone(presence: Presence) -> None:
    stage = chat()
    stage.wanted, stage.presence = None, presence
    assert (stage.settle().gate, stage.state.withdraw) == (None, None)


def test_what_is_held_after_it_was_asked_is_asked_no_more() -> None:
    stage = gone()
    stage.presence = Presence.HELD
    assert stage.settle().gate is None


def test_keep_keeps() -> None:
    stage = chat(policy=Policy(deletion=Deletion.KEEP)).source(None)
    stage.look()
    assert (stage.gate, stage.state.withdraw, stage.codes) == (None, None, {"KEPT"})


@pytest.mark.parametrize(
    ("published", "most"), [(1, 0), (2, 1), (3, 1), (4, 1), (5, 1), (6, 1), (7, 1), (8, 1), (9, 1), (10, 2)]
)
def test_more_than_one_and_more_than_a_fifth_is_a_mistake(published: int, most: int) -> None:
    items = [("serving", f"chat-{number}") for number in range(published)]
    assert [bool(stop(items[:gone], items)) for gone in range(published + 1)] == [
        gone > most for gone in range(published + 1)
    ]


def test_a_whole_namespace_is_a_mistake_as_well() -> None:
    items = [("serving", "chat"), *(("batch", f"job-{number}") for number in range(9))]
    assert "namespace serving" in stop(items[:1], items)
    assert not stop(items[1:2], items)
