"""A hash only names: with one of two bits every decision is the same (G2 2, case 35)."""

from collections.abc import Callable, Iterator

import pytest

from gitops_rollout.revision import history, identity
from gitops_rollout.rollout import baselines, follow
from gitops_rollout.rollout.draft import Head, Order
from tests.history.past import A, B, C, D, back_to, importing, legacy, legacy_role, policy, stable_after, to
from tests.rollout.stage import Stage, groups, rolling


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave two bits of every name of a revision: with five revisions some collide for sure."""
    whole = identity.revision_id

    def cut(full: str, collisions: int = 0) -> str:
        return f"r000000000{int(whole(full)[-1], 16) % 4}" if not collisions else f"r00000000{collisions}x"

    monkeypatch.setattr(history, "revision_id", cut)


Shown = tuple[object, ...]


LIFE = ((B, 4), (C, 1), (D, 4), ("engine:e", 2), (D, 1), (A, 4), (C, 1), ("engine:f", 1))
"""What the source wants, and how many gates are merged then."""


def run() -> list[Shown]:
    """Play a long life of one workload; give what was published, asked and in force after every move."""
    stage = Stage(groups(A), policy=policy(1)).settle()
    return list(_moves(stage))


def _moves(stage: Stage) -> Iterator[Shown]:
    for image, merges in LIFE:
        yield shown(to(stage, image))
        for _ in range(merges):
            if stage.gate is not None:
                yield shown(stage.merge())
    yield shown(stage.order(Order.ABORT))
    yield shown(stage.merge())
    yield shown(stage.order(back_to(stage, B)))
    yield shown(stage.order(importing(legacy({"data": [legacy_role("engine:old")]}))))
    while stage.gate is not None:
        yield shown(stage.merge())


def shown(stage: Stage) -> Shown:
    head = stage.head()
    assert isinstance(head, Head)
    names = {one.id: str(one.text) for one in head.history}
    state = stage.state
    serving = [names.get(one or "") for one in (state.stable, state.candidate, state.offered)]
    asked = stage.gate and (stage.gate.step, stage.gate.partition, names[stage.gate.revision])
    return (
        stage.image,
        stage.in_force,
        state.attempt,
        asked,
        serving,
        sorted(names.values()),
        sorted(stage.codes),
    )


def test_two_bits_of_hash_change_no_decision(request: pytest.FixtureRequest) -> None:
    whole = run()
    request.getfixturevalue("short")
    assert run() == whole
    assert len(whole) > 20


def held() -> Stage:
    stage = stable_after(A, B, under=policy(revision_history_limit=0, window=1))
    return stage.order(back_to(stage, A)).through("all", "complete")


@pytest.mark.parametrize(
    "arrange", [held, rolling, lambda: rolling("1"), lambda: rolling("1").order(Order.ABORT)]
)
def test_22_a_hash_that_drifted_is_no_change(
    arrange: Callable[[], Stage], monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = arrange()
    before = stage.line.files
    for module in (history, follow, baselines):
        monkeypatch.setattr(module, "digest", lambda form: identity.digest(["another version", form]))
    assert stage.settle().line.files == before
    assert stage.source(stage.wanted).settle().line.files == before


@pytest.mark.usefixtures("short")
def test_35_names_that_collide_never_take_another_ones_place() -> None:
    stage = Stage(groups(A), policy=policy()).settle()
    seen: dict[str, bytes] = {}
    for number in range(8):
        to(stage, f"engine:{number}")
        files = {
            path: raw.split(b"\nrevision:")[0]
            for path, raw in stage.line.files.items()
            if "/revisions/" in path
        }
        assert files.items() >= seen.items()
        seen = files
    assert len(seen) == 9


@pytest.mark.usefixtures("short")
def test_35_a_pass_after_a_collision_writes_nothing() -> None:
    stage = Stage(groups(A), policy=policy()).settle()
    for number in range(6):
        to(stage, f"engine:{number}")
        before = len(stage.line.versions)
        stage.look()
        assert len(stage.line.versions) == before
