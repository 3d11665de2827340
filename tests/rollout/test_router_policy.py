"""Routers that are told: capacity, binding, acknowledgement, requests; one class of change a commit."""

import json
from dataclasses import replace

import pytest

from gitops_rollout.api.graph_terms import ReleaseGroup
from gitops_rollout.api.values import at, sequence
from gitops_rollout.conclude import conclude
from gitops_rollout.conditions import specific
from gitops_rollout.documents.emit import emit
from gitops_rollout.report import WorkloadReport
from gitops_rollout.rollout.facts import ASKED, PROOFS, About, Transition
from tests.rollout.graphs import SIZES, graph
from tests.rollout.observed import NEW, OLD
from tests.rollout.observed import attached as isolated
from tests.rollout.router_laws import assert_laws
from tests.rollout.stage import FILE
from tests.rollout.told import BODY, TOLD, ToldStage, attached, going
from tests.rollout.traffic_play import read

AGGREGATED = {"Frontend": 2, "Decode": 4}


def test_the_whole_way_up() -> None:
    stage = going("canary", "half", "all")
    assert stage.sizes == {NEW: SIZES}
    assert stage.steps_asked == ["attach", "canary", "half", "all"]
    assert [len(sequence(one["routerRevisionBindings"])) for one in stage.bodies()] == [0, 1, 0]
    assert (stage.bound, stage.version) == ((NEW, []), 3)
    assert_laws(stage)


def test_routers_are_told_of_stable_before_anything_else() -> None:
    stage = ToldStage(graph(OLD), TOLD)
    stage.look()
    assert BODY not in stage.line.files
    stage.settle()
    assert (stage.bound, stage.version) == ((OLD, []), 1)


def test_the_body_is_the_proposals() -> None:
    stage = going("canary")
    stable, candidate = stage.revision_of(OLD), stage.revision_of(NEW)
    binding = {"routerRevision": candidate, "prefillRevision": candidate, "decodeRevision": candidate}
    assert json.loads(stage.line.files[BODY]) == {
        "policyVersion": "2",
        "releaseGroup": "serving",
        "default": {"workerRevision": stable},
        "routerRevisionBindings": [binding],
    }


def test_an_aggregated_graph_names_its_workers() -> None:
    stage = ToldStage(graph(OLD, AGGREGATED), TOLD)
    stage.run(times=3).through("attach").run(times=1).source(graph(NEW, AGGREGATED)).settle()
    stage.through("canary").run(times=2)
    (binding,) = sequence(stage.body["routerRevisionBindings"])
    candidate = stage.revision_of(NEW)
    assert binding == {"routerRevision": candidate, "workerRevision": candidate}


def test_the_record_holds_version_and_digest() -> None:
    policy = at(read(going("canary").line.files[FILE]), "state", "routerPolicy")
    assert isinstance(policy, dict)
    assert (set(policy), policy["version"]) == ({"version", "digest"}, 2)


def test_isolation_leaves_no_trace() -> None:
    stage = isolated()
    state = read(stage.line.files[FILE])["state"]
    assert isinstance(state, dict)
    assert (state["routerPolicy"], "bindings" in state, BODY in stage.line.files) == (None, False, False)


def test_the_policy_names_the_release_group_of_the_route() -> None:
    groups = (ReleaseGroup("chat", ("Frontend", "Prefill", "Decode")),)
    stage = attached(replace(TOLD, release_groups=groups))
    assert stage.body["releaseGroup"] == "chat"


def test_another_group_is_told_at_another_version() -> None:
    stage = attached()
    groups = (ReleaseGroup("chat", ("Frontend", "Prefill", "Decode")),)
    stage.policy = replace(TOLD, release_groups=groups)
    stage.run(times=2)
    assert (stage.body["releaseGroup"], stage.version) == ("chat", 2)
    assert_laws(stage)


def test_a_binding_waits_for_workers_that_are_registered() -> None:
    stage = attached().source(graph(NEW)).settle()
    stage.unknown = frozenset({About.REGISTERED})
    stage.through("canary").run(times=3)
    assert stage.bound == (OLD, [])
    stage.unknown = frozenset()
    assert stage.run(times=2).bound == (OLD, [NEW])


def test_no_request_reaches_routers_that_have_not_acknowledged() -> None:
    stage = attached().source(graph(NEW)).settle()
    stage.deaf = {stage.revision_of(NEW)}
    stage.through("canary").run(times=3)
    assert stage.bound == (OLD, [])  # its routers have not even taken what is told of stable
    assert stage.traffic == ([], [(OLD, 100)])


def test_a_stuck_acknowledgement_is_told_and_never_passed_over() -> None:
    stage = attached().source(graph(NEW)).settle().through("canary").run(times=1)
    stage.unknown = frozenset({About.ACKNOWLEDGED})
    stage.run(minutes=30, times=4)
    assert stage.last is not None
    assert "Acknowledged 2" in stage.last.plan.stuck
    assert (stage.bound, stage.traffic, stage.gate) == ((OLD, [NEW]), ([], [(OLD, 100)]), None)


