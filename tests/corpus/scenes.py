"""The moments that the corpus holds, each made of our own specs by the hands of a team."""

from collections.abc import Callable, Mapping

from gitops_rollout.documents.emit import emit
from gitops_rollout.rollout.draft import Order, Word
from tests import gitrepo
from tests.history.graphs import beta_of
from tests.history.past import legacy, legacy_role
from tests.passes.arranged import STEPS
from tests.passes.specs import config, policy, routed, serving
from tests.passes.world import World

ROUTE = """\
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: chat, namespace: serving}
spec:
  parentRefs: [{name: edge}]
  hostnames: [chat.example.com]
  rules: [{backendRefs: [{name: chat, port: 8000}]}]
"""
BY_ROLE = "  rolloutStrategy: {type: RoleRollingUpdate}\n"


def wants(world: World, image: str = "engine:1", **more: object) -> None:
    """Let the source want an image of chat under three steps."""
    text = serving(image=image, policy="steps", **more)  # type: ignore[arg-type]
    world.commit({"specs/chat.yaml": text, **STEPS})
    world.settle()


def merged(world: World, *steps: str) -> None:
    """Merge the open gates of these steps."""
    for step in steps:
        (gate,) = [name for name in world.refs() if "-chat/" in name]
        assert step in gate, gate
        gitrepo.merge(world.output, "main", gate)
        world.settle()


def ordered(world: World, order: Order) -> None:
    world.poll(order)
    world.settle()


def stable(world: World) -> None:
    wants(world)


def offered(world: World) -> None:
    stable(world)
    wants(world, "engine:2")


def first_step(world: World) -> None:
    offered(world)
    merged(world, "1")


def half(world: World) -> None:
    first_step(world)
    merged(world, "50pct")


def everything(world: World) -> None:
    half(world)
    merged(world, "100pct")


def completed(world: World) -> None:
    everything(world)
    merged(world, "complete")


def replaced(world: World) -> None:
    half(world)
    wants(world, "engine:3")


def taken_over(world: World) -> None:
    replaced(world)
    merged(world, "50pct")


def rolling_back(world: World) -> None:
    half(world)
    wants(world)


def declined(world: World) -> None:
    first_step(world)
    ordered(world, Order.DECLINE)


def aborted(world: World) -> None:
    first_step(world)
    ordered(world, Order.ABORT)


def held(world: World) -> None:
    """Without a policy: a rollback by command that has ended and holds."""
    for image in ("engine:1", "engine:2"):
        world.commit({"specs/chat.yaml": serving(image=image)})
        world.settle()
    merged(world, "all", "complete")
    with world.open() as pipeline:
        (report,) = pipeline.preview(world.now).workloads
    assert report.history is not None
    ordered(world, Order(Word.ROLLBACK, revision=next(iter(report.history)).id))
    merged(world, "all", "complete")


def asked_to_go(world: World) -> None:
    world.commit({"specs/b.yaml": serving("b"), "other/c.yaml": serving("c")})
    stable(world)
    world.commit({"specs/chat.yaml": None})
    world.settle()


def unprotected(world: World) -> None:
    asked_to_go(world)
    merged(world, "delete")


def by_role(world: World) -> None:
    wants(world, extra=BY_ROLE)
    wants(world, "engine:2", extra=BY_ROLE)
    merged(world, "100pct")


def with_others(world: World) -> None:
    world.commit({"specs/notes.yaml": config(), "specs/p.yaml": policy("other", "{soak: 1h}")})
    first_step(world)


def with_baseline(world: World) -> None:
    stable(world)
    ordered(world, Order(Word.IMPORT, legacy=(legacy({"data": [legacy_role("engine:0")]}),)))
    wants(world, "engine:2")


def graph(world: World, engine: str = "engine:a") -> None:
    world.commit({"specs/chat.yaml": emit(beta_of(engine=engine))})
    world.settle()


def graph_offered(world: World) -> None:
    graph(world)
    graph(world, "engine:b")


def graph_moved(world: World) -> None:
    graph_offered(world)
    merged(world, "all")


def attached(world: World) -> None:
    world.commit({"specs/chat.yaml": serving(), "specs/rollout.yaml": routed(route="chat")})
    world.commit({"specs/route.yaml": ROUTE})
    world.settle()
    merged(world, "attach", "attach-traffic")


def marked_requests(world: World) -> None:
    attached(world)
    world.commit({"specs/chat.yaml": serving(image="engine:2")})
    world.settle()
    merged(world, "canary", "canary-traffic")


def half_of_the_requests(world: World) -> None:
    marked_requests(world)
    merged(world, "half", "half-traffic")


def draining(world: World) -> None:
    half_of_the_requests(world)
    world.commit({"specs/chat.yaml": serving()})
    world.settle()


SCENES: Mapping[str, Callable[[World], None]] = {
    scene.__name__: scene
    for scene in (
        stable,
        offered,
        first_step,
        half,
        everything,
        completed,
        replaced,
        taken_over,
        rolling_back,
        declined,
        aborted,
        held,
        asked_to_go,
        unprotected,
        by_role,
        with_others,
        with_baseline,
        graph,
        graph_offered,
        graph_moved,
        attached,
        marked_requests,
        half_of_the_requests,
        draining,
    )
}
