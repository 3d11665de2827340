"""Requests to a graph that holds both revisions: capacity, binding, acknowledgement, requests, and back."""

from collections.abc import Mapping
from dataclasses import replace
from itertools import groupby, pairwise

import pytest

from gitops_rollout.api.graph_terms import Contract
from gitops_rollout.api.values import Object, at, mapping
from gitops_rollout.documents.load import Limits, load
from gitops_rollout.revision.history import ROLE_LABEL
from gitops_rollout.rollout.draft import Order
from gitops_rollout.rollout.facts import About
from tests.rollout.graphs import SIZES, TERMS, graph
from tests.rollout.in_place import NEXT, components, everywhere, only
from tests.rollout.in_place_told import TOLD, InPlaceTold, attached, going, unlabelled
from tests.rollout.observed import NEW, OLD
from tests.rollout.router_laws import assert_laws, state_of
from tests.rollout.stage import HOME
from tests.rollout.told import BODY

HALF = {"Frontend": 1, "Decode": 2, "Prefill": 2}


def services(stage: InPlaceTold) -> dict[str, Object]:
    """Give what every published Service selects, by the image of its revision."""
    images = {pool.name: stage.image_of(pool.revision) for pool in stage.pools()}
    paths = [path for path in stage.line.files if path.startswith(f"{HOME}/traffic/service-")]
    values = [mapping(load(stage.line.files[path], Limits())[0].value) for path in paths]
    return {images[str(at(one, "metadata", "name"))]: mapping(at(one, "spec", "selector")) for one in values}


def order(stage: InPlaceTold) -> list[str]:
    """Name what each commit of the last rollout changed, in order."""
    kinds = []
    for before, after in pairwise(stage.line.versions):
        old, new = (at(state_of(files), "published") for files in (before, after))
        rows = (
            ("binding", before.get(BODY) != after.get(BODY)),
            ("partition", at(old, "partition") != at(new, "partition")),
            (
                "requests",
                [at(old, one) for one in ("header", "weight")] != [at(new, "header"), at(new, "weight")],
            ),
        )
        kinds += ["+".join(name for name, differs in rows if differs)]
    return [one for one in kinds if one]


def test_the_whole_way_up() -> None:
    stage = going("canary", "half", "all")
    assert (stage.pods, stage.bound) == (everywhere(NEW), (NEW, []))
    assert (stage.traffic, stage.partitions) == (([], [(NEW, 100)]), {})
    assert_laws(stage)
    assert stage.gaps == []


def test_a_share_is_not_lowered_while_all_that_carries_it_answers() -> None:
    stage = going("canary", "half", "all")
    weights = [at(state_of(files), "published", "weight") for files in stage.line.versions]
    assert [one for one, _ in groupby(weights)] == [None, 50, 100, None]
    assert "SHARE_LOWERED" not in stage.all_codes


def test_a_share_is_lowered_when_one_of_them_stops_answering() -> None:
    stage = going("canary", "half")
    stage.operator.silent["Decode", NEW] = 1
    assert stage.run(times=1).traffic == ([], [(OLD, 75), (NEW, 25)])


def test_capacity_comes_before_the_binding_and_the_binding_before_requests() -> None:
    stage = attached()
    began = len(order(stage))
    stage.source(graph(NEW)).settle()
    for name in ("canary", "half", "all"):
        stage.run(times=3).through(name).run()
    assert order(stage)[began:] == [
        *("partition", "binding", "requests"),
        *("partition", "requests"),
        *("partition", "requests", "binding", "partition"),
        "partition+requests",  # the end: all of the candidate's are stable's
    ]