def test_a_candidate_whose_routers_never_hear_is_given_up_at_its_deadline() -> None:
    stage = attached().source(graph(NEW)).settle()
    stage.deaf = {stage.revision_of(NEW)}
    stage.through("canary").run(minutes=20, times=9)
    assert (stage.sizes, stage.bound) == ({OLD: SIZES}, (OLD, []))
    assert_laws(stage)


def test_r18_a_restarted_router_holds_the_rollout() -> None:
    stage = going("canary").through("half")
    before = stage.traffic
    stage.deaf = {stage.revision_of(NEW)}
    next(one for one in stage.routers.values() if one.revision in stage.deaf).restart()
    assert stage.run(times=4).traffic == before
    stage.deaf = set()
    assert stage.run(times=4).traffic == ([], [(OLD, 50), (NEW, 50)])


def test_r18_a_router_that_is_added_has_acknowledged_nothing() -> None:
    stage = going("canary", "half").through("all")
    stage.deaf = {stage.revision_of(NEW)}
    assert stage.run(times=3).traffic == ([], [(OLD, 50), (NEW, 50)])


def test_stable_shrinks_only_when_routers_know_that_it_leaves() -> None:
    stage = going("canary", "half").through("all")
    while stage.bound != (NEW, []):
        stage.run(times=1)
    stage.deaf = {stage.revision_of(OLD)}
    before = stage.run(times=3).sizes[OLD]
    assert (before["Frontend"], stage.traffic) == (1, ([], [(NEW, 100)]))
    stage.deaf = set()
    assert OLD not in stage.run().sizes
    assert_laws(stage)


def test_a_warm_stable_stays_named_until_it_retires() -> None:
    stage = going("canary", "half", terms=replace(TOLD, retire_delay=1800)).through("all")
    stage.run(minutes=5, times=3)
    assert (stage.traffic, stage.bound) == (([], [(NEW, 100)]), (OLD, [NEW]))
    stage.run(minutes=10, times=8)
    assert stage.sizes == {NEW: SIZES}
    assert_laws(stage)


def test_scaling_in_between_is_none_of_the_routers_business() -> None:
    stage = going("canary", "half")
    version = stage.version
    bigger = {name: 2 * count for name, count in SIZES.items()}
    stage.source(graph(NEW, bigger)).run(times=6)
    assert (stage.version, stage.bound) == (version, (OLD, [NEW]))
    stage.through("all").run()
    assert stage.sizes == {NEW: bigger}
    assert_laws(stage)


def test_an_idle_pass_writes_nothing() -> None:
    stage = going("canary")
    head = stage.line.head
    assert stage.run(times=3).line.head == head


def test_a_changed_file_is_put_back_at_its_version() -> None:
    stage = going("canary")
    raw = stage.line.files[BODY]
    stage.line.commit({BODY: raw.replace(b'"2"', b'"9"')})
    assert stage.run(times=1).line.files[BODY] == raw


def test_nobody_can_approve_what_routers_are_told() -> None:
    stage = attached().source(graph(NEW)).settle()
    stage.unknown = frozenset({About.REGISTERED})
    stage.through("canary").run(times=1)
    assert stage.last is not None
    due = stage.last.plan.gate
    assert due is not None
    value = read(stage.line.files[FILE])
    forged = due.approval(str(value["fence"]))
    written = {name: getattr(forged, name) for name in forged.__slots__}
    fence = f"{int(str(value['fence']).partition('-')[0]) + 1}-0123456789"
    stage.line.commit({FILE: emit({**value, "approved": written, "fence": fence}, sort=False).encode()})
    stage.run(times=2)
    assert stage.bound == (OLD, [])
    assert "GATE_STALE" in stage.all_codes


def test_a_condition_says_whether_routers_have_acknowledged() -> None:
    stage = attached().source(graph(NEW)).settle().through("canary").run(times=1)
    stage.unknown = frozenset({About.ACKNOWLEDGED})
    plan = stage.look().plan
    report = WorkloadReport(stage.key, state=plan.state, gate=plan.gate, unproven=plan.unproven)
    told = {one.type: (one.status, one.message) for one in specific(report)}
    assert told["PolicyAcknowledged"] == ("False", "Acknowledged 2 is not observed")
    assert conclude(report).reason == "WaitingForProof"


@pytest.mark.parametrize("transition", [Transition.TELL, Transition.BIND, Transition.PROMOTE])
def test_what_routers_are_told_upward_is_proven_and_asked_of_nobody(transition: Transition) -> None:
    assert transition not in ASKED
    assert PROOFS[transition]
