"""Release groups of a graph in place: they are served in one revision, or by a contract that both keep to."""

import pytest

from gitops_rollout.api.graph_terms import Contract, ReleaseGroup
from gitops_rollout.api.values import Json, Object, at
from gitops_rollout.rollout.draft import Order, Word
from tests.rollout.graphs import graph
from tests.rollout.in_place import InPlaceStage, going, group, only, resting, terms
from tests.rollout.observed import NEW, OLD

ROUTER: Json = {"edge": ["router", "worker"], "contract": "frontend-worker/1.5"}
TRANSFER: Json = {"edge": ["decode", "prefill"], "contract": "nixl/0.7+fp8"}
NEWER: Json = {"edge": ["router", "worker"], "contract": "frontend-worker/1.6"}


def rollout(*contracts: Json, members: tuple[str, ...] = ()) -> Json:
    block: Object = {"releaseGroups": [group(*members)]}
    return {**block, "compatibility": [*contracts]} if contracts else block


def offered(before: Json, after: Json, *changed: str) -> InPlaceStage:
    return resting(wanted=graph(OLD, rollout=before)).source(only(NEW, *changed, rollout=after)).settle()


def refusals(stage: InPlaceStage) -> list[str]:
    assert stage.last is not None
    return [one.code for one in stage.last.plan.problems]


def test_a_change_of_all_members_is_offered() -> None:
    stage = offered(rollout(), rollout(), "Frontend", "Decode", "Prefill")
    assert (refusals(stage), stage.gate is not None) == ([], True)


@pytest.mark.parametrize(
    "changed", [("Frontend",), ("Decode",), ("Decode", "Prefill"), ("Frontend", "Decode")]
)
def test_a_part_of_a_group_is_refused_with_what_to_do(changed: tuple[str, ...]) -> None:
    stage = offered(rollout(), rollout(), *changed)
    assert stage.last is not None
    (problem,) = stage.last.plan.problems
    assert (problem.code, problem.path.startswith("spec.components[")) == ("MIXED_REVISIONS", True)
    assert "change both, or declare a contract of the edge [" in problem.message
    assert (stage.gate, stage.state.offered) == (None, None)


@pytest.mark.parametrize(("contract", "changed"), [(ROUTER, ("Frontend",)), (ROUTER, ("Decode", "Prefill"))])
def test_a_contract_of_both_revisions_lets_a_part_of_it_change(
    contract: Json, changed: tuple[str, ...]
) -> None:
    stage = offered(rollout(contract), rollout(contract), *changed)
    assert (refusals(stage), stage.gate is not None) == ([], True)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (rollout(), rollout(ROUTER)),
        (rollout(ROUTER), rollout()),
        (rollout(ROUTER), rollout(NEWER)),
        (rollout(TRANSFER), rollout(TRANSFER)),
    ],
)
def test_a_contract_of_one_revision_alone_or_of_another_edge_lets_nothing(before: Json, after: Json) -> None:
    assert refusals(offered(before, after, "Frontend")) == ["MIXED_REVISIONS"]


def test_prefill_and_decode_part_only_under_a_contract_of_their_own() -> None:
    members = ("Decode", "Prefill")
    assert refusals(offered(rollout(members=members), rollout(members=members), "Decode")) == [
        "MIXED_REVISIONS"
    ]
    block = rollout(TRANSFER, members=members)
    assert refusals(offered(block, block, "Decode")) == []


def test_without_groups_a_part_may_change() -> None:
    assert refusals(going(wanted=only(NEW, "Frontend"))) == []


SERVING = ReleaseGroup("serving", ("Frontend", "Decode", "Prefill"))
KEEPS = Contract.between("router", "worker", "frontend-worker/1.5")


def test_groups_and_contracts_of_the_policy_count_alike() -> None:
    assert refusals(going(policy=terms(release_groups=(SERVING,)), wanted=only(NEW, "Frontend"))) == [
        "MIXED_REVISIONS"
    ]
    policy = terms(release_groups=(SERVING,), contracts=(KEEPS,))
    assert refusals(going(policy=policy, wanted=only(NEW, "Frontend"))) == []


def test_a_contract_of_the_policy_is_declared_before_it_is_used() -> None:
    stage = resting(terms(release_groups=(SERVING,)))
    stage.policy = terms(release_groups=(SERVING,), contracts=(KEEPS,))
    stage.source(only(NEW, "Frontend")).settle()
    assert refusals(stage) == ["MIXED_REVISIONS"]
    stage.source(graph(OLD)).settle().source(only(NEW, "Frontend")).settle()
    assert refusals(stage) == []


@pytest.mark.parametrize("dropped", [(), (ReleaseGroup("serving", ("Decode", "Prefill")),)])
def test_a_group_is_given_up_before_a_part_of_it_changes(dropped: tuple[ReleaseGroup, ...]) -> None:
    stage = resting(terms(release_groups=(SERVING,)))
    stage.policy = terms(release_groups=dropped)
    stage.source(only(NEW, "Frontend")).settle()
    assert refusals(stage) == ["MIXED_REVISIONS"]
    stage.source(graph(OLD)).settle().source(only(NEW, "Frontend")).settle()
    assert refusals(stage) == []


def test_an_order_mixes_no_more_than_a_merge() -> None:
    stage = going("50pct", "100pct", wanted=only(NEW, "Frontend"))
    stage.policy = terms(release_groups=(SERVING,))
    stage.settle()
    assert "release group serving" in stage.refusal(Order(Word.ROLLBACK, revision=stage.revision_of(OLD)))


def test_groups_of_the_policy_are_published_with_the_graph() -> None:
    stage = resting(terms(release_groups=(SERVING,)))
    members: Json = ["Decode", "Frontend", "Prefill"]
    assert at(stage.published, "spec", "rollout", "releaseGroups") == [
        {"name": "serving", "components": members, "revisionAffinity": "required"}
    ]


def test_contracts_are_for_us_and_are_not_published() -> None:
    stage = resting(wanted=graph(OLD, rollout=rollout(ROUTER)))
    assert "compatibility" not in str(stage.published)


def test_r10_groups_are_not_loosened_while_a_candidate_serves() -> None:
    stage = resting(wanted=graph(OLD, rollout=rollout())).source(graph(NEW, rollout=rollout())).settle()
    stage.through("1").source(graph(NEW)).settle()
    assert at(stage.published, "spec", "rollout", "releaseGroups")
    assert "CONTROLS_HELD" in stage.all_codes


def test_r10_nor_are_those_of_its_policy() -> None:
    stage = going("1", policy=terms(release_groups=(SERVING,)))
    stage.policy = terms()
    stage.settle()
    assert at(stage.published, "spec", "rollout", "releaseGroups")
    assert "POLICY_FROZEN" in stage.all_codes
