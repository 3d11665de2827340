"""What people merge and edit on the output branch, read from its content (R2, R3, R15)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitops_rollout.api.values import Object, at, mapping
from gitops_rollout.documents.emit import emit
from gitops_rollout.documents.load import Limits, load
from gitops_rollout.rollout.draft import Order, Word
from gitops_rollout.rollout.state import State
from tests.drawn import drawn
from tests.rollout.line import Changes, Line
from tests.rollout.stage import FILE, OBJECT, Stage, groups, rolling

A, B, C = "engine:a", "engine:b", "engine:c"


def record(raw: bytes) -> Object:
    (only,) = load(raw, Limits())
    return mapping(only.value)


def forced(stage: Stage, gate: Changes) -> None:
    """Take a gate's side of every conflict; what only we have changed stays as it is."""
    theirs, ours = record(gate[FILE] or b""), record(stage.line.files[FILE])
    merged = {**ours, "fence": theirs["fence"], "approved": theirs["approved"]}
    others = {path: raw for path, raw in gate.items() if path != FILE}
    stage.line.commit({**others, FILE: emit(merged, sort=False).encode()})


def edited(stage: Stage, **changes: object) -> None:
    """Rewrite members of the rollout file by hand."""
    value = {**record(stage.line.files[FILE]), **changes}
    stage.line.commit({FILE: emit(value, sort=False).encode()})  # type: ignore[arg-type]


