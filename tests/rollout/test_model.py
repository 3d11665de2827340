"""What holds on every way through a rollout, down to Kthena's ordinals."""

from collections.abc import Callable

from hypothesis import example, given
from hypothesis import strategies as st

from tests.drawn import drawn
from tests.rollout.play import EVERYTHING, Move, Play, Turn

MERGES: list[Move] = [("merge", None)] * 4
SOURCE: list[Move] = [
    *[("image", f"engine:{name}") for name in "abc"],
    *[("replicas", number) for number in (0, 2, 6)],
    *[("floor", floor) for floor in (3, None)],
]
ORDERS: list[Move] = [("abort", None), ("decline", None), ("retry", None)]
HANDS: list[Move] = [("die", 0), ("die", 3), ("edit", 1), ("edit", 4)]
START: list[Move] = [("image", "engine:b"), ("merge", None)]
TO_C: Move = ("image", "engine:c")


def runs(*moves: Move) -> st.SearchStrategy[list[Move]]:
    """Give runs that begin with a rollout. Few moves, so that the ways that matter are likely ones."""
    return st.lists(st.sampled_from(moves), max_size=8).map(lambda rest: [*START, *rest])


def only_stable_and_candidate_serve(turn: Turn) -> bool:
    known = {turn.pods[one] for one in (turn.state.stable, turn.state.candidate) if one}
    return set(turn.revisions) <= known


def r7_a_merge_alone_takes_no_group_below_its_partition(turn: Turn) -> bool:
    return turn.kept


def r12_a_way_back_restarts_nothing_that_is_on_stable(turn: Turn) -> bool:
    return not turn.going_back or not turn.rolled_from_stable


def r12_a_way_back_ends_with_everything_on_stable(turn: Turn) -> bool:
    return not turn.going_back or set(turn.revisions) <= {turn.pods[turn.state.stable]}


def nothing_but_a_merge_or_a_hand_moves_a_group_to_a_candidate(turn: Turn) -> bool:
    asked = turn.move[0] in ("merge", "edit") or turn.before.published.step == EVERYTHING
    return asked or turn.before.stable != turn.state.stable or not turn.rolled_from_stable


def numbers_only_rise(turn: Turn) -> bool:
    return turn.state.seq >= turn.before.seq and turn.state.attempt >= turn.before.attempt


def lowest_never_rises_within_a_rollout(turn: Turn) -> bool:
    low, before = turn.state.lowest, turn.before.lowest
    return low is None or before is None or all(low[name] <= number for name, number in before.items())


def g2_11_stable_changes_only_by_complete(turn: Turn) -> bool:
    return turn.state.stable == turn.before.stable or (
        turn.move[0] == "merge" and turn.before.published.partition == 0 and bool(turn.revisions)
    )


CHECKS: tuple[Callable[[Turn], bool], ...] = (
    only_stable_and_candidate_serve,
    r7_a_merge_alone_takes_no_group_below_its_partition,
    r12_a_way_back_restarts_nothing_that_is_on_stable,
    r12_a_way_back_ends_with_everything_on_stable,
    nothing_but_a_merge_or_a_hand_moves_a_group_to_a_candidate,
    numbers_only_rise,
    lowest_never_rises_within_a_rollout,
    g2_11_stable_changes_only_by_complete,
)


@drawn(120)
@given(moves=runs(*MERGES, *SOURCE, *ORDERS, *HANDS), prompt=st.booleans())
@example(moves=[*START, *MERGES[:1], ("floor", 3), TO_C, *MERGES[:2]], prompt=False)
@example(moves=[*START, *MERGES[:1], ("replicas", 6), TO_C, *MERGES[:2]], prompt=True)
@example(moves=[*START, *MERGES[:1], ("replicas", 0), ("replicas", 2), *MERGES[:1]], prompt=True)
def test_every_turn_keeps_every_promise_and_every_run_ends_in_stable(moves: list[Move], prompt: bool) -> None:
    play = Play(prompt=prompt)
    for turn in play.turns(moves):
        broken = [check.__name__ for check in CHECKS if not check(turn)]
        assert (turn.move, broken) == (turn.move, [])
    play.finish()
    state = play.state
    assert (state.candidate, state.offered, play.stage.gate) == (None, None, None)
    assert play.kthena.revisions() == [play.pods_of(state.stable)] * play.replicas
    assert play.stage.image == play.image
