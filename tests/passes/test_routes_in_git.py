"""Routes over real git: those of people are never touched (case 49), ours follow what people say."""

import pytest

from gitops_rollout.rollout.draft import Order
from tests import gitrepo
from tests.cli.shell import run
from tests.passes.routes import (
    FOLDER,
    OTHERS,
    ROUTE,
    THEIRS,
    below,
    not_owned,
    route,
    stands,
    step_of,
    through,
    wanted,
    without_number,
)
from tests.passes.specs import config, routed, serving
from tests.passes.world import World, codes

PLACES = pytest.mark.parametrize("where", ["source", "others", "traffic"])


@PLACES
@pytest.mark.parametrize(("named", "name"), [("", "chat"), ("chat", "chat-rollout")])
def test_a_route_of_people_holds_ours_back_until_it_is_moved(
    world: World, where: str, named: str, name: str
) -> None:
    path = stands(world, where, name)
    wanted(world, named=named)
    assert not_owned(world.settle()) == [path]
    assert (step_of(world), ROUTE in world.tree()) == ("", where == "traffic")
    stands(world, where, "")
    world.settle()
    assert step_of(world) == "attach"


@PLACES
def test_a_route_of_people_stays_byte_for_byte_and_once_says_so(world: World, where: str) -> None:
    path = stands(world, where, "chat-rollout")
    wanted(world)
    once = ("once", "--source", world.source, "--output", world.output, "--cache", world.cache)
    ended = run(*once)
    assert (ended.code, "ROUTE_NOT_OWNED" in ended.err, path in ended.err) == (3, True, True)
    kept = path if where != "source" else THEIRS.replace("-chat.", "-chat-rollout.")
    assert world.read(kept) == route("chat-rollout")


@pytest.mark.parametrize("where", ["source", "others"])
def test_a_route_of_people_in_mid_rollout_holds_its_steps_back(halfway: World, where: str) -> None:
    ours = below(halfway, FOLDER)
    path = stands(halfway, where, "chat-rollout")
    assert not_owned(halfway.settle()) == [path]
    assert (step_of(halfway), below(halfway, FOLDER)) == ("", ours)
    stands(halfway, where, "")
    halfway.settle()
    assert step_of(halfway) == "all"


@PLACES
def test_the_way_back_does_not_wait_for_a_route_of_people(halfway: World, where: str) -> None:
    stands(halfway, where, "chat-rollout")
    halfway.poll(Order.ABORT)
    halfway.settle()
    through(halfway, "drained", "complete")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("weight: 50", "weight: 60"),
        ("  rules:\n", "  rules:\n  - name: third\n    backendRefs:\n    - {name: legacy, port: 80}\n"),
        ("  name: chat-rollout", "  name: other"),
        ("spec:", "spec: [] # "),
        ("", route("chat-rollout")),
    ],
)
def test_a_hand_edit_of_our_route_is_put_back_by_a_commit_that_names_it(
    halfway: World, old: str, new: str
) -> None:
    before = halfway.read(ROUTE)
    halfway.edit({ROUTE: before.replace(old, new, 1) if old else new})
    halfway.settle()
    assert without_number(halfway.read(ROUTE)) == without_number(before)
    assert halfway.log()[0] == "serving/chat: put back what was changed by hand"
    assert step_of(halfway) == "all"


def test_the_route_of_the_team_goes_when_it_is_let_go(world: World) -> None:
    wanted(world)
    world.settle()
    assert world.read(THEIRS) == route()
    through(world, "attach")
    assert world.read(THEIRS) == route()
    world.merge()
    assert "DELETION_HELD" not in codes(world.poll())
    assert THEIRS not in world.tree()


def test_it_goes_also_where_deletions_are_held(world: World) -> None:
    configs = {f"specs/{name}.yaml": config(name) for name in ("a", "b", "c")}
    world.commit(configs)
    wanted(world)
    world.settle()
    through(world, "attach")
    before = below(world, OTHERS).keys()
    world.commit(dict.fromkeys(configs))
    assert "DELETION_HELD" in codes(world.settle())
    assert below(world, OTHERS).keys() == before
    world.merge()
    world.settle()
    assert before - below(world, OTHERS).keys() == {THEIRS}


