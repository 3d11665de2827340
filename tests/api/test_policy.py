"""Shares, steps and the policy of one workload."""

import json
from fractions import Fraction
from math import ceil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitops_rollout.api.policy import BUILT_IN, Deletion, Gate, Policy, Proof, Step
from gitops_rollout.api.steps import RESERVED_STEPS, Share
from gitops_rollout.api.values import Json

WHOLE = Share(100, percent=True)
shares = st.builds(Share, st.integers(1, 100), st.booleans())
names = st.from_regex(r"[a-z]([-a-z0-9]{0,10}[a-z0-9])?", fullmatch=True).filter(
    lambda name: name not in RESERVED_STEPS and not name.endswith("-traffic")
)


@st.composite
def policies(draw: st.DrawFn) -> Policy:
    percents = [
        Share(number, percent=True) for number in sorted(draw(st.sets(st.integers(1, 99), max_size=3)))
    ]
    counts = [Share(number) for number in sorted(draw(st.sets(st.integers(1, 9), max_size=3)))]
    steps = [*counts, *percents, WHOLE]
    named = draw(st.lists(names, min_size=len(steps), max_size=len(steps), unique=True))
    soaks = draw(st.lists(st.integers(0, 10**6), min_size=len(steps), max_size=len(steps)))
    return Policy(
        steps=tuple(Step(*row) for row in zip(named, steps, soaks, strict=True)),
        soak=draw(st.integers(0, 10**6)),
        suspend=draw(st.booleans()),
        deletion=draw(st.sampled_from([Deletion.GATE, Deletion.KEEP])),
        revision_history_limit=draw(st.integers(0, 50)),
    )


@given(shares, st.integers(0, 10_000))
def test_a_share_is_rounded_up_within_what_is_desired(share: Share, desired: int) -> None:
    exact = ceil(Fraction(share.number, 100) * desired) if share.percent else share.number
    assert share.of(desired) == min(exact, desired)


@given(shares, st.integers(1, 10_000))
def test_a_share_of_something_is_something(share: Share, desired: int) -> None:
    assert 1 <= share.of(desired) <= desired


@given(st.integers(0, 10_000))
def test_all_of_it_is_all_of_it(desired: int) -> None:
    assert WHOLE.of(desired) == desired


@given(shares)
def test_a_share_reads_back_as_it_is_written(share: Share) -> None:
    assert Share.parse(share.written) == share


@pytest.mark.parametrize(
    "value", [0, -1, "0%", "101%", "5", "05%", "1.5%", "5 %", "%", "", None, True, 1.0, "٣%", []]
)
def test_anything_else_is_no_share(value: Json) -> None:
    with pytest.raises(ValueError, match=r"share|count"):
        Share.parse(value)


@pytest.mark.parametrize(
    ("share", "name"), [(Share(1), "1"), (Share(25, percent=True), "25pct"), (WHOLE, "100pct")]
)
def test_a_step_by_its_value_only_is_named_by_it(share: Share, name: str) -> None:
    assert share.step_name == name


@given(policies())
def test_a_policy_reads_back_from_the_rollout_file(policy: Policy) -> None:
    assert Policy.from_json(json.loads(json.dumps(policy.to_json()))) == policy


@pytest.mark.parametrize("field", sorted(BUILT_IN.to_json()))
def test_a_recorded_policy_without_a_field_is_refused(field: str) -> None:
    recorded = BUILT_IN.to_json()
    del recorded[field]
    with pytest.raises(ValueError, match=r".+"):
        Policy.from_json(recorded)


def test_a_recorded_policy_is_plain_and_readable() -> None:
    assert Policy((Step("all", WHOLE, 5400),), soak=60).to_json() == {
        "steps": [{"name": "all", "replicas": "100%", "soak": "1h30m", "gate": "Merge"}],
        "soak": "1m",
        "proof": "Manual",
        "suspend": False,
        "deletion": "Gate",
        "revisionHistoryLimit": 10,
    }


@pytest.mark.parametrize(
    "steps",
    [
        (),
        (Step("one", Share(1)),),
        (Step("most", Share(99, percent=True)),),
        (Step("all", WHOLE), Step("again", WHOLE)),
        (Step("a", Share(2)), Step("b", Share(2)), Step("c", WHOLE)),
        (
            Step("a", Share(50, percent=True)),
            Step("b", Share(1)),
            Step("c", Share(25, percent=True)),
            Step("d", WHOLE),
        ),
        (Step("a", Share(1)), Step("a", WHOLE)),
        (Step("complete", WHOLE),),
        (Step("all-traffic", WHOLE),),
        (Step("A", WHOLE),),
        (Step("", WHOLE),),
        (Step("a/b", WHOLE),),
        (Step("x" * 21, WHOLE),),
    ],
)
def test_steps_that_cannot_be_meant_cannot_be_built(steps: tuple[Step, ...]) -> None:
    with pytest.raises(ValueError, match="steps"):
        Policy(steps)


def test_counts_and_percentages_are_not_compared_with_each_other() -> None:
    steps = (
        Step("a", Share(25, percent=True)),
        Step("b", Share(3)),
        Step("c", Share(30, percent=True)),
        Step("d", WHOLE),
    )
    assert Policy(steps).step("b") == steps[1]


def test_nothing_is_automatic_without_proof_by_a_cluster() -> None:
    automatic = (Step("all", WHOLE, gate=Gate.AUTOMATIC),)
    with pytest.raises(ValueError, match=r"steps\[0\]\.gate"):
        Policy(automatic)
    with pytest.raises(ValueError, match="deletion"):
        Policy(deletion=Deletion.AUTOMATIC)
    assert Policy(automatic, proof=Proof.CLUSTER).automatic == "steps[0].gate"
