"""Every state of small worlds: few replicas, A to B to A and A to B to C, and no invariant broken in any."""

import time

import pytest

from gitops_rollout.simulate.wishes import AFTER, BEFORE, THIRD
from tests.simulate.model import explore, moves
from tests.simulate.runs import wishes


def test_one_replica_there_and_back() -> None:
    found = explore(wishes("quick", 1), moves((BEFORE, AFTER), ()), most=5_000)
    print(f"{found.states} states, {found.steps} steps, {found.deepest} moves deep")
    assert found.findings == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("policy", "replicas", "wants", "scaled"),
    [
        ("quick", 3, (BEFORE, AFTER), ()),
        ("quick", 2, (AFTER, THIRD), ()),
        ("quick", 1, (BEFORE, AFTER), (0, 2)),
        ("routed", 2, (BEFORE, AFTER), ()),
    ],
)
def test_every_state_of_a_small_world(
    policy: str, replicas: int, wants: tuple[str, ...], scaled: tuple[int, ...]
) -> None:
    began = time.monotonic()
    found = explore(wishes(policy, replicas), moves(wants, scaled), most=8_000)
    spent = time.monotonic() - began
    print(f"{policy}: {found.states} states, {found.steps} steps, {found.deepest} deep, {spent:.0f} s")
    assert found.findings == []