CHANGES = {
    "back": lambda stage: stage.source(groups(A)).settle(),
    "third": lambda stage: stage.source(groups(C)).settle(),
    "scaled": lambda stage: stage.source(groups(B, 6)).settle(),
    "aborted": lambda stage: stage.order(Order.ABORT),
    "declined": lambda stage: stage.order(Order.DECLINE),
    "next step": lambda stage: stage.merge(),
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("gate", [0, 1, 2])
def test_r2_a_stale_gate_that_is_forced_in_approves_nothing(change: str, gate: int) -> None:
    stage = rolling("1", "50pct")
    CHANGES[change](stage)
    before = stage.state
    forced(stage, stage.asked[gate][1])
    stage.look()
    assert stage.codes & {"GATE_STALE", "PARTITION_RAISED"}
    assert nothing_gained(before, stage.state)


def nothing_gained(before: State, after: State) -> bool:
    """Say that no revision and no step came nearer; where pods go back, they go back from `lowest`."""
    steps = [None, "1", "50pct", "100pct"]
    if after.candidate is not None and after.offered is None:
        return (after.stable, after.candidate) == (before.stable, before.candidate)
    return (
        (after.stable, after.candidate, after.offered) == (before.stable, before.candidate, before.offered)
        and steps.index(after.published.step) <= steps.index(before.published.step)
        and low(after.published.partition) >= low(before.published.partition)
    )


def low(written: object) -> int:
    return written if isinstance(written, int) else 99


@drawn(40)
@given(
    moves=st.lists(st.sampled_from(["merge", "merge", A, B, C, "abort", "retry"]), max_size=8), data=st.data()
)
def test_r15_no_approval_of_the_past_counts_in_any_later_state(moves: list[str], data: st.DataObject) -> None:
    stage = rolling("1")
    for move in moves:
        if move.startswith("engine"):
            stage.source(groups(move)).settle()
        elif move == "merge" and stage.gate is not None:
            stage.merge()
        elif move in ("abort", "retry") and not stage.refusal(Order(Word(move))):
            stage.order(Order(Word(move)))
    before, open_now = stage.state, stage.question
    gate = data.draw(st.sampled_from([one for _, one in stage.asked if one != open_now]))
    forced(stage, gate)
    stage.look()
    assert nothing_gained(before, stage.state)


@pytest.mark.parametrize(
    "change",
    [
        {"attempt": 2},
        {"base": "6-0000000000"},
        {"revision": "r0000000000"},
        {"digest": "0" * 64},
        {"step": "complete"},
        {"allows": {"replicas": 4}},
        {"effect": "0" * 32},
    ],
)
def test_r15_an_approval_with_one_other_word_approves_nothing(change: Object) -> None:
    stage = rolling("1", "50pct")
    question = dict(stage.question)
    value = record(question[FILE] or b"")
    approved = {**mapping(value["approved"]), **change}
    question[FILE] = emit({**value, "approved": approved}, sort=False).encode()
    stage.line.commit(question)
    stage.look()
    assert "GATE_STALE" in stage.codes
    assert stage.in_force == (2, 0, "50pct")


def test_r2_at_most_one_gate_is_open_and_only_the_next_step_is_asked() -> None:
    stage = rolling("1", "50pct", "100pct", "complete")
    assert [gate.step for gate, _ in stage.asked] == ["1", "50pct", "100pct", "complete"]


def test_r3_the_revert_of_an_unread_merge_moves_nothing_and_lowers_lowest() -> None:
    stage = rolling("1")
    before = dict(stage.line.files)
    stage.merge(look=False).line.commit(before)
    assert stage.settle().in_force == (3, 2, "1")
    assert stage.gate is not None
    assert stage.gate.step == "50pct"


@pytest.mark.parametrize(("left", "partition", "step"), [("1", 3, "1"), (None, 4, None)])
def test_r3_an_approval_taken_back_raises_the_partition_and_pulls_nothing_back(
    left: str | None, partition: int, step: str | None
) -> None:
    stage = rolling("1")
    first = record(stage.line.files[FILE])["approved"]
    stage.merge()
    edited(stage, approved=first if left else None)
    stage.look()
    assert stage.in_force == (partition, 2, step)
    assert "PARTITION_RAISED" in stage.codes
    assert stage.settle().gate is not None


def test_r3_after_all_approvals_were_taken_back_the_first_step_is_asked_again() -> None:
    stage = rolling("1", "50pct")
    edited(stage, approved=None)
    stage.settle().through("1", "50pct", "100pct", "complete")
    assert stage.state.stable == stage.revision(B)


def test_r3_what_stands_under_state_is_ours() -> None:
    stage = rolling("1")
    state = mapping(record(stage.line.files[FILE])["state"])
    edited(stage, state={**state, "stable": state["candidate"]})
    stage.look()
    assert "RECORD_RESTORED" in stage.codes
    assert (stage.state.stable, stage.in_force) == (stage.revision(A), (3, 3, "1"))


def test_r3_a_damaged_record_hides_no_other_edit() -> None:
    stage = rolling("1")
    before = stage.published["spec"]
    stage.line.commit({OBJECT: stage.line.files[OBJECT].replace(b"engine:b", b"engine:evil"), FILE: b"{}\n"})
    assert stage.settle().published["spec"] == before


def test_r3_a_removed_folder_is_put_back_whole() -> None:
    stage = rolling("1")
    before = stage.line.files.keys(), stage.published["spec"]
    stage.line.commit(dict.fromkeys(stage.line.files))
    stage.settle()
    assert (stage.line.files.keys(), stage.published["spec"]) == before
    number = at(stage.published, "metadata", "annotations", "gitops-rollout.io/seq")
    assert number == str(stage.state.seq)  # what was taken away may be gone from the cluster (R1)
    assert stage.in_force == (3, 3, "1")


def test_r3_a_record_that_nothing_vouches_for_blocks() -> None:
    stage = Stage(groups(A))
    stage.line.commit({FILE: b"fence: 7-x\n"})
    with pytest.raises(AssertionError, match="RECORD_TAMPERED"):
        stage.settle()


@pytest.mark.parametrize(
    ("partition", "in_force"),
    [(0, (0, 0, "100pct")), (1, (1, 1, "50pct")), (2, (2, 2, "50pct")), (3, (2, 2, "50pct"))],
)
def test_a_lower_partition_by_hand_counts_up_to_what_it_shows(partition: int, in_force: object) -> None:
    stage = rolling("1", "50pct").edit(partition)
    stage.look()
    assert ("STEP_SKIPPED" in stage.codes) is (partition < 2)
    assert stage.in_force == in_force


def test_an_edit_that_was_squashed_into_our_own_commit_is_put_back() -> None:
    stage = rolling("1")
    before = stage.published["spec"]
    edited = stage.line.files[OBJECT].replace(b"engine:b", b"engine:evil")
    files, stage.line = stage.line.files, Line()
    stage.line.commit({**files, OBJECT: edited})
    assert stage.settle().published["spec"] == before


def test_a_gate_merged_together_with_a_lower_partition_counts_like_both() -> None:
    stage = rolling("1").merge(look=False).edit(0).settle()
    assert stage.in_force == (0, 0, "100pct")


def test_a_candidate_written_by_hand_before_its_first_gate_is_put_back() -> None:
    stage = rolling()
    before = stage.published["spec"]
    stage.line.commit({OBJECT: stage.line.files[OBJECT].replace(b"engine:a", b"engine:b")})
    assert stage.settle().published["spec"] == before


def test_true_is_not_one_when_an_edit_is_put_back() -> None:
    stage = rolling("1")
    before = stage.line.files[OBJECT]
    stage.line.commit({OBJECT: before.replace(b"replicas: 1\n", b"replicas: true\n")})
    assert at(stage.settle().published, "spec", "template") == at(record(before), "spec", "template")


@pytest.mark.parametrize("gates", [(), ("1",), ("1", "50pct"), ("1", "50pct", "100pct")])
def test_r28_an_idle_pass_writes_nothing(gates: tuple[str, ...]) -> None:
    stage = rolling(*gates)
    before = len(stage.line.versions)
    stage.look()
    assert len(stage.line.versions) == before


@pytest.mark.parametrize("gates", [("1",), ("1", "50pct"), ("1", "50pct", "100pct")])
def test_r20_every_class_of_change_has_a_merge_of_its_own(gates: tuple[str, ...]) -> None:
    stage = rolling(*gates)
    published = stage.published
    for _ in range(3):
        stage.later(days=1).settle()
    assert stage.published == published
