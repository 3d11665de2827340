"""Worlds just before a pass that does much, each in one line."""

from collections.abc import Callable, Mapping

from tests.passes.specs import config, policy, routed, serving
from tests.passes.world import World

STEPS = {"specs/steps.yaml": policy()}


def first_publication(world: World) -> None:
    """Nothing is published yet; three workloads and a ConfigMap are wanted."""
    world.commit({f"specs/{name}.yaml": serving(name) for name in ("chat", "b", "c")})
    world.commit({"specs/notes.yaml": config()})


def two_changes(world: World) -> None:
    """Two workloads want another image, the ConfigMap another value."""
    first_publication(world)
    world.settle()
    world.commit({f"specs/{name}.yaml": serving(name, "engine:2") for name in ("chat", "b")})
    world.commit({"specs/notes.yaml": config(value="two")})


def replaced_offer(world: World) -> None:
    """A gate is open for a revision that nobody wants any more."""
    two_changes(world)
    world.settle()
    world.commit({"specs/chat.yaml": serving(image="engine:3")})


def merged_gate(world: World) -> None:
    """A first step of three was merged."""
    world.commit({"specs/chat.yaml": serving(policy="steps"), **STEPS})
    world.settle()
    world.commit({"specs/chat.yaml": serving(image="engine:2", policy="steps"), **STEPS})
    world.settle()
    world.merge()


def rollback(world: World) -> None:
    """A candidate serves and the source wants stable again."""
    merged_gate(world)
    world.settle()
    world.commit({"specs/chat.yaml": serving(policy="steps"), **STEPS})


def merged_requests(world: World) -> None:
    """A gate was merged that gives a canary its marked requests."""
    world.commit({"specs/chat.yaml": serving(), "specs/rollout.yaml": routed()})
    world.settle()
    world.merge()
    world.settle()
    world.commit({"specs/chat.yaml": serving(image="engine:2")})
    for _ in range(2):
        world.settle()
        world.merge()


def requests_leave(world: World) -> None:
    """A candidate answers requests and the source wants stable again."""
    merged_requests(world)
    world.settle()
    world.commit({"specs/chat.yaml": serving()})


def detached(world: World) -> None:
    """The last gate about a route was merged whose policy is gone."""
    world.commit({"specs/chat.yaml": serving(), "specs/rollout.yaml": routed()})
    world.settle()
    world.merge()
    world.settle()
    world.commit({"specs/rollout.yaml": None})
    for _ in range(2):
        world.settle()
        world.merge()


def full_history(world: World) -> None:
    """The gate `complete` was merged that makes the history too long."""
    short = {"specs/short.yaml": policy("short", "{revisionHistoryLimit: 1}")}
    world.commit({"specs/chat.yaml": serving(policy="short"), **short})
    for number in range(2, 5):
        world.settle()
        world.commit({"specs/chat.yaml": serving(image=f"engine:{number}", policy="short"), **short})
        world.settle()
        world.merge()
        world.settle()
        world.merge()


def removal(world: World) -> None:
    """The last gate of a deletion was merged."""
    first_publication(world)
    world.settle()
    world.commit({"specs/chat.yaml": None})
    world.settle()
    world.merge()
    world.settle()
    world.merge()


def hand_edits(world: World) -> None:
    """Somebody edited what is generated, for two workloads and for all."""
    two_changes(world)
    world.settle()
    world.edit(
        {
            "rollouts/serving/chat/capacity/modelserving.yaml": "kind: Other\n",
            "rollouts/serving/b/capacity/kustomization.yaml": None,
            "rollouts/kustomization.yaml": None,
        }
    )


SCENES: Mapping[str, Callable[[World], None]] = {
    scene.__name__: scene
    for scene in (
        first_publication,
        two_changes,
        replaced_offer,
        merged_gate,
        rollback,
        merged_requests,
        requests_leave,
        detached,
        full_history,
        removal,
        hand_edits,
    )
}
