"""RolloutPolicy and RevisionRollout as people write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitops_rollout.api.policy import Gate
from gitops_rollout.api.policy_document import Fields, WrittenStep, read_policy, read_rollout
from gitops_rollout.api.steps import Share
from gitops_rollout.api.values import Json, Object
from gitops_rollout.api.workload import WorkloadKey
from gitops_rollout.documents.load import Limits, load

KINDS = {"ms": "ModelServing", "modelserving": "ModelServing"}


def document(spec: str) -> Object:
    (found,) = load(f"metadata: {{name: own, namespace: serving}}\nspec: {spec}".encode(), Limits())
    assert isinstance(found.value, dict)
    return found.value


def fields(spec: str) -> Fields:
    policy, problems = read_policy(document(spec))
    assert (problems, policy.name) == ((), "own")
    assert policy.fields is not None
    return policy.fields


def refusals(spec: str) -> list[tuple[str, str]]:
    policy, problems = read_policy(document(spec))
    assert (policy.fields is None) == bool(problems)
    return [(problem.path, problem.code) for problem in problems]


def test_short_steps_stand_for_long_ones() -> None:
    short = fields("{steps: [1, 25%, 100%]}").steps
    assert short == fields("{steps: [{replicas: 1}, {replicas: 25%}, {replicas: 100%}]}").steps
    assert [step.name for step in short or ()] == ["1", "25pct", "100pct"]


def test_a_long_step_says_everything() -> None:
    written = fields("{steps: [{name: all, replicas: 100%, soak: 1h, gate: Merge}]}").steps
    assert written == (WrittenStep("all", Share(100, percent=True), 3600, Gate.MERGE),)


@pytest.mark.parametrize("spec", ["{}", "", "{steps: null, soak: null, suspend: null}"])
def test_what_is_not_written_is_not_decided(spec: str) -> None:
    assert fields(spec) == Fields()


@pytest.mark.parametrize("name", ["parking"])
def test_a_field_of_the_design_that_is_not_built_is_refused_as_such(name: str) -> None:
    assert refusals(f"{{{name}: 1}}") == [(f"spec.{name}", "NOT_YET")]


@pytest.mark.parametrize(
    ("spec", "path", "code"),
    [
        ("{proof: Guess}", "proof", "POLICY_INVALID"),
        ("{strategy: Blue}", "strategy", "POLICY_INVALID"),
        ("{renamesGraph: true}", "renamesGraph", "POLICY_INVALID"),
        ("{capacity: 25%}", "capacity", "POLICY_INVALID"),
        ("{capacity: {maxSurge: 101%}}", "capacity.maxSurge", "POLICY_INVALID"),
        ("{capacity: {maxUnavailable: -1}}", "capacity.maxUnavailable", "POLICY_INVALID"),
        ("{capacity: {maxSurge: 0}}", "capacity", "POLICY_INVALID"),
        ("{capacity: {maxSurge: 0%, maxUnavailable: 0}}", "capacity", "POLICY_INVALID"),
        ("{capacity: {surge: 1}}", "capacity.surge", "UNKNOWN_FIELD"),
        ("{retireDelay: 30}", "retireDelay", "POLICY_INVALID"),
        ("{releaseGroups: []}", "releaseGroups", "POLICY_INVALID"),
        ("{compatibility: []}", "compatibility", "POLICY_INVALID"),
        ("{timeouts: {settle: 10}}", "timeouts.settle", "POLICY_INVALID"),
        ("{timeouts: {drian: 1h}}", "timeouts.drian", "UNKNOWN_FIELD"),
        ("{steps: [{replicas: 100%, traffic: {weight: 101}}]}", "steps[0].traffic.weight", "POLICY_INVALID"),
        ("{steps: [{replicas: 100%, traffic: {weight: '90'}}]}", "steps[0].traffic.weight", "POLICY_INVALID"),
        ("{steps: [{replicas: 100%, traffic: {weight: 33.3}}]}", "steps[0].traffic.weight", "POLICY_INVALID"),
        ("{steps: [{replicas: 100%, traffic: {share: 1}}]}", "steps[0].traffic.share", "UNKNOWN_FIELD"),
        ("{steps: [{replicas: 100%, checks: [latency]}]}", "steps[0].checks[0].preset", "POLICY_INVALID"),
        ("{checks: [ttft, {preset: ttft, max: 1}]}", "checks[1].name", "POLICY_INVALID"),
        ("{checks: [{name: up, query: 'sum(', max: 1}]}", "checks[0].query", "POLICY_INVALID"),
        ("{windows: [{cron: '0 9 * * 8', duration: 8h, tz: UTC}]}", "windows[0].cron", "POLICY_INVALID"),
        ("{windows: []}", "windows", "POLICY_INVALID"),
        ("{route: chat}", "route", "POLICY_INVALID"),
        ("{gateway: {}}", "gateway", "POLICY_INVALID"),
        ("{adopt: {}}", "adopt", "POLICY_INVALID"),
        ("{steps: [{replicas: 100%, windows: 1}]}", "steps[0].windows", "UNKNOWN_FIELD"),
        ("{soaks: 1m}", "soaks", "UNKNOWN_FIELD"),
        ("{workload: ms/a}", "workload", "POLICY_INVALID"),
        ("{steps: [1]}", "steps", "POLICY_INVALID"),
        ("{steps: []}", "steps", "POLICY_INVALID"),
        ("{steps: 100%}", "steps", "POLICY_INVALID"),
        ("{steps: [0, 100%]}", "steps[0].replicas", "POLICY_INVALID"),
        ("{steps: [25, 24, 100%]}", "steps[1].replicas", "POLICY_INVALID"),
        ("{steps: [{name: complete, replicas: 100%}]}", "steps[0].name", "POLICY_INVALID"),
        ("{steps: [{name: stable-policy, replicas: 100%}]}", "steps[0].name", "POLICY_INVALID"),
        ("{steps: [{name: all}]}", "steps[0].replicas", "POLICY_INVALID"),
        ("{steps: [null]}", "steps[0].replicas", "POLICY_INVALID"),
        ("{steps: [{replicas: 100%, gate: Automatic}]}", "steps[0].gate", "POLICY_INVALID"),
        ("{gate: Automatic}", "gate", "POLICY_INVALID"),
        ("{deletion: Automatic}", "deletion", "POLICY_INVALID"),
        ("{deletion: true}", "deletion", "POLICY_INVALID"),
        ("{soak: 30}", "soak", "POLICY_INVALID"),
        ("{suspend: 'true'}", "suspend", "POLICY_INVALID"),
        ("{revisionHistoryLimit: -1}", "revisionHistoryLimit", "POLICY_INVALID"),
        ("{revisionHistoryLimit: true}", "revisionHistoryLimit", "POLICY_INVALID"),
    ],
)
def test_what_cannot_be_meant_is_refused_with_its_path(spec: str, path: str, code: str) -> None:
    assert refusals(spec) == [(f"spec.{path}", code)]


def test_a_spec_that_is_no_mapping_is_refused() -> None:
    assert refusals("[1]") == [("spec", "POLICY_INVALID")]


def test_all_problems_are_told_at_once_and_the_nearest_name_is_offered() -> None:
    _, problems = read_policy(document("{soaks: 1m, proof: Guess, suspend: 1}"))
    assert {problem.path for problem in problems} == {"spec.soaks", "spec.proof", "spec.suspend"}
    assert next(problem for problem in problems if problem.path == "spec.soaks").message.endswith("soak?")


def test_automatic_says_what_it_needs() -> None:
    _, problems = read_policy(document("{gate: Automatic}"))
    assert "Manual proof" in problems[0].message


@pytest.mark.parametrize("word", ["ms", "ModelServing", "modelserving", "MS"])
def test_a_rollout_names_its_workload_as_people_type_it(word: str) -> None:
    rollout, problems = read_rollout(
        document(f"{{workload: {word}/chat, policyRef: standard}}"), "default", KINDS
    )
    assert rollout is not None
    assert (rollout.workload, rollout.policy_ref, problems) == (
        WorkloadKey("serving", "ModelServing", "chat"), "standard", ()
    )  # fmt: skip


@pytest.mark.parametrize(
    ("spec", "code"),
    [
        ("{workload: Deployment/chat}", "POLICY_INVALID"),
        ("{workload: chat}", "POLICY_INVALID"),
        ("{workload: ms/}", "POLICY_INVALID"),
        ("{workload: 1}", "POLICY_INVALID"),
        ("{}", "POLICY_INVALID"),
    ],
)
def test_a_rollout_of_no_workload_is_refused(spec: str, code: str) -> None:
    rollout, problems = read_rollout(document(spec), "default", KINDS)
    assert (rollout, [(problem.path, problem.code) for problem in problems]) == (
        None,
        [("spec.workload", code)],
    )


def test_a_refused_rollout_still_says_whose_it_is() -> None:
    rollout, problems = read_rollout(document("{workload: ms/chat, soak: soon}"), "default", KINDS)
    assert rollout is not None
    assert (rollout.workload.name, rollout.fields, len(problems)) == ("chat", None, 1)


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
names = [
    "steps",
    "soak",
    "gate",
    "proof",
    "suspend",
    "deletion",
    "revisionHistoryLimit",
    "workload",
    "strategy",
]


@given(st.dictionaries(st.sampled_from(names), anything) | anything)
def test_nothing_that_is_written_makes_reading_fail(spec: Json) -> None:
    policy, problems = read_policy({"metadata": {"name": "own"}, "spec": spec})
    rollout, refused = read_rollout({"spec": spec}, "default", KINDS)
    assert (policy.fields is None) == bool(problems)
    assert (rollout is None or rollout.fields is None) == bool(refused)
