"""Routes beside each other, over real git: two workloads, two publishers, another route in the place."""

import pytest

from gitops_rollout.api.settings import Others
from gitops_rollout.report import Report
from tests.passes.routes import (
    OTHERS,
    ROUTE,
    THEIRS,
    not_owned,
    route,
    step_of,
    through,
    wanted,
)
from tests.passes.specs import routed, serving
from tests.passes.world import World


def refused(report: Report) -> set[str]:
    return {one.code for workload in report.workloads for one in workload.problems}


def test_the_first_pass_says_what_is_wrong_with_a_policy(world: World) -> None:
    world.commit({"specs/chat.yaml": serving(), "specs/rollout.yaml": routed(route="nowhere")})
    assert refused(world.poll()) == {"ROUTE_UNKNOWN"}


@pytest.mark.parametrize("named", ["", "chat"])
def test_two_workloads_do_not_answer_the_same_requests(world: World, named: str) -> None:
    world.commit({f"specs/{name}.yaml": serving(name) for name in ("chat", "far")})
    world.commit({f"specs/r-{name}.yaml": routed(name, named) for name in ("chat", "far")})
    world.commit({"specs/route.yaml": route("chat")} if named else {})
    assert len(not_owned(world.settle())) == 2
    world.commit({"specs/r-far.yaml": None})
    world.settle()
    assert step_of(world) == "attach"


def test_a_route_that_somebody_else_publishes_gives_no_way(world: World) -> None:
    world.told(others=Others.IGNORE)
    wanted(world, named="chat")
    assert refused(world.settle()) == {"POLICY_INVALID"}


def test_a_route_under_our_name_is_in_the_way_whoever_publishes_it(world: World) -> None:
    world.told(others=Others.IGNORE)
    wanted(world, named="")
    world.commit({"specs/own.yaml": route("chat")})
    assert not_owned(world.settle()) == ["specs/own.yaml"]


def test_another_route_of_the_source_gives_way_by_a_gate_of_its_own(attached: World) -> None:
    attached.commit({"specs/other.yaml": route("other").replace("/v1", "/v2")})
    attached.settle()
    attached.commit({"specs/rollout.yaml": routed(route="other")})
    attached.settle()
    other = THEIRS.replace("-chat.", "-other.")
    assert {THEIRS, other} <= attached.tree().keys()
    through(attached, "attach")
    assert {THEIRS, other} <= attached.tree().keys()
    through(attached, "attach-traffic")
    assert (THEIRS in attached.tree(), other in attached.tree()) == (True, False)


def test_a_new_route_of_people_is_published_as_long_as_none_of_ours_stands(world: World) -> None:
    wanted(world, named="")
    world.settle()
    world.commit({"specs/own.yaml": route("chat")})
    world.settle()
    assert THEIRS in world.tree()


def test_one_that_bears_the_name_of_our_route_is_not_published_beside_it(world: World) -> None:
    wanted(world, named="")
    world.settle()
    through(world, "attach")
    world.commit({"specs/own.yaml": route("chat")})
    assert not_owned(world.settle()) == ["specs/own.yaml"]
    assert THEIRS not in world.tree()


def test_the_route_of_a_workload_that_was_never_accepted_is_published(world: World) -> None:
    wanted(world)
    world.commit({"specs/chat.yaml": serving().replace("name: decode", "name: Decode_")})
    world.settle()
    assert THEIRS in world.tree()


def test_other_files_of_people_below_traffic_stay_and_hold_nothing_back(attached: World) -> None:
    attached.edit({ROUTE.replace("httproute.yaml", "README.md"): "hello\n"})
    attached.commit({"specs/chat.yaml": serving(image="engine:2")})
    attached.settle()
    assert step_of(attached) == "canary"
    assert f"{OTHERS}/kustomization.yaml" in attached.tree()
