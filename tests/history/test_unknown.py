"""Unknown history blocks what grows, never what shrinks (DESIGN 4, cases 33, 34 and 41)."""

import re

import pytest

from gitops_rollout.api.values import Object, at, mapping, sequence
from gitops_rollout.rollout.draft import Order, Word
from tests.history.past import UNCERTAIN, A, B, C, asked, back_to, file_of, lose, policy, stable_after, to
from tests.rollout.stage import OBJECT, Stage, groups, role_of, roles, rolling

DAMAGES = {
    "cut": (rb"metadata:.*", b""),
    "edited": (rb"engine:", b"engine-"),
    "of a later format": (rb'(gitops-rollout.io/format: )"1"', rb'\1"2"'),
    "of another workload": (rb"workload: chat", b"workload: other"),
    "no object": (rb"\A.+", b"- 1\n"),
    "empty": (rb"\A.+", b""),
}
"""What is found in a recorded revision, and what stands there instead."""


def spoiled(raw: bytes, how: str) -> bytes:
    return re.sub(*DAMAGES[how], raw, flags=re.DOTALL)


def damaged(stage: Stage, image: str, how: str = "cut") -> tuple[str, bytes]:
    """Damage a revision in every version that there ever was."""
    path = file_of(stage, image)
    raw = stage.line.files[path]
    bad = spoiled(raw, how)
    assert bad != raw
    for version in stage.line.versions:
        if path in version:
            version[path] = bad
    stage.line.trees.clear()
    return path, raw


def halfway() -> Stage:
    """A was stable once, B is, and C has shown its first step."""
    return to(stable_after(A, B), C).through("1")


@pytest.mark.parametrize("how", DAMAGES)
@pytest.mark.parametrize("image", [A, B, C])
def test_one_damaged_revision_stops_every_question_and_writes_nothing(image: str, how: str) -> None:
    stage = halfway()
    path, _ = damaged(stage, image, how)
    before = stage.line.files
    assert [one.code for one in stage.look().plan.blocked] == [UNCERTAIN]
    assert (stage.line.files, stage.gate) == (before, None)
    assert stage.last is not None
    assert stage.last.plan.blocked[0].file == path


@pytest.mark.parametrize("image", [A, B, C])
def test_another_revision_and_a_return_to_it_are_not_offered(image: str) -> None:
    stage = halfway()
    lose(stage, image)
    before = stage.line.files
    assert to(stage, "engine:d").line.files == before
    assert stage.look().plan.gate is None


def test_scaling_down_goes_through_and_scaling_up_does_not() -> None:
    stage = halfway()
    path, raw = damaged(stage, A)
    assert replicas(to(stage, C, 3)) == 3
    assert replicas(to(stage, C, 6)) == 3
    assert stage.line.files[path] == spoiled(raw, "cut")


@pytest.mark.parametrize("image", [B, C])
def test_what_cannot_be_rendered_is_not_written_at_all(image: str) -> None:
    stage = halfway()
    lose(stage, image)
    before = stage.line.files
    assert to(stage, C, 3).line.files == before


def test_scaling_down_changes_nothing_else() -> None:
    stage = stable_after(A, B)
    lose(stage, A)
    faster = groups(B, 3, maxUnavailable=2)
    before = stage.line.files
    assert stage.source(faster).settle().line.files == before


def test_a_role_does_not_grow_under_a_smaller_number_of_groups() -> None:
    stage = stable_after(A, B)
    lose(stage, A)
    wanted = groups(B, 3)
    mapping(sequence(at(wanted, "spec", "template", "roles"))[0])["replicas"] = 9
    before = stage.line.files
    assert stage.source(wanted).settle().line.files == before


@pytest.mark.parametrize(("decode", "router", "shown"), [(1, 2, [1, 2]), (1, 3, [3, 2]), (4, 1, [3, 2])])
def test_by_role_what_only_shrinks_goes_through(decode: int, router: int, shown: list[int]) -> None:
    stage = Stage(two_roles(A, 3, 2), policy=policy()).settle()
    stage.source(two_roles(B, 3, 2)).settle().through("1", "50pct", "100pct", "complete")
    lose(stage, A)
    stage.source(two_roles(B, decode, router)).settle()
    assert [role_of(stage.published, name)["replicas"] for name in ("decode", "router")] == shown


def two_roles(image: str, decode: int, router: int) -> Object:
    return roles(
        {"decode": {"image": image, "replicas": decode}, "router": {"image": "router:1", "replicas": router}}
    )


