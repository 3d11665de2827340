"""Strategy, capacity, release groups and contracts, and how a rollout file holds them."""

import json
from fractions import Fraction
from math import ceil, floor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitops_rollout.api.amounts import Amount
from gitops_rollout.api.graph_terms import Capacity, Contract, ReleaseGroup, Strategy
from gitops_rollout.api.policy import BUILT_IN, Policy, Timeouts
from gitops_rollout.api.values import Json, Object

amounts = st.builds(Amount, st.integers(0, 100), st.booleans())
capacities = st.builds(Capacity, st.none() | amounts, amounts.filter(lambda amount: amount.number > 0))
names = st.text(min_size=1, max_size=8)
groups = st.builds(ReleaseGroup, names, st.lists(names, min_size=1, max_size=3).map(tuple))
contracts = st.builds(Contract.between, names, names, names)
policies = st.builds(
    Policy,
    strategy=st.none() | st.sampled_from(Strategy),
    renames_graph=st.booleans(),
    capacity=capacities,
    release_groups=st.lists(groups, max_size=2).map(tuple),
    contracts=st.lists(contracts, max_size=2).map(tuple),
    retire_delay=st.integers(0, 10**6),
    timeouts=st.builds(Timeouts, *[st.integers(0, 10**6)] * 4),
)


@given(amounts)
def test_an_amount_reads_back_as_it_is_written(amount: Amount) -> None:
    assert Amount.parse(amount.written) == amount


@given(amounts, st.integers(0, 10_000))
def test_an_amount_is_rounded_exactly(amount: Amount, replicas: int) -> None:
    exact = Fraction(amount.number * replicas, 100) if amount.percent else Fraction(amount.number)
    assert (amount.up(replicas), amount.down(replicas)) == (ceil(exact), floor(exact))


@pytest.mark.parametrize(
    "value", [-1, "101%", "5", "05%", "00%", "1.5%", "5 %", "%", "", None, True, 1.0, "٣%", []]
)
def test_anything_else_is_no_amount(value: Json) -> None:
    with pytest.raises(ValueError, match=r"amount|count"):
        Amount.parse(value)


@pytest.mark.parametrize("none", [Amount(0), Amount(0, percent=True)])
def test_a_capacity_lets_something_move(none: Amount) -> None:
    with pytest.raises(ValueError, match="nothing could ever move"):
        Capacity(none, none)


def test_the_ends_of_a_contract_have_no_order() -> None:
    contract = Contract.between("prefill", "decode", "nixl/0.7+fp8")
    assert contract == Contract.between("decode", "prefill", "nixl/0.7+fp8")
    assert contract.edge == ("decode", "prefill")
    with pytest.raises(ValueError, match="sorted"):
        Contract(("prefill", "decode"), "nixl/0.7+fp8")


@given(policies)
def test_a_policy_of_a_graph_reads_back_from_the_rollout_file(policy: Policy) -> None:
    assert Policy.from_json(json.loads(json.dumps(policy.to_json()))) == policy


def test_what_is_as_built_in_is_not_recorded() -> None:
    assert set(Policy(capacity=Capacity(), timeouts=Timeouts(600, 600, 3600, 10)).to_json()) == set(
        BUILT_IN.to_json()
    )


@pytest.mark.parametrize(
    ("timeouts", "recorded"),
    [
        (Timeouts(60), {"drain": "1m", "rollback": "10m"}),
        (Timeouts(settle=20), {"drain": "10m", "rollback": "10m", "settle": "20s"}),
        (Timeouts(progress=60), {"drain": "10m", "rollback": "10m", "progress": "1m"}),
    ],
)
def test_later_timeouts_stand_where_they_differ(timeouts: Timeouts, recorded: Object) -> None:
    assert (timeouts.to_json(), Timeouts.from_json(recorded)) == (recorded, timeouts)


def test_a_recorded_policy_says_it_as_people_write_it() -> None:
    policy = Policy(
        strategy=Strategy.NEW_GRAPH,
        renames_graph=True,
        capacity=Capacity(Amount(25, percent=True), Amount(1)),
        release_groups=(ReleaseGroup("serving", ("Frontend", "Decode")),),
        contracts=(Contract.between("router", "worker", "frontend-worker/1.5"),),
        retire_delay=1800,
    )
    assert {name: value for name, value in policy.to_json().items() if name not in BUILT_IN.to_json()} == {
        "strategy": "NewGraph",
        "renamesGraph": "Accepted",
        "capacity": {"maxSurge": "25%", "maxUnavailable": 1},
        "releaseGroups": [{"name": "serving", "components": ["Frontend", "Decode"]}],
        "compatibility": [{"edge": ["router", "worker"], "contract": "frontend-worker/1.5"}],
        "retireDelay": "30m",
    }


@pytest.mark.parametrize(
    "wrong",
    [
        {"strategy": "Blue"},
        {"capacity": {"maxSurge": 0}},
        {"capacity": {"maxUnavailable": "half"}},
        {"releaseGroups": [{"name": "serving"}]},
        {"compatibility": [{"edge": ["router"], "contract": "x/1"}]},
        {"compatibility": [{"edge": ["router", "worker"]}]},
        {"retireDelay": 30},
    ],
)
def test_a_recorded_policy_that_cannot_be_meant_is_refused(wrong: Object) -> None:
    with pytest.raises(ValueError, match=r".+"):
        Policy.from_json({**BUILT_IN.to_json(), **wrong})
