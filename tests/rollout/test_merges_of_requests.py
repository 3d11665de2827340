"""R2 for gates about routes and requests, over real git: stale ones conflict, forced in they gain nothing."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from gitops_rollout.api.values import Json, at
from gitops_rollout.documents.load import Limits, load
from gitops_rollout.rollout.draft import Order
from tests import gitrepo
from tests.passes.specs import routed, serving
from tests.passes.world import World, codes
from tests.rollout.test_merges import Clone, points

RECORD = "rollouts/serving/chat/rollout.yaml"
ROUTE = "rollouts/serving/chat/traffic/httproute.yaml"


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World(tmp_path / "team")
    world.commit({"specs/chat.yaml": serving(), "specs/rollout.yaml": routed()})
    return world


@pytest.fixture
def clone(world: World, tmp_path: Path) -> Clone:
    world.settle()
    return Clone(world, tmp_path / "clone")


def wants(world: World, image: str) -> Callable[[], object]:
    return lambda: world.commit({"specs/chat.yaml": serving(image=image)})


def run(world: World) -> list[Callable[[], object]]:
    return [
        world.merge,
        wants(world, "engine:2"),
        *[world.merge] * 3,
        lambda: world.poll(Order.DECLINE),
        lambda: world.poll(Order.RETRY),
        world.merge,
        wants(world, "engine:1"),
        world.merge,
    ]


def published(world: World) -> Json:
    (record,) = load(world.read(RECORD).encode(), Limits())
    return at(record.value, "state", "published")


def test_r2_a_stale_gate_conflicts_however_it_is_merged(world: World, clone: Clone) -> None:
    seen = 0
    for head, stale in points(world, run(world)):
        ways = [(way, gate) for way in ("merge", "squash", "cherry-pick", "rebase") for gate in stale]
        assert not [(way, gate) for way, gate in ways if clone.take(way, gate, head)]
        seen += len(ways)
    assert seen >= 40


def test_r2_a_stale_gate_that_is_forced_in_moves_no_request(world: World, clone: Clone) -> None:
    forced = 0
    for head, stale in points(world, run(world)):
        for gate in stale[-2:]:
            before, route, late = published(world), world.read(ROUTE), clone.take("forced", gate, head)
            if late is None:
                continue
            clone.git("push", "-q", "origin", f"{late}:refs/heads/main")
            told = set(codes(world.poll()))
            assert told & {"GATE_STALE", "PARTITION_RAISED"}
            weights = [(at(one, "header"), at(one, "weight")) for one in (before, published(world))]
            assert weights[0] == weights[1] or "PARTITION_RAISED" in told
            assert world.read(ROUTE) == route or "PARTITION_RAISED" in told
            gitrepo.point(world.output, "main", head)
            shutil.rmtree(world.cache)  # as if nobody had seen what is set back
            world.settle()
            forced += 1
    assert forced >= 5


@pytest.mark.parametrize("way", ["merge", "squash", "cherry-pick", "rebase"])
def test_a_fresh_gate_of_requests_counts_however_it_is_merged(world: World, clone: Clone, way: str) -> None:
    world.merge()
    world.settle()
    world.commit({"specs/chat.yaml": serving(image="engine:2")})
    world.settle()
    world.merge()
    world.settle()
    gate = gitrepo.git(world.output, "rev-parse", world.gate())
    merged = clone.take(way, gate, world.head())
    assert merged is not None
    clone.git("push", "-q", "origin", f"{merged}:refs/heads/main")
    world.settle()
    assert at(published(world), "header") is True
