"""Every invariant after every step of every run: one property for each group of faults."""

import secrets
import time
from collections.abc import Callable
from typing import TypeAlias

import pytest
from hypothesis import Phase, given
from hypothesis import strategies as st

from gitops_rollout.simulate.faults import Faults, told
from gitops_rollout.simulate.invariants import INVARIANTS, OTHERS
from tests.drawn import drawn
from tests.simulate.runs import PLAYED, explored, found, run

GROUPS = {
    "consumers": "lag,skip,reorder,partial,retry-old",
    "services": "crash,two-services,refuse-push,clock-jumps",
    "people": "late-people,orders,changes,scaling",
    "hands": "careless,stale-merges,reverts,edits,force-push",
    "cluster": "pod-deaths,scaler,scaling,pruned-field",
    "routers": "router-restarts,paused-puts,two-services,orders",
    "facts": "unknown-facts,stale-facts,flapping,pod-deaths,changes",
}
SEEDS = st.integers(0, 2**32)
Record: TypeAlias = Callable[[str, object], None]


def test_every_fault_is_in_a_group() -> None:
    assert {name for words in GROUPS.values() for name in words.split(",")} == set(told())


@pytest.mark.parametrize("group", GROUPS)
@given(policy=st.sampled_from(PLAYED), seed=SEEDS)
@drawn(6, phases=[Phase.generate])
def test_no_fault_of_one_group_breaks_an_invariant(group: str, policy: str, seed: int) -> None:
    assert found(policy, GROUPS[group], seed) == []


@given(
    policy=st.sampled_from(PLAYED),
    faults=st.lists(st.sampled_from([*told()]), min_size=1, unique=True),
    seed=SEEDS,
)
@drawn(20, phases=[Phase.generate])
def test_no_mixture_of_faults_breaks_an_invariant(policy: str, faults: list[str], seed: int) -> None:
    assert found(policy, ",".join(faults), seed) == []


def test_a_source_that_is_scaled_up_while_people_merge_at_once_comes_to_rest() -> None:
    assert found("routed", "scaling", 2) == []


def test_people_attest_no_candidate_that_the_controller_has_not_made_yet() -> None:
    assert found("routed", "unknown-facts,stale-facts,flapping,pod-deaths,changes", 8610) == []


def test_ordinals_may_be_made_of_what_the_controller_took_for_its_current_revision() -> None:
    assert found("plain", "skip,scaling,clock-jumps,crash,changes", 3861799258) == []


@pytest.mark.parametrize("policy", PLAYED)
def test_a_fresh_seed_finds_nothing(policy: str, record_property: Record) -> None:
    seed, began = secrets.randbelow(2**32), time.monotonic()
    steps = explored(policy, "all", range(seed, seed + 100), 900)
    record_property("explored", f"{steps} steps from seed {seed} on in {time.monotonic() - began:.0f} s")


@pytest.mark.slow
@pytest.mark.parametrize("part", range(2))
@pytest.mark.parametrize("faults", ["all", "some"])
@pytest.mark.parametrize("policy", PLAYED)
def test_two_hundred_thousand_steps_find_nothing(
    policy: str, faults: str, part: int, record_property: Record
) -> None:
    began, first, share = time.monotonic(), 1_000_000 * part, 200_000 // (4 * len(PLAYED))
    steps = explored(policy, faults, range(first, first + 1_000), share)
    record_property("explored", f"{steps} steps from seed {first} on in {time.monotonic() - began:.0f} s")
    assert steps >= share


def test_equal_seeds_give_equal_runs() -> None:
    first, again = (run("routed", "all", 7).world for _ in range(2))
    assert (first.tick, first.branch.head, first.now) == (again.tick, again.branch.head, again.now)


def test_every_invariant_has_a_name_and_a_number_of_its_own() -> None:
    sentences = [one.sentence for one in (*INVARIANTS, *OTHERS)]
    assert len(set(sentences)) == len(sentences)
    assert all(one.numbers for one in (*INVARIANTS, *OTHERS))


@pytest.mark.parametrize("words", ["lag,typo", "", "none,lag,x"])
def test_a_fault_that_there_is_not_is_refused_by_name(words: str) -> None:
    with pytest.raises(ValueError, match="is no fault"):
        Faults.named(words)