def test_it_stays_away_when_others_change(attached: World) -> None:
    for number in range(2, 4):
        attached.commit(
            {
                "specs/far.yaml": serving("far", f"engine:{number}"),
                "specs/notes.yaml": config(value=str(number)),
            }
        )
        world = attached if number == 2 else attached.replica()
        world.settle()
        assert (THEIRS in world.tree(), step_of(world)) == (False, "")
        assert len(world.gates("far/")) == 1


def test_without_its_policy_the_team_s_route_is_back_and_ours_leaves_by_gates(attached: World) -> None:
    attached.commit({"specs/rollout.yaml": None})
    attached.settle()
    assert attached.read(THEIRS) == route()
    through(attached, "detach")
    assert "prune" not in attached.read(ROUTE)
    through(attached, "unprotected")
    assert (step_of(attached), ROUTE in attached.tree()) == ("", False)


def test_the_last_of_the_traffic_goes_with_the_gate_after_the_route(attached: World) -> None:
    attached.commit({"specs/rollout.yaml": None})
    attached.settle()
    through(attached, "detach", "unprotected")
    assert len(below(attached, f"{FOLDER}/traffic")) == len(["kustomization.yaml", "pool"])
    attached.commit({"specs/chat.yaml": serving(image="engine:2")})
    attached.settle()
    through(attached, "all")
    assert below(attached, f"{FOLDER}/traffic", "rollouts/_traffic") == {}
    assert "_traffic" not in attached.read("rollouts/kustomization.yaml")


def test_a_workload_without_a_route_is_touched_by_none_of_it(halfway: World) -> None:
    far = below(halfway, "rollouts/serving/far")
    halfway.poll(Order.ABORT)
    through(halfway, "drained", "complete")
    halfway.commit({"specs/rollout.yaml": None})
    halfway.settle()
    through(halfway, "detach", "unprotected")
    last = gitrepo.git(halfway.output, "log", "--format=%s", "main", "--", "rollouts/serving/far")
    assert (below(halfway, "rollouts/serving/far"), len(last.splitlines())) == (far, 1)


def test_a_policy_that_goes_in_mid_rollout_changes_no_byte(halfway: World) -> None:
    before = below(halfway, "rollouts")
    halfway.commit({"specs/rollout.yaml": None})
    assert "POLICY_FROZEN" in codes(halfway.settle())
    assert below(halfway, "rollouts") == before
    through(halfway, "all", "all-traffic", "drained", "complete")
    assert step_of(halfway) == "detach"


FREEZE = "apiVersion: gitops-rollout.io/v1alpha1\nkind: Freeze\nmetadata: {name: year-end}\n"
WRITTEN = {"frozen": FREEZE, "refused": f"{FREEZE}spec: {{to: soon}}\n", "unreadable": "kind: ["}
FREEZES = pytest.mark.parametrize("freeze", WRITTEN.values(), ids=WRITTEN)


@FREEZES
def test_the_gate_of_a_step_is_gone_in_a_freeze_and_back_after_it(halfway: World, freeze: str) -> None:
    gate = halfway.gate()
    halfway.commit({"specs/freeze.yaml": freeze})
    halfway.settle()
    assert halfway.gates() == []
    halfway.commit({"specs/freeze.yaml": None})
    halfway.settle()
    assert halfway.gates() == [gate]


@FREEZES
def test_a_way_back_does_not_wait_for_a_freeze(halfway: World, freeze: str) -> None:
    halfway.commit({"specs/freeze.yaml": freeze})
    halfway.settle()
    halfway.poll(Order.ABORT)
    through(halfway, "drained", "complete")
    assert "engine:2" not in halfway.read(f"{FOLDER}/capacity/modelserving.yaml")


def test_a_workload_with_windows_is_asked_inside_them_only(halfway: World) -> None:
    """It is Friday, 14:00 in Berlin."""
    windows = "  windows: [{cron: '0 9 * * 1-5', duration: 8h, tz: Europe/Berlin}]\n"
    halfway.commit({"specs/rollout.yaml": routed(route="chat") + windows})
    asked = []
    for hours in (0, 2.9, 0.1, 63.9, 0.1):
        halfway.later(hours=hours)
        halfway.settle()
        asked.append(step_of(halfway))
    assert asked == ["all", "all", "", "", "all"]