def test_a_role_that_only_stable_has_keeps_its_size() -> None:
    stage = Stage(roles({"decode": {"image": A, "replicas": 3}}, by_role=False), policy=policy()).settle()
    stage.source(roles({"other": {"image": A}}, by_role=False)).settle()
    revision = next(one for one in stage.state.inventory if one.endswith(stage.state.offered or "?"))
    path = next(one for one in stage.line.files if revision.partition("/")[2] in one)
    stage.line.commit({path: None})
    for version in stage.line.versions:
        version.pop(path, None)
    stage.line.trees.clear()
    fewer: Object = roles({"other": {"image": A}}, by_role=False)
    mapping(fewer["spec"])["replicas"] = 1
    stage.source(fewer).settle()
    assert role_of(stage.published, "decode")["replicas"] == 3


def test_the_source_back_to_stable_goes_through() -> None:
    stage = halfway()
    lose(stage, A)
    assert (to(stage, B).image, stage.partition, stage.state.offered) == (B, 3, None)


def test_an_abort_goes_through_and_other_orders_are_refused() -> None:
    stage = halfway()
    lose(stage, A)
    for order in (Order.DECLINE, Order.RESUME, Order(Word.PROMOTE, step="50pct"), back_to(stage, B)):
        assert "abort" in stage.refusal(order)
    stage.look(Order.ABORT)
    assert (stage.image, stage.partition) == (B, 3)


@pytest.mark.parametrize(("image", "offered"), [(A, False), (C, True)])
def test_what_was_aborted_meanwhile_is_not_offered_again_where_it_was_known(
    image: str, offered: bool
) -> None:
    stage = halfway()
    path, raw = lose(stage, image)
    stage.look(Order.ABORT)
    stage.line.commit({path: raw})
    stage.settle().through("complete").settle()
    assert (stage.state.offered is not None) is offered


def held() -> Stage:
    """A rollback to A has shown its first step; B is stable, and a still older revision is lost."""
    stage = stable_after(C, A, B)
    stage.order(back_to(stage, A)).through("1")
    lose(stage, C)
    return stage


def test_a_rollback_that_holds_is_not_turned_round() -> None:
    stage = held()
    before = stage.line.files
    assert to(stage, B).line.files == before


def test_an_abort_of_it_ends_the_hold() -> None:
    stage = held()
    stage.look(Order.ABORT)
    assert (stage.image, stage.partition, stage.state.held) == (B, 3, None)


def test_with_stable_itself_unknown_nothing_is_written_at_all() -> None:
    stage = halfway()
    lose(stage, B)
    before = stage.line.files
    stage.look(Order.ABORT)
    assert to(stage, C, 1).line.files == before


@pytest.mark.parametrize("image", [A, B, C])
def test_it_heals_by_itself_when_the_file_comes_back(image: str) -> None:
    stage = halfway()
    path, raw = lose(stage, image)
    stage.look()
    stage.line.commit({path: raw})
    assert asked(stage.settle()) == "50pct"
    assert (stage.image, stage.partition) == (C, 3)


@pytest.mark.parametrize("image", [A, B, C])
def test_after_a_way_back_in_between_it_heals_too(image: str) -> None:
    stage = halfway()
    path, raw = lose(stage, image)
    to(stage, B)
    stage.line.commit({path: raw})
    assert to(stage, B).through("complete").image == B
    assert stage.state.candidate is None


def test_nothing_is_pruned_beside_it() -> None:
    stage = stable_after(A, B, C)
    lose(stage, A)
    stage.policy = policy(revision_history_limit=0)
    before = stage.line.files
    assert stage.settle().line.files == before


def test_a_gate_that_was_merged_in_between_is_not_forgotten() -> None:
    stage = to(stable_after(A, B), C)
    path, raw = lose(stage, A)
    stage.line.commit(stage.question)
    to(stage, C, 3)
    stage.line.commit({path: raw})
    stage.settle()
    assert (stage.image, stage.state.candidate) == (C, stage.revision(C))


def test_a_merged_gate_shows_no_more_than_it_did() -> None:
    stage = halfway()
    lose(stage, A)
    stage.line.commit(stage.question)
    shown = stage.line.files[OBJECT]
    stage.look()
    assert (stage.line.files[OBJECT], stage.gate) == (shown, None)


def test_the_way_back_of_a_merged_gate_starts_where_it_got_to() -> None:
    stage = halfway()
    lose(stage, A)
    stage.line.commit(stage.question)
    assert (to(stage, B).image, stage.partition) == (B, 2)


def replicas(stage: Stage) -> object:
    return at(stage.published, "spec", "replicas")


@pytest.mark.parametrize("wanted", [B, A, C])
def test_an_object_of_another_kind_in_its_place_has_shown_no_threshold(wanted: str) -> None:
    stage = to(rolling("1", "50pct"), wanted)
    before = stage.published["spec"], asked(stage)
    stage.line.commit({OBJECT: b"kind: Other\n"})
    stage.settle()
    assert (stage.published["spec"], asked(stage)) == before