def test_services_tell_the_pods_of_a_revision_by_the_label_of_its_component() -> None:
    stage = going("canary")
    found = services(stage)
    written = at(components(stage.published)["Frontend"], "podTemplate", "metadata", "labels", ROLE_LABEL)
    assert written is not None
    assert at(found[NEW], ROLE_LABEL) == written
    assert at(found[OLD], ROLE_LABEL) not in (None, written)
    for selector in found.values():
        assert at(selector, "nvidia.com/dynamo-graph-deployment-name") == "chat"
        assert at(selector, "nvidia.com/dynamo-component") == "Frontend"


def test_a_binding_waits_for_workers_that_are_registered() -> None:
    stage = attached().source(graph(NEW)).settle()
    stage.unknown = frozenset({About.REGISTERED})
    stage.through("canary").run(times=3)
    assert (stage.bound, stage.traffic) == ((OLD, []), ([], [(OLD, 100)]))
    assert stage.pods["Frontend"] == {OLD: 1, NEW: 1}


def test_requests_wait_for_every_router_that_is_selected() -> None:
    stage = attached().source(graph(NEW)).settle()
    stage.through("canary").run(times=1)
    stage.deaf = {stage.revision_of(NEW)}
    stage.run(times=4)
    assert stage.traffic == ([], [(OLD, 100)])


def test_stable_keeps_one_of_everything_until_it_gets_no_request() -> None:
    stage = going("canary", "half").through("all")
    stage.unknown = frozenset({About.DRAINED})
    stage.run()
    assert (stage.partitions, stage.traffic) == (dict.fromkeys(SIZES, 1), ([], [(NEW, 100)]))
    assert stage.bound == (NEW, [])


@pytest.mark.parametrize("gates", [(), ("canary",), ("canary", "half"), ("canary", "half", "all")])
def test_a_way_back_takes_requests_then_the_binding_then_pods(gates: tuple[str, ...]) -> None:
    stage = going(*gates[:-1])
    stage.unknown = frozenset({About.DRAINED, About.UPDATED})
    for name in gates[-1:]:
        stage.run(times=3).through(name).run(times=5)
    began = len(order(stage))
    stage.source(graph(OLD)).look()
    stage.unknown = frozenset()
    stage.run(times=20)
    assert (stage.pods, stage.bound, stage.traffic) == (everywhere(OLD), (OLD, []), ([], [(OLD, 100)]))
    moved = [one for one in order(stage)[began:] if one not in ("partition", "partition+requests")]
    assert moved in ([], ["requests", "binding"], ["binding", "requests", "binding"])
    assert_laws(stage)
    assert stage.gaps == []


def test_a_starved_stable_gets_half_of_everything_before_its_requests() -> None:
    stage = going("canary", "half").through("all")
    stage.unknown = frozenset({About.DRAINED})
    stage.run(times=5).source(graph(OLD)).look()
    assert stage.pods == {name: {OLD: count, NEW: count} for name, count in HALF.items()}
    assert (stage.traffic, stage.bound) == (([], [(NEW, 100)]), (NEW, []))


def test_an_abort_goes_back_and_offers_it_no_more() -> None:
    stage = going("canary", "half").order(Order.ABORT)
    stage.run(times=20)
    assert (stage.pods, stage.bound, stage.gate) == (everywhere(OLD), (OLD, []), None)


def test_a_third_revision_takes_over_when_the_second_is_unbound() -> None:
    stage = going("canary").source(graph(NEXT)).run(times=8)
    assert (stage.bound, stage.traffic) == ((OLD, []), ([], [(OLD, 100)]))
    stage.through("canary").run()
    assert stage.bound == (OLD, [NEXT])
    assert_laws(stage)


BIGGER = {name: 2 * count for name, count in SIZES.items()}


