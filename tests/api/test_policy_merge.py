"""Whose word counts, field by field."""

from dataclasses import fields as names_of
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitops_rollout.api.policy import BUILT_IN, Deletion, Step
from gitops_rollout.api.policy_document import Fields, RevisionRollout, RolloutPolicy, WrittenStep
from gitops_rollout.api.policy_merge import Explained, Wish, merge_policy
from gitops_rollout.api.steps import Share
from gitops_rollout.api.workload import WorkloadKey

CHAT = WorkloadKey("serving", "ModelServing", "chat")
LEVELS = [
    "RevisionRollout own",
    "RolloutPolicy ref (policyRef)",
    "RolloutPolicy note (annotation)",
    "RolloutPolicy near (folder specs/team)",
    "RolloutPolicy last (pipeline default)",
    "built-in",
]
HALF = (WrittenStep("half", Share(50, percent=True)), WrittenStep("all", Share(100, percent=True), soak=7))


def merged(*written: Fields) -> Explained:
    """Merge one value of Fields for each level above built-in."""
    own, ref, note, near, last = written
    policies = {
        "ref": RolloutPolicy("ref", ref),
        "note": RolloutPolicy("note", note),
        "near": RolloutPolicy("near", near, for_folder=True, file="specs/team/p.yaml"),
        "far": RolloutPolicy("far", Fields(soak=999), for_folder=True, file="specs/p.yaml"),
        "last": RolloutPolicy("last", last),
    }
    rollout = RevisionRollout("own", CHAT, "ref", own)
    return merge_policy(Wish("specs/team/x/chat.yaml", rollout, "note", "last"), policies)


def origin(explained: Explained, field: str) -> str:
    return next(one.origin for one in explained.origins if one.field == field)


@pytest.mark.parametrize("first", range(6))
def test_the_first_level_that_writes_a_field_decides_it(first: int) -> None:
    written = [
        Fields(soak=level + 1, deletion=Deletion.KEEP) if level >= first else Fields() for level in range(5)
    ]
    explained = merged(*written)
    assert explained.policy.soak == (first + 1 if first < 5 else 0)
    assert (origin(explained, "soak"), origin(explained, "deletion")) == (LEVELS[first], LEVELS[first])


def test_each_field_is_decided_on_its_own() -> None:
    explained = merged(
        Fields(), Fields(suspend=False), Fields(suspend=True), Fields(steps=HALF), Fields(soak=5)
    )
    assert [step.soak for step in explained.policy.steps] == [5, 7]
    assert [origin(explained, field) for field in ("suspend", "steps", "soak")] == [
        LEVELS[1],
        LEVELS[3],
        LEVELS[4],
    ]


def test_without_anything_the_built_in_policy_holds() -> None:
    explained = merge_policy(Wish(), {})
    assert (explained.policy, explained.problems) == (BUILT_IN, ())
    assert {one.origin for one in explained.origins} == {"built-in"}


@given(
    st.lists(
        st.builds(Fields, soak=st.none() | st.integers(0, 99), suspend=st.none() | st.booleans()),
        min_size=5,
        max_size=5,
    )
)
def test_every_field_is_explained_with_the_value_that_holds(written: list[Fields]) -> None:
    explained = merged(*written)
    assert len(explained.origins) == len(names_of(Fields))
    assert {one.field: one.value for one in explained.origins}["suspend"] == str(
        explained.policy.suspend
    ).lower()


@pytest.mark.parametrize(
    "wish",
    [
        Wish(rollout=RevisionRollout("own", CHAT, "gone", Fields())),
        Wish(rollout=RevisionRollout("own", CHAT, None, None)),
        Wish(annotation="gone"),
        Wish(annotation="refused"),
        Wish(default="gone"),
        Wish(file="specs/a.yaml"),
    ],
)
def test_what_is_named_and_not_there_keeps_the_accepted_policy(wish: Wish) -> None:
    policies = {"refused": RolloutPolicy("refused", None, for_folder=True, file="specs/p.yaml")}
    (problem,) = merge_policy(wish, policies).problems
    assert problem.code == "POLICY_UNKNOWN"


@pytest.mark.parametrize(
    ("file", "soak"), [("specs/team/a.yaml", 2), ("specs/teams/a.yaml", 1), ("other/a.yaml", 0)]
)
def test_a_folder_is_a_folder_and_not_a_prefix(file: str, soak: int) -> None:
    policies = {
        "one": RolloutPolicy("one", Fields(soak=1), for_folder=True, file="specs/p.yaml"),
        "two": RolloutPolicy("two", Fields(soak=2), for_folder=True, file="specs/team/p.yaml"),
    }
    assert merge_policy(Wish(file), policies).policy.soak == soak
    assert (
        merge_policy(
            Wish(file), {name: replace(one, for_folder=False) for name, one in policies.items()}
        ).policy
        == BUILT_IN
    )


def test_steps_take_the_soak_that_they_lack() -> None:
    explained = merge_policy(Wish(default="a"), {"a": RolloutPolicy("a", Fields(steps=HALF, soak=60))})
    assert explained.policy.steps == (
        Step("half", Share(50, percent=True), 60),
        Step("all", Share(100, percent=True), 7),
    )
