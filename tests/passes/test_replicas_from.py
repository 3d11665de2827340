"""Where an autoscaler owns the replicas they are never written, and steps are percentages (R8)."""

import yaml

from tests.passes.specs import policy, serving
from tests.passes.world import World

POLICY = policy("auto", "{steps: [25%, 100%], replicasFrom: Cluster}")


def published(world: World) -> dict[str, object]:
    value = yaml.safe_load(world.read("rollouts/serving/chat/capacity/modelserving.yaml"))
    spec: dict[str, object] = value["spec"]
    return spec


def scaled(world: World, image: str = "engine:1", replicas: int = 4) -> None:
    world.commit(
        {"specs/p.yaml": POLICY, "specs/chat.yaml": serving(image=image, replicas=replicas, policy="auto")}
    )
    world.settle()


def test_the_count_of_the_source_is_never_written(world: World) -> None:
    scaled(world)
    assert "replicas" not in published(world)


def test_another_count_in_the_source_writes_nothing(world: World) -> None:
    scaled(world)
    before = world.refs()
    scaled(world, replicas=9)
    assert world.refs() == before


def test_a_step_moves_the_partition_in_percent(world: World) -> None:
    scaled(world)
    scaled(world, image="engine:2")
    world.merge(world.gate("chat"))
    world.settle()
    assert published(world)["rolloutStrategy"] == {"rollingUpdateConfiguration": {"partition": "75%"}}


def test_a_rollout_goes_to_its_end(world: World) -> None:
    scaled(world)
    scaled(world, image="engine:2")
    for _ in range(3):
        world.merge(world.gate("chat"))
        world.settle()
    assert (world.gates(), "rolloutStrategy" in published(world)) == ([], False)


def test_a_step_that_counts_is_refused(world: World) -> None:
    world.commit({"specs/p.yaml": policy("auto", "{steps: [1, 100%], replicasFrom: Cluster}")})
    assert [problem.path for problem in world.poll().problems] == ["spec.steps"]
