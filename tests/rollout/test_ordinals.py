"""Down to Kthena's ordinals: what runs where, right after a merge and in the end."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitops_rollout.api.workload import WHOLE
from tests.rollout.kthena import Group, Kthena
from tests.rollout.play import Move, Play
from tests.rollout.stage import KIND, accepted, groups

MERGE: Move = ("merge", None)
A, B, C = "engine:a", "engine:b", "engine:c"


def played(*moves: Move, replicas: int = 4) -> Play:
    """Make moves, each followed by a pass and by a controller that comes to rest."""
    play = Play(replicas=replicas)
    for move in moves:
        play.move(move)
        play.look()
        play.kthena.settle()
    return play


def runs(play: Play) -> str:
    """Give one letter an ordinal, from 0 up."""
    return "".join(revision.partition("engine:")[2][0] for revision in play.kthena.revisions())


TO_B: Move = ("image", B)
UP_TO_50: tuple[Move, ...] = (TO_B, MERGE, MERGE)


@pytest.mark.parametrize(
    ("merges", "ordinals"), [(0, "aaaa"), (1, "aaab"), (2, "aabb"), (3, "bbbb"), (4, "bbbb")]
)
def test_each_gate_moves_exactly_the_ordinals_that_it_names(merges: int, ordinals: str) -> None:
    assert runs(played(TO_B, *[MERGE] * merges)) == ordinals


def test_case_37_a_revert_half_way_restarts_only_what_runs_the_candidate() -> None:
    play = played(*UP_TO_50, ("image", A))
    since = [
        death.pod.place
        for death in play.kthena.deaths
        if death.pod.made_from == play.pods_of(play.stage.revision(B))
    ]
    assert (runs(play), sorted(since, key=str)) == ("aaaa", [2, 3])


def test_case_38_a_group_below_the_partition_is_re_created_on_stable() -> None:
    play = played(*UP_TO_50, ("image", C), MERGE)
    assert runs(play) == "aacc"
    play.kthena.kill(1).settle()
    assert runs(play) == "aacc"


def test_case_40_a_raised_partition_takes_back_nothing_until_a_group_is_re_created() -> None:
    play = played(*UP_TO_50, ("floor", 3))
    assert runs(play) == "aabb"
    play.kthena.kill(2).kill(3).settle()
    assert runs(play) == "aaab"


def test_case_41_a_revert_takes_the_broken_ones_first_and_waits_for_none() -> None:
    play = played(TO_B, MERGE)
    play.kthena.groups[3] = replace(play.kthena.groups[3], left=1)
    play.move(("image", A))
    play.look()
    play.kthena.apply(play.stage.published).act()
    assert [death.pod.place for death in play.kthena.deaths][-1] == 3


@pytest.mark.parametrize(("back", "ordinals"), [(2, "aa"), (4, "aaaa"), (6, "aaaaaa")])
def test_case_44_scaled_to_zero_and_back_everything_comes_back_on_stable(back: int, ordinals: str) -> None:
    assert runs(played(*UP_TO_50, ("replicas", 0), ("replicas", back))) == ordinals


def test_case_44_with_everything_approved_it_comes_back_on_the_candidate() -> None:
    assert runs(played(*UP_TO_50, MERGE, ("replicas", 0), ("replicas", 2))) == "bb"


def test_scaled_up_half_way_new_ordinals_are_stable_and_old_ones_stay() -> None:
    play = played(*UP_TO_50, ("replicas", 6))
    assert runs(play) == "aabbaa"
    play.move(MERGE)
    play.look()
    play.kthena.settle()
    assert runs(play) == "bbbbbb"


def test_scaled_down_half_way_the_candidate_gives_way() -> None:
    assert runs(played(*UP_TO_50, ("replicas", 2))) == "aa"


def test_case_45_with_gaps_the_ordinal_decides_and_not_its_place() -> None:
    play = played(TO_B, replicas=3)
    old = play.pods_of(play.stage.state.stable)
    play.kthena.groups = {ordinal: Group(old, 90 + ordinal, left=0) for ordinal in (0, 2, 5)}
    play.move(MERGE)
    play.kthena.settle()
    moved = {ordinal for ordinal, group in play.kthena.groups.items() if group.revision != old}
    assert (play.stage.partition, moved) == (2, {2})
    assert play.kthena.groups[0].uid == 90


def test_case_45_a_rollout_with_gaps_ends() -> None:
    play = played(TO_B, replicas=3)
    play.kthena.groups = {ordinal: Group(play.kthena.current, 90 + ordinal, left=0) for ordinal in (0, 2, 5)}
    play.finish()
    assert set(runs(play)) == {"b"}


def test_case_47_replicas_and_template_in_one_commit_are_two_things() -> None:
    play = Play()
    play.image, play.replicas = B, 6
    play.stage.source(play.wanted)
    play.look()
    play.kthena.settle()
    assert runs(play) == "aaaaaa"
    assert play.stage.gate is not None
    assert play.stage.gate.partition == {WHOLE: 5}


@pytest.mark.parametrize("partition", [0, 1, 3, 4, 5])
def test_g2_10_below_the_partition_stable_from_it_on_the_candidate(partition: int) -> None:
    kthena = Kthena(groups(A)).settle()
    kthena.apply(groups(B, floor=partition)).settle()
    letters = "".join(revision.partition("engine:")[2][0] for revision in kthena.revisions())
    assert letters == "a" * min(partition, 4) + "b" * max(0, 4 - partition)


@given(replicas=st.integers(0, 50), floor=st.integers(0, 60) | st.integers(0, 100).map("{}%".format))
def test_g2_9_a_floor_rounds_towards_stable(replicas: int, floor: int | str) -> None:
    (resolved,) = KIND.floors(accepted(groups(A, replicas, floor)).controls).values()
    exact = floor if isinstance(floor, int) else int(floor[:-1]) * replicas / 100
    assert exact <= resolved < exact + 1
