"""What holds of every history, whatever people do: G2 1 to 8, R4, R23 and R26, for both kinds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitops_rollout.api.values import Object, at
from gitops_rollout.kinds.protocol import Injection, Kind
from gitops_rollout.revision.history import injected
from gitops_rollout.revision.identity import digest
from gitops_rollout.revision.record import Revision
from gitops_rollout.rollout import follow
from gitops_rollout.semantics.canonical import canonical_bytes
from tests.drawn import drawn
from tests.history.lives import LIVES, Life, Move, lives

both = pytest.mark.parametrize("kind", LIVES)
some = drawn(8)


def form(life: Life, text: Object) -> bytes:
    return canonical_bytes(life.kind.canonical(text))


def serves(life: Life) -> list[str]:
    """Name the revisions that the published object may be rendered from."""
    state, found = life.stage.state, []
    for name in dict.fromkeys(one for one in (state.stable, state.candidate) if one):
        one = life.head.history[name]
        rendered = life.kind.render(one.text, state.accepted.controls, one.injection, state.partition)
        found += [name] if at(rendered, "spec") == at(life.published, "spec") else []
    return found


@both
@some
@given(moves=lives())
def test_g2_1_a_name_is_made_of_content_alone(kind: str, moves: list[Move]) -> None:
    life = LIVES[kind]()
    for _ in life.turns(moves):
        for one in life.head.history:
            full = digest(life.kind.canonical(one.text))
            assert (one.digest, one.id) == (full, f"r{full[:10]}")


@both
@some
@given(moves=lives())
def test_g2_3_an_idle_pass_and_a_restart_write_nothing(kind: str, moves: list[Move]) -> None:
    life = LIVES[kind]()
    for _ in life.turns(moves):
        before = len(life.stage.line.versions)
        life.stage.look()
        assert len(life.stage.line.versions) == before


@both
@some
@given(moves=lives())
def test_g2_4_what_is_recorded_under_a_name_never_changes(kind: str, moves: list[Move]) -> None:
    life = LIVES[kind]()
    before: dict[str, bytes] = {}
    texts: dict[str, Object] = {}
    for _ in life.turns(moves):
        now, after = life.revisions, {one.id: one.text for one in life.head.history}
        assert all(now[path] == before[path] for path in before.keys() & now.keys())
        # One that was pruned and comes back is born anew: its labels are those of today, its text is not.
        assert all(after[name] == texts[name] for name in texts.keys() & after.keys())
        before, texts = now, texts | after


@both
@some
@given(moves=lives())
def test_numbers_of_a_history_are_unique(kind: str, moves: list[Move]) -> None:
    life = LIVES[kind]()
    for _ in life.turns(moves):
        numbers = [one.number for one in life.head.history]
        assert (numbers, min(numbers) > 0) == (sorted(set(numbers)), True)


@both
@some
@given(moves=lives())
def test_g2_6_what_is_referred_to_is_recorded(kind: str, moves: list[Move]) -> None:
    life = LIVES[kind]()
    for _ in life.turns(moves):
        state = life.stage.state
        referred = [one.revision for one in (state.held, state.rejected) if one is not None]
        needed = {state.stable, state.candidate, state.offered, *referred, *state.stables[:1]} - {None}
        assert needed <= {one.id for one in life.head.history}


@both
@some
@given(moves=lives())
def test_g2_7_stable_or_candidate_serves_and_nothing_else(kind: str, moves: list[Move]) -> None:
    life = LIVES[kind]()
    for _ in life.turns(moves):
        assert serves(life)


@both
@some
@given(moves=lives())
def test_g2_8_a_source_equal_to_stable_goes_back_and_makes_no_revision(kind: str, moves: list[Move]) -> None:
    life = LIVES[kind]()
    for _ in life.turns(moves):
        pass
    life.make(("order", "resume"))  # a hold names what the source wants, and outlives its being said again
    stable = life.stage.state.stable
    image = next(name for name in "abcd" if f"engine:{name}" in str(life.head.history[stable].text))
    known = set(life.revisions)
    life.wants(f"engine:{image}", life.replicas)
    state = life.stage.state
    assert (state.stable, state.offered, state.held) == (stable, None, None)
    assert set(life.revisions) <= known


@both
@some
@given(moves=lives(), data=st.data())
def test_g2_5_under_unknown_history_nothing_grows(kind: str, moves: list[Move], data: st.DataObject) -> None:
    life = LIVES[kind]()
    for _ in life.turns(moves):
        pass
    path = data.draw(st.sampled_from(sorted(life.revisions)))
    for version in life.stage.line.versions:
        version.pop(path, None)
    life.stage.line.trees.clear()
    before = life.published
    life.wants("engine:e", life.replicas + 1)
    assert (life.published, life.stage.gate) == (before, None)


@both
@some
@given(moves=lives(), data=st.data())
def test_r26_one_spoiled_file_is_put_back(kind: str, moves: list[Move], data: st.DataObject) -> None:
    life = LIVES[kind]()
    for _ in life.turns(moves):
        pass
    before, revisions, gate = life.published, life.revisions, life.stage.gate
    path = data.draw(st.sampled_from(sorted(life.stage.line.files)))
    life.stage.line.commit({path: data.draw(st.sampled_from([None, b"", b"a: [", b"kind: Other\n"]))})
    life.stage.settle()
    assert at(life.published, "spec") == at(before, "spec")
    asked = life.stage.gate
    assert (life.revisions, asked and asked.step) == (revisions, gate and gate.step)


@both
def test_r4_a_recorded_text_is_published_value_for_value(kind: str) -> None:
    life = LIVES[kind]()
    spec = life.kind.check(life.write("engine:a", 4), "serving").spec
    assert spec is not None
    (only,) = life.head.history
    assert (only.text, only.injection) == (spec.text, Injection({}))


def injects_more(kind: Kind, stable: Revision, text: Object, whole: str | None) -> Injection:
    """Do as a later version might."""
    labels = injected(kind, stable, text, whole).labels
    return Injection({name: {**added, "example.test/later": "1"} for name, added in labels.items()})


@both
@drawn(6)
@given(moves=lives())
def test_r23_a_version_that_injects_more_leaves_what_is_recorded_alone(kind: str, moves: list[Move]) -> None:
    life = LIVES[kind]()
    for _ in life.turns(moves):
        pass
    before, files = life.revisions, life.stage.line.files
    with pytest.MonkeyPatch.context() as later:
        later.setattr(follow, "injected", injects_more)
        life.stage.look()
        assert life.stage.line.files == files
        life.wants("engine:e", life.replicas)
    kept = life.revisions
    assert all(kept[path] == before[path] for path in before.keys() & kept.keys())
