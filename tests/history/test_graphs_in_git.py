"""Graphs over real git, and every real one through one pass."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from gitops_rollout.api.values import Object, at
from gitops_rollout.documents.emit import emit
from gitops_rollout.documents.load import Limits, load
from gitops_rollout.documents.unreadable import Unreadable
from tests import gitrepo
from tests.history.graphs import alpha_of, beta_of
from tests.kinds.dynamograph.manifests import component, graph
from tests.passes.specs import serving
from tests.passes.world import World, codes
from tests.shared import shared

OUTPUT = "rollouts/serving/chat/capacity/dgd.yaml"


def wants(world: World, value: Object) -> None:
    world.commit({"specs/chat.yaml": emit(value)})
    world.settle()


def open_gate(world: World) -> str:
    (one,) = [name for name in world.refs() if name.startswith("gitops-rollout/gate/serving/dgd-chat/")]
    return one


def merged(world: World, step: str) -> None:
    gate = open_gate(world)
    assert step in gate
    gitrepo.merge(world.output, "main", gate)
    world.settle()


def test_publish_offer_one_gate_complete(world: World) -> None:
    wants(world, beta_of())
    assert "engine:a" in world.read(OUTPUT)
    wants(world, beta_of(engine="engine:b"))
    assert "engine:b" not in world.read(OUTPUT)
    merged(world, "all")
    assert "engine:b" in world.read(OUTPUT)
    merged(world, "complete")
    assert list(world.refs()) == ["main"]


def test_the_way_back_and_a_third(world: World) -> None:
    wants(world, beta_of())
    wants(world, beta_of(engine="engine:b"))
    merged(world, "all")
    wants(world, beta_of())
    assert "engine:b" not in world.read(OUTPUT)
    merged(world, "complete")
    wants(world, beta_of(engine="engine:c"))
    merged(world, "all")
    assert "engine:c" in world.read(OUTPUT)


def test_the_other_api_version_moves_no_ref(world: World) -> None:
    wants(world, beta_of())
    before = world.refs()
    wants(world, alpha_of())
    assert world.refs() == before


def test_28_a_refused_graph_stays_as_it_is_and_others_go_on(world: World) -> None:
    wants(world, beta_of())
    before = world.read(OUTPUT)
    world.commit({"specs/chat.yaml": emit(graph(component("Frontend"))), "specs/b.yaml": serving("b")})
    report = world.poll()
    assert ("COMPONENT_SET" in codes(report), report.refused) == (True, True)
    assert (world.read(OUTPUT), "rollouts/serving/b/rollout.yaml" in world.tree()) == (before, True)


def test_30_a_component_that_is_there_twice_is_refused(world: World) -> None:
    world.commit({"specs/chat.yaml": emit(graph(component("Decode"), component("Decode")))})
    assert world.poll().refused
    assert "main" not in world.refs() or OUTPUT not in world.tree()


def test_one_name_for_a_graph_and_a_serving_is_refused(world: World) -> None:
    world.commit({"specs/chat.yaml": emit(beta_of()), "specs/other.yaml": serving("chat")})
    assert "NAME_SHARED" in codes(world.poll())


Names = dict[str, list[str]]
"""File → the folders in which its graphs belong."""


def real() -> Iterator[tuple[str, list[str]]]:
    """Give each file that can be read with the folders in which its graphs belong."""
    for path in sorted(shared("data", "dynamo", "dgd").glob("*.yaml")):
        with suppress(Unreadable):
            values = [one.value for one in load(path.read_bytes(), Limits())]
            graphs = [one for one in values if at(one, "kind") == "DynamoGraphDeployment"]
            yield (
                path.name,
                [
                    f"{at(one, 'metadata', 'namespace') or 'default'}/{at(one, 'metadata', 'name')}"
                    for one in graphs
                ],
            )


def apart() -> list[Names]:
    """Put files together in which no graph has the name of another one's."""
    groups: list[Names] = []
    for name, places in real():
        taken = ({one for those in group.values() for one in those} for group in groups)
        at_ = next((number for number, theirs in enumerate(taken) if not theirs & {*places}), len(groups))
        groups[at_:] = [{**(groups[at_] if at_ < len(groups) else {}), name: places}, *groups[at_ + 1 :]]
    return groups


def test_no_real_graph_is_lost(tmp_path: Path) -> None:
    published, refused, seen = list[str](), set[str](), dict[str, list[str]]()
    for number, group in enumerate(apart()):
        world, folder = World(tmp_path / str(number)), shared("data", "dynamo", "dgd")
        world.commit({f"specs/{name}": (folder / name).read_bytes() for name in group})
        report = world.poll()
        told = [*report.problems, *(one for workload in report.workloads for one in workload.problems)]
        # Files share their ConfigMaps, which is told and stops no graph.
        refused |= {one.file.removeprefix("specs/") for one in told if one.code != "DUPLICATE"}
        tree = world.tree()
        for name, places in group.items():
            published += [name] * all(f"rollouts/{one}/capacity/dgd.yaml" in tree for one in places)
        seen.update(group)
    assert {*published} | refused == seen.keys()
    assert (len(seen) > 140, len(refused) <= 12) == (True, True), refused
