"""What comes to an end, whatever nobody knows: ways back leave requests in time, rollouts end in stable."""

from datetime import timedelta

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from gitops_rollout.rollout.facts import About
from gitops_rollout.simulate.faults import Faults
from gitops_rollout.simulate.play import Play
from gitops_rollout.simulate.run import prepared
from gitops_rollout.simulate.wishes import AFTER, BEFORE, THIRD
from tests.drawn import drawn
from tests.simulate.graph_runs import ADOPTED
from tests.simulate.runs import KNOWN, PLAYED

ROUTED = ("routed", "observed", "new-graph", "new-graph-observed")
DEADLINE = timedelta(minutes=10)  # that of a rollback, where a policy says nothing
LIVE = timedelta(minutes=3)  # until a commit is applied, and the gateway works by it
BLIND = st.frozensets(st.sampled_from(About))


def under_way(policy: str, more: int) -> Play:
    """Play until the candidate gets requests, and so many moments on."""
    play = prepared(KNOWN[policy], Faults())
    for _ in play._calm():
        pass
    play.world.wish = play.world.wishes.wish(AFTER)
    left = more
    for moment in play._calm():
        state = moment.state
        left -= bool(state and state.candidate in moment.answers.revisions)
        if left < 0:
            break
    return play


@pytest.mark.parametrize("policy", ROUTED)
@given(blind=BLIND, more=st.integers(0, 50))
@drawn(4, derandomize=True)
def test_r13_requests_leave_in_time_whatever_is_unknown(
    policy: str, blind: frozenset[About], more: int
) -> None:
    play = under_way(policy, more)
    world, state = play.world, play.world.moment.state
    assume(state is not None and state.candidate is not None)
    assert state is not None
    play.actors.observer.blind, began = blind, world.now
    world.wish = world.wishes.wish(BEFORE)
    for moment in play._calm():
        if state.candidate not in moment.answers.revisions:
            break
    assert state.candidate not in world.moment.answers.revisions
    assert (world.now - began <= DEADLINE + LIVE, world.findings) == (True, [])


@pytest.mark.parametrize("policy", PLAYED)
@given(changes=st.lists(st.tuples(st.sampled_from((BEFORE, AFTER, THIRD)), st.integers(1, 40)), max_size=4))
@drawn(3, derandomize=True)
def test_g2_25_in_a_fair_world_every_rollout_ends_in_stable(
    policy: str, changes: list[tuple[str, int]]
) -> None:
    play = prepared(KNOWN[policy], Faults())
    first = [(BEFORE, -1)] if policy in ADOPTED else []
    for wanted, moments in [*first, *changes, (AFTER, -1)]:
        play.world.wish = play.world.wishes.wish(wanted)
        for left, _ in enumerate(play._calm(), 1):
            if left == moments:
                break
    assert (play._unfinished(), play.world.findings) == ("", [])
    stable = play.world.moment.state.stable if play.world.moment.state is not None else None
    assert {play.world.moment.revision(pod) for pod in play.world.moment.pods} == {stable}
