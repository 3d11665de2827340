"""Every state of small worlds: few replicas, A to B to A and A to B to C, and no invariant broken in any."""

import time
from collections.abc import Mapping

import pytest

from gitops_rollout.simulate.wishes import AFTER, BEFORE, THIRD
from tests.simulate.graph_runs import QUICK, WHOLE, graph_wishes
from tests.simulate.model import Explored, Move, explore, moves
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


ONE, TWO = {"Frontend": 1, "Prefill": 1, "Decode": 1}, {"Frontend": 1, "Prefill": 2, "Decode": 3}
TRUTHFUL = [one for one in moves((BEFORE, AFTER, THIRD), ()) if one[0] != "merge blindly"]


def searched(policy: str, sizes: Mapping[str, int], made: list[Move], most: int) -> Explored:
    began = time.monotonic()
    found = explore(graph_wishes(policy, sizes=sizes), made, most)
    spent = time.monotonic() - began
    print(f"{found.states} states, {found.steps} steps, {found.deepest} deep, {spent:.0f} s")
    return found


@pytest.mark.parametrize("policy", [WHOLE, QUICK], ids=["whole", "new-graph"])
def test_the_first_moves_of_a_graph_of_three_components(policy: str) -> None:
    assert searched(policy, ONE, TRUTHFUL, most=60).findings == []


@pytest.mark.slow
@pytest.mark.parametrize("blindly", [False, True], ids=["truthful", "blindly"])
@pytest.mark.parametrize("sizes", [ONE, TWO], ids=["one each", "up to three"])
@pytest.mark.parametrize("policy", [WHOLE, QUICK], ids=["whole", "new-graph"])
def test_a_small_world_of_a_graph_there_and_back(
    policy: str, sizes: Mapping[str, int], *, blindly: bool
) -> None:
    made = moves((BEFORE, AFTER, THIRD), ()) if blindly else TRUTHFUL
    assert searched(policy, sizes, made, most=400).findings == []
