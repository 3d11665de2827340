"""Versions only grow: after a rewind, a restart, a rollback, and whatever routers hold (R19)."""

from dataclasses import replace

from gitops_rollout.api.graph_terms import ReleaseGroup
from gitops_rollout.api.policy import Policy, Proof
from gitops_rollout.api.router_terms import ISOLATION
from gitops_rollout.api.values import at
from gitops_rollout.simulate.branch import MAIN
from tests.rollout.graphs import SIZES, graph
from tests.rollout.graphs import policy as graph_policy
from tests.rollout.observed import NEW, OLD
from tests.rollout.router_laws import assert_laws, assert_versions_grow
from tests.rollout.stage import FILE
from tests.rollout.told import BODY, TOLD, ToldStage, attached, going
from tests.rollout.traffic_play import read

NEXT = "engine:3.0.0"


def rewound(stage: ToldStage, *, to: int) -> ToldStage:
    """Force the branch back to the last commit at which routers were told version `to`."""
    at_version = [
        commit
        for commit in stage.line.line(stage.line.head)
        if f'"policyVersion": "{to}"'.encode() in stage.line.files_at(commit).get(BODY, b"")
    ]
    stage.line.at[MAIN] = at_version[0]
    return stage


def grouped(name: str) -> Policy:
    """Give the policy with a release group of this name."""
    return replace(TOLD, release_groups=(ReleaseGroup(name, ("Frontend", "Prefill", "Decode")),))


def agree(stage: ToldStage) -> bool:
    """Say whether every router holds what the branch says."""
    return all(one.body == stage.body for one in stage.routers.values())


def test_a_branch_that_was_set_back_is_told_above_what_routers_hold() -> None:
    stage = rewound(going("canary", "half"), to=1)
    stage.run(times=1)
    assert (stage.version, stage.bound) == (3, (OLD, []))
    stage.run(times=2)
    assert "POLICY_OVERTAKEN" in stage.all_codes
    assert agree(stage)


def test_a_clock_that_was_set_back_holds_no_router_back() -> None:
    stage = rewound(going("canary", "half"), to=1).later(days=-1).run(times=3)
    assert "POLICY_OVERTAKEN" in stage.all_codes
    assert agree(stage)


def test_a_rollout_goes_on_after_the_branch_was_set_back() -> None:
    stage = rewound(going("canary", "half"), to=1).run(times=4)
    while stage.gate is not None:
        stage.merge().run()
    assert (stage.sizes, stage.bound) == ({NEW: SIZES}, (NEW, []))
    assert agree(stage)


def test_another_body_under_a_number_that_routers_know_is_told_again() -> None:
    stage = attached()
    stage.policy = grouped("chat")
    rewound(stage.run(times=3), to=1).silent = True
    stage.policy = grouped("other")
    assert stage.run(times=2).version == 2
    stage.silent = False
    stage.run(times=2)
    assert (stage.version, stage.body["releaseGroup"], agree(stage)) == (3, "other", True)


def test_routers_that_forgot_are_told_the_same_again() -> None:
    stage = going("canary")
    version = stage.version
    for one in stage.routers.values():
        one.restart()
    stage.run(times=3)
    assert (stage.version, agree(stage)) == (version, True)


def test_every_router_sees_versions_grow_in_each_of_its_lives() -> None:
    stage = going("canary", "half").source(graph(OLD)).run()
    stage.source(graph(NEXT)).run(times=2).through("canary").run()
    for router in stage.routers.values():
        heard = [(boot, version) for boot, version, _ in router.accepted]
        assert heard == sorted(heard)
    assert_versions_grow(stage.bodies())
    assert_laws(stage)


def test_a_change_is_told_above_what_any_router_reports() -> None:
    stage = going("canary")
    for one in stage.routers.values():
        one.version = 7
    stage.source(graph(OLD)).run(times=4)
    assert stage.version > 7
    assert agree(stage)


def test_a_version_is_remembered_when_routers_are_told_no_more() -> None:
    stage = attached()
    stage.policy = replace(TOLD, router_policy=ISOLATION)
    stage.run(times=2)
    state = read(stage.line.files[FILE])["state"]
    assert (BODY in stage.line.files, at(state, "routerPolicy", "version"), at(state, "bindings")) == (
        False,
        1,
        None,
    )
    stage.policy = TOLD
    assert stage.run(times=2).version == 2


def test_in_mid_rollout_routers_are_still_told() -> None:
    stage = going("canary")
    stage.policy = graph_policy(proof=Proof.MANUAL)
    stage.run(times=2)
    assert "POLICY_FROZEN" in stage.all_codes
    stage.source(graph(OLD)).run()
    assert stage.sizes == {OLD: SIZES}
    assert stage.traffic == ([], [(OLD, 100)])
