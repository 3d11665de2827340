"""Gate branches: merged in any way, left alone where people wrote, made again where gone (65, 67, 68)."""

import pytest

from gitops_rollout.rollout.draft import Order
from tests import gitrepo
from tests.passes.arranged import merged_gate, removal, two_changes
from tests.passes.specs import policy, serving
from tests.passes.world import World, codes, image, partition

STEPS = policy()
FILE = "rollouts/serving/chat/capacity/modelserving.yaml"


def offered(world: World, name: str = "chat") -> None:
    """Open the first gate of three steps, after an eventless first publication."""
    world.commit({"specs/steps.yaml": STEPS, f"specs/{name}.yaml": serving(name, policy="steps")})
    world.settle()
    world.commit({f"specs/{name}.yaml": serving(name, "engine:2", policy="steps")})
    world.settle()


@pytest.mark.parametrize("how", ["merge", "squash", "rebase", "fast-forward"])
def test_a_whole_rollout_takes_one_gate_a_step_however_it_is_merged(world: World, how: str) -> None:
    offered(world)
    seen = []
    while world.gates():
        step = world.gate().split("/")[-1].split("-")[1]
        world.merge(how=how)
        world.poll()
        seen.append((step, image(world), partition(world)))
    assert seen == [
        ("1", "engine:2", "3"),
        ("50pct", "engine:2", "2"),
        ("100pct", "engine:2", "0"),
        ("complete", "engine:2", None),
    ]
    assert world.poll().settled


@pytest.mark.parametrize("how", ["merge", "squash", "rebase", "fast-forward"])
def test_a_merge_with_another_commit_on_top_is_still_found(world: World, how: str) -> None:
    offered(world)
    world.merge(how=how)
    world.edit({"README.md": "right after it"})
    world.poll()
    assert (partition(world), world.gate().split("-")[-2]) == ("3", "50pct")


def test_a_gate_is_one_commit_on_the_head_and_proposes_something(world: World) -> None:
    offered(world)
    parents = gitrepo.git(world.output, "log", "-1", "--format=%P", world.gate())
    assert parents == world.head()
    assert sorted(path.rpartition("/")[2] for path in _proposed(world)) == [
        "modelserving.yaml",
        "rollout.yaml",
    ]
    assert image(world) == "engine:1"


def test_two_gates_are_merged_in_either_order_and_never_conflict(world: World) -> None:
    two_changes(world)
    world.settle()
    for first, second in (("chat", "b"), ("b", "chat")):
        gates = [world.gate(first), world.gate(second)]
        for gate in gates:
            world.merge(gate)
        world.settle()
    assert (image(world), image(world, name="b")) == ("engine:2", "engine:2")
    assert world.gates() == []


def test_one_merge_leaves_the_other_workload_s_gate_as_it_is(world: World) -> None:
    two_changes(world)
    world.settle()
    before = world.refs()[world.gate("b")]
    world.merge(world.gate("chat"))
    world.settle()
    assert world.refs()[world.gate("b")] == before


def test_a_gate_is_rebuilt_when_its_own_workload_moved_and_only_then(world: World) -> None:
    offered(world)
    gate, before = world.gate(), world.refs()[world.gate()]
    world.edit({"README.md": "far away"})
    world.settle()
    assert world.refs()[gate] == before
    path = FILE.replace("modelserving", "kustomization")
    world.edit({path: world.read(path) + "# by hand\n"})
    world.settle()
    assert world.refs()[world.gate()] != before
    world.merge()
    world.poll()
    assert image(world) == "engine:2"


def test_another_revision_takes_the_old_question_away(world: World) -> None:
    offered(world)
    first = world.gate()
    world.commit({"specs/chat.yaml": serving(image="engine:3", policy="steps")})
    world.settle()
    assert world.gate() != first
    assert gitrepo.branches(world.output).keys() == {"main", world.gate()}
    assert image(world, world.gate()) == "engine:3"


def test_a_question_that_is_taken_back_is_taken_away(world: World) -> None:
    offered(world)
    world.commit({"specs/chat.yaml": serving(policy="steps")})
    world.settle()
    assert world.gates() == []


