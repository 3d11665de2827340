"""Several outputs in one repository: other branches, other folders; none takes the other's gates."""

import pytest

from tests import gitrepo
from tests.passes.specs import serving
from tests.passes.world import World

PLACES = [("prod", "rollouts"), ("main", "prod"), ("main", "clusters/prod"), ("env/prod", "rollouts")]


def question(world: World, gate: str) -> str:
    """Give which output a gate is about."""
    message = gitrepo.git(world.output, "log", "-1", "--format=%B", gate)
    return next(line.split(": ")[1] for line in message.splitlines() if line.startswith("Rollout-Output"))


@pytest.mark.parametrize(("branch", "root"), PLACES)
def test_two_pipelines_of_one_repository_ask_and_go_on_each_by_itself(
    world: World, branch: str, root: str
) -> None:
    prod = world.beside("prod", branch, root)
    world.commit({"specs/chat.yaml": serving()})
    for one in (world, prod):
        one.settle()
    world.commit({"specs/chat.yaml": serving(image="engine:2")})
    for one in (world, prod, world, prod):
        one.settle()
    before = world.refs()
    for one in (world, prod) * 2:
        assert one.poll().settled
    assert world.refs() == before
    gates = {question(world, gate): gate for gate in world.gates()}
    assert set(gates) == {"main:rollouts", f"{branch}:{root}"}
    gitrepo.merge(world.output, branch, gates[f"{branch}:{root}"])
    for one in (world, prod):
        one.settle()
    published = f"{root}/serving/chat/capacity/modelserving.yaml"
    assert "engine:2" in world.read(published, branch)
    assert "engine:2" not in world.read("rollouts/serving/chat/capacity/modelserving.yaml")
    assert gates["main:rollouts"] in world.gates()


def test_a_gate_of_a_workload_that_another_output_alone_has_is_no_leftover(world: World) -> None:
    prod = world.beside("prod", "prod")
    world.commit({"specs/chat.yaml": serving()})
    prod.settle()
    world.commit({"specs/chat.yaml": serving(image="engine:2")})
    prod.settle()
    world.commit({"specs/chat.yaml": "}{", "specs/b.yaml": serving("b")})
    world.settle()
    assert len(world.gates("chat")) == 1
