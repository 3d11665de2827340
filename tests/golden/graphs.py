"""The third worked example, examples/06-graph-by-requests: a graph beside a graph, and its requests."""

from dataclasses import dataclass
from pathlib import Path

from gitops_rollout.api.values import Object, at, mapping, sequence, text
from gitops_rollout.api.workload import WorkloadKey
from tests.golden.example import document
from tests.passes.world import World
from tests.project.checkout import ROOT
from tests.rollout.graphs import ALL_GATES

FOLDER = "rollouts/serving/assist"
ROUTE = f"{FOLDER}/traffic/httproute.yaml"
SPECS = ROOT / "examples/06-graph-by-requests/specs"
KEY = WorkloadKey("serving", "DynamoGraphDeployment", "assist")
VERSIONS = {"rA": "1.1.0", "rB": "1.1.1", "rC": "1.1.2"}
UP = ("attach", *ALL_GATES)


@dataclass(frozen=True)
class Stop:
    """A row of the tables; revisions are named rA, rB, rC."""

    graphs: str
    """What is published: replicas of Frontend, Prefill and Decode; in brackets what is not protected."""
    marked: str
    others: str


def source(world: World, revision: str) -> None:
    """Let the source want this revision."""
    files = {f"specs/{path.name}": path.read_text(encoding="utf-8") for path in SPECS.iterdir()}
    graph = files["specs/assist.yaml"].replace(VERSIONS["rA"], VERSIONS[revision])
    world.commit({**files, "specs/assist.yaml": graph})


def started(folder: Path) -> World:
    """Publish rA; it is asked whether a route of ours may answer."""
    world = World(folder, workload=KEY)
    source(world, "rA")
    world.settle()
    return world


def stop(world: World) -> Stop:
    """Read where the workload stands."""
    shown = [_shown(one) for one in _graphs(world).values()]
    return Stop(", ".join(sorted(shown)), _sent(world, "canary"), _sent(world, "default"))


def path_of(world: World, revision: str) -> str:
    """Give the path of the graph of a revision that is published."""
    return next(path for path in _paths(world) if _called(document(world, path)) == revision)


def _paths(world: World) -> list[str]:
    return [path for path in world.tree() if path.startswith(f"{FOLDER}/capacity/dgd")]


def _graphs(world: World) -> dict[str, Object]:
    found = [document(world, path) for path in _paths(world)]
    return {text(at(one, "metadata", "name")): one for one in found}


def _shown(graph: Object) -> str:
    components = {text(at(one, "name")): one for one in sequence(at(graph, "spec", "components"))}
    sizes = [str(at(components[name], "replicas")) for name in ("Frontend", "Prefill", "Decode")]
    said = f"{_called(graph)} {' '.join(sizes)}"
    protected = at(graph, "metadata", "annotations", "kustomize.toolkit.fluxcd.io/prune") == "disabled"
    return said if protected else f"({said})"


def _called(graph: Object) -> str:
    first, *_ = sequence(at(graph, "spec", "components"))
    (container,) = sequence(at(first, "podTemplate", "spec", "containers"))
    version = text(at(container, "image")).rpartition(":")[2]
    return next(name for name, one in VERSIONS.items() if one == version)


def _sent(world: World, rule: str) -> str:
    """Say who answers: a Service selects its graph by name."""
    if ROUTE not in world.tree():
        return ""
    graphs, services = _graphs(world), _services(world)
    rules = [mapping(one) for one in sequence(at(document(world, ROUTE), "spec", "rules"))]
    refs = [mapping(ref) for one in rules if one["name"] == rule for ref in sequence(one["backendRefs"])]
    return ", ".join(f"{_called(graphs[services[str(ref['name'])]])} {ref['weight']}" for ref in refs)


def _services(world: World) -> dict[str, str]:
    """Give the graph that each Service selects."""
    paths = [path for path in world.tree() if path.startswith(f"{FOLDER}/traffic/service-")]
    found = [document(world, path) for path in paths]
    graph = "nvidia.com/dynamo-graph-deployment-name"
    return {text(at(one, "metadata", "name")): text(at(one, "spec", "selector", graph)) for one in found}
