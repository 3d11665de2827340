"""Graphs of which only the routers change, in words: routers and workers have images of their own."""

from collections.abc import Mapping
from copy import deepcopy
from functools import cache

from gitops_rollout.api.graph_terms import Contract
from gitops_rollout.api.policy import Policy
from gitops_rollout.api.values import Json, Object, at, mapping, sequence, text
from gitops_rollout.documents.load import Limits, load
from tests.rollout import graphs
from tests.rollout.graphs import SIZES, GraphStage
from tests.rollout.stage import HOME

OLD, NEW, NEWER = "router:1.0.0", "router:2.0.0", "router:3.0.0"
WORKERS, OTHERS = "engine:1.0.0", "engine:2.0.0"
CONTRACT = Contract.between("router", "worker", "frontend-worker/1.5")
ROUTERS, ALL_WORKERS = ("Frontend",), ("Decode", "Prefill")


def image(name: str) -> Object:
    return {"podTemplate": {"spec": {"containers": [{"name": "main", "image": name}]}}}


def graph(
    router: str, workers: str = WORKERS, sizes: Mapping[str, int] | None = None, **more: Json
) -> Object:
    """Write a graph with this image in its frontend, and that one in its workers."""
    return graphs.graph(workers, sizes, changed={"Frontend": image(router)}, **more)


def policy(*contracts: Contract, **fields: object) -> Policy:
    """Give a policy under which routers and workers keep a contract."""
    return graphs.policy(contracts=contracts or (CONTRACT,), **fields)  # type: ignore[arg-type]


def attached(terms: Policy | None = None, wanted: Object | None = None) -> GraphStage:
    """A graph with router:1.0.0 that runs behind its own route."""
    return graphs.attached(terms or policy(), wanted or graph(OLD))


def going(*gates: str, terms: Policy | None = None, wanted: Object | None = None) -> GraphStage:
    """The same on its way to router:2.0.0, with these gates merged."""
    if terms is not None or wanted is not None:
        return attached(terms).source(wanted or graph(NEW)).settle().through(*gates)
    return deepcopy(_going(gates))


@cache
def _going(gates: tuple[str, ...]) -> GraphStage:
    if not gates:
        return attached().source(graph(NEW)).settle()
    return deepcopy(_going(gates[:-1])).through(gates[-1])


UP = (
    "canary",
    "canary-traffic",
    "half-traffic",
    "drained",
    "all",
    "all-traffic",
    "drained",
    "complete",
)
"""No `half` by itself: of two routers one is the half, and is there already."""


def promoted(terms: Policy | None = None) -> GraphStage:
    """Router:2.0.0 is stable, and uses the workers of the graph that was there before."""
    return going(*UP, terms=terms)


def place(value: Object, component: str = "Frontend") -> Json:
    """Give where a published component looks for workers, None where it says nothing itself."""
    listed = [one for one in sequence(at(value, "spec", "components")) if at(one, "name") == component]
    found = at(mapping(listed[0]), "podTemplate", "spec", "containers")
    env = sequence(at(mapping(sequence(found)[0]), "env"))
    return next((at(one, "value") for one in env if at(one, "name") == "DYN_NAMESPACE_PREFIX"), None)


def of(stage: GraphStage, router: str) -> Object:
    """Give the published graph with this image in its frontend."""
    return next(one for one in stage.graphs.values() if stage.image_in(one) == router)


def published(files: Mapping[str, bytes]) -> list[Object]:
    """Give the graphs of one version of the branch."""
    paths = [path for path in files if path.startswith(f"{HOME}/capacity/dgd")]
    return [mapping(load(files[path], Limits())[0].value) for path in paths]


def running(files: Mapping[str, bytes]) -> dict[str, int]:
    """Count the replicas of all published graphs by component."""
    found: dict[str, int] = {}
    for one in published(files):
        for component in sequence(at(one, "spec", "components")):
            count, name = at(component, "replicas"), text(at(component, "name"))
            found[name] = found.get(name, 0) + (count if isinstance(count, int) else 1)
    return found


FULL = {**SIZES, "Frontend": 0}
"""The graph whose workers others use: all of its workers, and none of its routers."""