def test_a_gate_that_came_too_late_approves_nothing(world: World) -> None:
    offered(world)
    late = gitrepo.head(world.output, world.gate())
    world.commit({"specs/chat.yaml": serving(policy="steps")})
    world.settle()
    gitrepo.point(world.output, "late", late)
    assert gitrepo.conflicts(world.output, "main", "late")


def test_a_gate_with_a_person_s_commit_is_left_alone_and_still_counts(world: World) -> None:
    offered(world)
    theirs = gitrepo.commit_files(world.output, world.gate(), {"NOTES.md": "looked at it"})
    assert "GATE_MODIFIED" in codes(world.poll())
    assert world.refs()[world.gate()] == theirs
    world.merge()
    world.poll()
    assert (image(world), world.read("NOTES.md")) == ("engine:2", "looked at it")


def test_the_successor_of_a_gate_with_a_person_s_commit_has_another_name(world: World) -> None:
    offered(world)
    first = world.gate()
    theirs = gitrepo.commit_files(world.output, first, {"NOTES.md": "looked at it"})
    path = FILE.replace("modelserving", "kustomization")
    world.edit({path: world.read(path) + "# by hand\n"})
    world.settle()
    assert world.refs()[first] == theirs
    assert sorted(world.gates()) == [first, f"{first}-2"]
    world.merge(f"{first}-2")
    world.settle()
    assert image(world) == "engine:2"
    assert first in world.refs()


def test_a_person_s_commit_that_goes_further_counts_for_what_it_shows(world: World) -> None:
    offered(world)
    text = world.read(FILE, world.gate()).replace("partition: 3", "partition: 0")
    gitrepo.commit_files(world.output, world.gate(), {FILE: text})
    world.poll()
    world.merge()
    report = world.poll()
    assert partition(world) == "0"
    assert "STEP_SKIPPED" in codes(report)


def test_foreign_branches_are_never_touched(world: World) -> None:
    others = ("feature", "gitops-rollout/other", "gitops-rollout/gate/serving/ms-unknown/1-all-00000000")
    for name in others:
        gitrepo.commit_files(world.output, name, {"README.md": name})
    foreign = world.refs()
    offered(world)
    world.merge()
    world.settle()
    assert foreign.items() <= world.refs().items()


@pytest.mark.parametrize(
    "name", ["gitops-rollout", "gitops-rollout/gate", "gitops-rollout/gate/serving/ms-chat"]
)
def test_a_foreign_branch_in_the_way_of_a_gate_is_said(world: World, name: str) -> None:
    world.commit({"specs/chat.yaml": serving()})
    world.settle()
    gitrepo.commit_files(world.output, name, {"README.md": name})
    world.commit({"specs/chat.yaml": serving(image="engine:2")})
    report = world.poll()
    assert "GATE_NOT_OPENED" in codes(report)
    assert report.workloads[0].branch == ""
    gitrepo.point(world.output, name, None)
    world.settle()
    assert len(world.gates("chat")) == 1


def test_the_branches_of_a_removed_workload_are_removed(world: World) -> None:
    removal(world)
    world.settle()
    assert world.gates() == []


def test_a_leftover_branch_of_a_workload_that_is_unknown_is_removed(world: World) -> None:
    offered(world)
    leftover = gitrepo.head(world.output, world.gate())
    gitrepo.point(world.output, "gitops-rollout/gate/serving/ms-gone/1-1-00000000", leftover)
    world.settle()
    assert len(world.gates()) == 1


def test_a_declined_gate_goes_and_comes_back_when_asked_for(world: World) -> None:
    offered(world)
    gate = world.gate()
    world.poll(Order.DECLINE)
    assert (world.gates(), world.settle().settled) == ([], True)
    world.poll(Order.RETRY)
    assert world.gates() == [gate]


def test_an_abort_in_mid_rollout_goes_back_and_stays_back(world: World) -> None:
    merged_gate(world)
    world.settle()
    world.poll(Order.ABORT)
    world.settle()
    assert (image(world), partition(world)) == ("engine:1", "3")
    world.merge()
    world.settle()
    assert (world.gates(), partition(world)) == ([], None)


def _proposed(world: World) -> list[str]:
    return gitrepo.git(world.output, "diff", "--name-only", "main", world.gate()).splitlines()
