"""Graphs apart over real git: what else names them is told, and all of it is rendered and removed."""

from gitops_rollout.api.values import Object
from gitops_rollout.documents.emit import emit
from tests import gitrepo
from tests.cli.test_router_only import ONE
from tests.passes.world import World
from tests.rollout.router_only import NEW, NEWER, OLD, OTHERS, graph


def naming(name: str) -> str:
    value: Object = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": f"for-{name}", "namespace": "serving"},
        "data": {"service": name},
    }
    return emit(value)


def open_gates(world: World) -> list[str]:
    return [name for name in world.refs() if name.startswith("gitops-rollout/gate/serving/dgd-chat/")]


def finish(world: World) -> World:
    """Merge every gate that is asked."""
    world.settle()
    while found := open_gates(world):
        gitrepo.merge(world.output, "main", found[0])
        world.settle()
    return world


def started(world: World) -> World:
    names = ("chat", "chat-frontend", "chat-decode")
    files = {f"specs/{name}-named.yaml": naming(name) for name in names}
    world.commit({**files, "specs/policy.yaml": ONE, "specs/chat.yaml": emit(graph(OLD))})
    return finish(world)


def renamed(world: World) -> str:
    """Give what is told about names when another revision is offered."""
    report = world.poll()
    return "; ".join(one.message for one in report.warnings if one.code == "GRAPH_RENAMED")


def capacity(world: World) -> set[str]:
    place = "rollouts/serving/chat/capacity/"
    paths = {path.removeprefix(place) for path in world.tree() if path.startswith(place)}
    return {path for path in paths if path.startswith("dgd")}


def test_a_whole_graph_takes_every_name_away(world: World) -> None:
    started(world).commit({"specs/chat.yaml": emit(graph(NEW, OTHERS))})
    said = renamed(world)
    assert "nothing is called chat any more" in said
    assert all(f"ConfigMap/for-{name}" in said for name in ("chat", "chat-frontend", "chat-decode"))


def test_routers_alone_take_only_their_own_names(world: World) -> None:
    started(world).commit({"specs/chat.yaml": emit(graph(NEW))})
    said = renamed(world)
    assert "chat-frontend answers nothing any more, and ConfigMap/for-chat-frontend names it" in said


def test_the_names_of_the_workers_go_with_them(world: World) -> None:
    finish(started(world)).commit({"specs/chat.yaml": emit(graph(NEW))})
    finish(world)
    assert len(capacity(world)) == 2
    world.commit({"specs/chat.yaml": emit(graph(NEWER, OTHERS))})
    assert "nothing is called chat any more" in renamed(world)
    finish(world)
    assert len(capacity(world)) == 1
    assert "dgd.yaml" not in capacity(world)
