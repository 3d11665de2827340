"""Strategy, capacity, release groups and contracts as people write them in a policy."""

import pytest

from gitops_rollout.api.amounts import Amount
from gitops_rollout.api.graph_terms import Capacity, Contract, ReleaseGroup, Strategy
from gitops_rollout.api.policy import Deletion, Gate, Policy, Proof, Timeouts
from gitops_rollout.api.policy_document import (
    Fields,
    RevisionRollout,
    RolloutPolicy,
    read_policy,
    read_rollout,
)
from gitops_rollout.api.policy_merge import Explained, Wish, merge_policy
from gitops_rollout.api.values import Object
from gitops_rollout.documents.load import Limits, load

KINDS = {"dgd": "DynamoGraphDeployment"}
QUARTER = Amount(25, percent=True)


def document(spec: str) -> Object:
    (found,) = load(f"metadata: {{name: own}}\nspec: {spec}".encode(), Limits())
    assert isinstance(found.value, dict)
    return found.value


def rollout(spec: str) -> RevisionRollout:
    """Read the RevisionRollout of dgd/chat that says this."""
    found, problems = read_rollout(document(f"{{workload: dgd/chat, {spec}}}"), "serving", KINDS)
    assert found is not None
    assert not problems
    return found


def merged(spec: str, fleet: Fields | None = None) -> Explained:
    policies = {"fleet": RolloutPolicy("fleet", fleet or Fields())}
    return merge_policy(Wish(rollout=rollout(spec), default="fleet"), policies)


WRITTEN = [
    ("strategy: NewGraph", Policy(strategy=Strategy.NEW_GRAPH)),
    ("strategy: Whole", Policy(strategy=Strategy.WHOLE)),
    ("renamesGraph: Accepted", Policy(renames_graph=True)),
    ("capacity: {}", Policy()),
    ("capacity: {maxSurge: 25%}", Policy(capacity=Capacity(QUARTER))),
    ("capacity: {maxSurge: 0, maxUnavailable: 1}", Policy(capacity=Capacity(Amount(0), Amount(1)))),
    ("retireDelay: 30m", Policy(retire_delay=1800)),
    ("timeouts: {progress: 2h}", Policy(timeouts=Timeouts(progress=7200))),
    ("timeouts: {settle: 0}", Policy(timeouts=Timeouts(settle=0))),
    (
        "releaseGroups: [{name: serving, components: [Frontend, Decode], revisionAffinity: required}]",
        Policy(release_groups=(ReleaseGroup("serving", ("Frontend", "Decode")),)),
    ),
    (
        "compatibility: [{edge: [prefill, decode], contract: nixl/0.7+fp8}]",
        Policy(contracts=(Contract(("decode", "prefill"), "nixl/0.7+fp8"),)),
    ),
    ("proof: Cluster", Policy(proof=Proof.CLUSTER)),
    ("proof: Cluster, deletion: Automatic", Policy(proof=Proof.CLUSTER, deletion=Deletion.AUTOMATIC)),
]


@pytest.mark.parametrize(("spec", "policy"), WRITTEN, ids=[spec for spec, _ in WRITTEN])
def test_what_is_written_is_the_policy(spec: str, policy: Policy) -> None:
    explained = merged(spec)
    assert (explained.policy, explained.problems) == (policy, ())


@pytest.mark.parametrize(
    ("spec", "path"),
    [
        ("releaseGroups: [{name: a}]", "releaseGroups[0].components"),
        ("releaseGroups: [{name: a, components: []}]", "releaseGroups[0].components"),
        ("releaseGroups: [{components: [a]}]", "releaseGroups[0].name"),
        (
            "releaseGroups: [{name: a, components: [a], revisionAffinity: any}]",
            "releaseGroups[0].revisionAffinity",
        ),
        ("compatibility: [{edge: [prefill], contract: x}]", "compatibility[0].edge"),
        ("compatibility: [{edge: [a, b, c], contract: x}]", "compatibility[0].edge"),
        ("compatibility: [{edge: [a, b]}]", "compatibility[0].contract"),
    ],
)
def test_what_cannot_be_meant_of_a_graph_is_refused_with_its_path(spec: str, path: str) -> None:
    found, problems = read_rollout(document(f"{{workload: dgd/chat, {spec}}}"), "serving", KINDS)
    assert found is not None
    assert found.fields is None
    assert [(one.path, one.code) for one in problems] == [(f"spec.{path}", "POLICY_INVALID")]


@pytest.mark.parametrize("field", ["releaseGroups", "compatibility"])
def test_components_are_of_one_workload_and_not_of_a_fleet(field: str) -> None:
    _, (problem,) = read_policy(document(f"{{{field}: []}}"))
    assert "write it in its RevisionRollout" in problem.message


SHOWN = [
    ("suspend: false", "strategy", "the kind's own"),
    ("suspend: false", "renamesGraph", "not accepted"),
    ("suspend: false", "capacity", "maxSurge no limit, maxUnavailable 0"),
    ("suspend: false", "releaseGroups", "none"),
    ("suspend: false", "compatibility", "none"),
    ("suspend: false", "retireDelay", "0s"),
    ("suspend: false", "windows", "always"),
    ("suspend: false", "timeouts", "drain 10m, rollback 10m, progress 1h, settle 10s"),
    ("strategy: InPlace", "strategy", "InPlace"),
    ("renamesGraph: Accepted", "renamesGraph", "Accepted"),
    ("capacity: {maxSurge: 25%}", "capacity", "maxSurge 25%, maxUnavailable 0"),
    ("retireDelay: 90m", "retireDelay", "1h30m"),
    ("releaseGroups: [{name: a, components: [b, c]}]", "releaseGroups", "a: b c"),
    ("compatibility: [{edge: [b, a], contract: x/1}]", "compatibility", "a and b: x/1"),
]


@pytest.mark.parametrize(("spec", "field", "value"), SHOWN)
def test_every_value_is_shown_as_people_write_it(spec: str, field: str, value: str) -> None:
    (row,) = (one for one in merged(spec).origins if one.field == field)
    assert (row.value, row.origin) == (value, "RevisionRollout own" if field in spec else "built-in")


@pytest.mark.parametrize(
    ("fleet", "path"),
    [(Fields(deletion=Deletion.AUTOMATIC), "deletion"), (Fields(gate=Gate.AUTOMATIC), "steps[0].gate")],
)
def test_automatic_for_a_fleet_is_refused_where_a_workload_goes_back_to_manual(
    fleet: Fields, path: str
) -> None:
    explained = merged("proof: Manual", fleet)
    assert [(one.path, one.code) for one in explained.problems] == [(path, "POLICY_INVALID")]
    assert explained.policy == Policy()


def test_gates_may_be_automatic_where_a_cluster_is_observed() -> None:
    policy, problems = read_policy(document("{proof: Cluster, gate: Automatic, steps: [1, 100%]}"))
    explained = merge_policy(Wish(default="own"), {"own": policy})
    assert (problems, explained.problems) == ((), ())
    assert {step.gate for step in explained.policy.steps} == {Gate.AUTOMATIC}