def test_scaling_up_keeps_the_step_and_its_share() -> None:
    stage = going("canary", "half")
    stage.source(graph(NEW, BIGGER)).run(times=6)
    assert stage.partitions == {name: count // 2 for name, count in BIGGER.items()}
    assert (stage.traffic, stage.bound) == (([], [(OLD, 50), (NEW, 50)]), (OLD, [NEW]))
    stage.through("all").run()
    assert stage.pods == everywhere(NEW, BIGGER)
    assert_laws(stage)


def test_scaling_when_stable_is_drained_gives_it_nothing_back() -> None:
    stage = going("canary", "half").through("all")
    stage.unknown = frozenset({About.UPDATED})
    stage.run().source(graph(NEW, BIGGER)).run(times=4)
    assert stage.pods == everywhere(NEW, BIGGER)


def test_scaling_while_stable_keeps_one_keeps_one() -> None:
    stage = going("canary", "half").through("all")
    stage.unknown = frozenset({About.DRAINED})
    stage.run().source(graph(NEW, BIGGER)).run(times=4)
    assert (stage.partitions, stage.traffic) == (dict.fromkeys(SIZES, 1), ([], [(NEW, 100)]))


def test_scaling_down_takes_no_share_that_its_replicas_carry() -> None:
    stage = going("canary", "half", sizes=BIGGER)
    stage.source(graph(NEW)).run(times=6)
    assert (stage.partitions, stage.traffic) == (HALF, ([], [(OLD, 50), (NEW, 50)]))


def told(stage: InPlaceTold) -> str:
    """Give why requests cannot follow; no gate of a step stands open then."""
    assert stage.last is not None
    assert stage.gate is None
    return next(one.message for one in stage.last.plan.notes if one.code == "TRAFFIC_REFUSED")


def test_what_ran_before_has_no_label_to_attach_by() -> None:
    assert "name one under adopt.revisionLabel, or do one rollout without route" in told(unlabelled())


def labelled(image: str, release: str) -> Object:
    pod: Object = {
        "metadata": {"labels": {"example.com/release": release}},
        "spec": {"containers": [{"name": "main", "image": image}]},
    }
    return graph(image, changed={"Frontend": {"podTemplate": pod}})


def test_a_label_of_its_own_tells_what_ran_before() -> None:
    terms = replace(TOLD, gateway=replace(TERMS, adopt=("example.com/release", "one")))
    stage = unlabelled(terms, labelled(OLD, "one")).run(times=3).through("attach").run(times=2)
    stage.source(labelled(NEW, "two")).settle()
    stage.through("canary").run()
    assert at(services(stage)[OLD], "example.com/release") == "one"
    assert stage.bound == (OLD, [NEW])


def test_a_label_that_the_candidate_carries_too_tells_nothing() -> None:
    terms = replace(TOLD, gateway=replace(TERMS, adopt=("example.com/release", "one")))
    stage = unlabelled(terms, labelled(OLD, "one")).run(times=3).through("attach").run(times=2)
    assert "carry the same labels" in told(stage.source(labelled(NEW, "one")).run(times=2))


@pytest.mark.parametrize("name", SIZES)
def test_a_single_replica_of_anything_cannot_serve_both(name: str) -> None:
    sizes: Mapping[str, int] = {**SIZES, name: 1}
    stage = attached(sizes=sizes).source(graph(NEW, sizes)).run(times=2)
    assert f"one replica of {name}" in told(stage)


CONTRACTS = (Contract.between("router", "worker", "api/1"), Contract.between("prefill", "decode", "nixl/1"))


def test_requests_do_not_follow_a_component_that_nobody_sends_them_to() -> None:
    stage = attached(replace(TOLD, contracts=CONTRACTS)).source(only(NEW, "Decode")).run(times=2)
    assert "Frontend is the same in both revisions" in told(stage)


def test_a_contract_lets_a_router_change_and_choose_the_workers_that_stay() -> None:
    stage = attached(replace(TOLD, contracts=CONTRACTS)).source(only(NEW, "Frontend")).settle()
    stage.through("canary").run()
    assert stage.pods == {**everywhere(OLD), "Frontend": {OLD: 1, NEW: 1}}
    assert stage.traffic == ([(NEW, 1)], [(OLD, 100)])
