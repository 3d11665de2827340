"""What graphs there are while stable stands alone, and what is decided of the one that is offered: its name,
and whether it is a whole graph or routers that use the workers of stable (DESIGN 5, R17, R23).
"""

from dataclasses import replace

from gitops_rollout.api.graph_terms import Contract
from gitops_rollout.api.problems import Problem
from gitops_rollout.kinds.protocol import Kept, RoutersAlone
from gitops_rollout.revision.record import Revision
from gitops_rollout.rollout import beside, routing
from gitops_rollout.rollout import beside_bound as bound
from gitops_rollout.rollout.draft import Draft, Scene
from gitops_rollout.rollout.state import Graph, State


def alone(scene: Scene, draft: Draft) -> tuple[Graph, ...]:
    """Give the graphs of a stable that stands alone: its own as the source writes it, and the one whose
    workers it uses, for as long as it does.
    """
    state, kind, history = draft.state, scene.kind, draft.history
    before = state.graph(state.stable) or Graph(_only_name(scene, state), state.stable)
    stable = replace(before, replicas=None, stage="serving", contracts=_stable_keeps(scene, draft, before))
    workers = bound.workers_graph(state, state.stable)
    if workers is None:
        return (stable,)
    if history.get(workers.revision) is not None:
        whole = beside.desired(kind, history, state, workers.revision)
        workers = replace(workers, replicas=bound.kept_for(state, whole), stage="serving")
    return (workers, stable)


def _only_name(scene: Scene, state: State) -> str:
    """Name the object of a workload that was one before: what runs keeps its name."""
    return state.graphs[0].name if len(state.graphs) == 1 else scene.key.name


def _stable_keeps(scene: Scene, draft: Draft, before: Graph) -> tuple[Contract, ...]:
    """Give the contracts of stable as they are declared while the source wants stable."""
    stable, spec = draft.history.get(before.revision), scene.desired.spec
    found = _declared(scene, draft, stable) if stable is not None else before.contracts
    if found == before.contracts or spec is None:
        return before.contracts
    wanted = draft.history.equal(scene.kind, spec.text)
    return found if wanted is not None and wanted.id == before.revision else before.contracts


def _declared(scene: Scene, draft: Draft, revision: Revision) -> tuple[Contract, ...]:
    kind = scene.kind.beside
    return kind.router_contracts(revision.text, draft.policy.contracts) if kind is not None else ()


def named(scene: Scene, draft: Draft) -> Draft:
    """Name the graph of what is offered, and say what it is made of."""
    state, key, kind = draft.state, scene.key, scene.kind.beside
    if kind is None or state.graph(state.offered) is not None:
        return draft  # it is the one whose workers stable uses: its routers come back
    offered = draft.history[state.offered or ""]
    others = {kind.scope(key.namespace, one.name) for one in state.graphs} | scene.desired.scopes
    name = kind.name(key, offered.digest, others)
    if not name:
        said = "no name is free for it: every Dynamo namespace would share a prefix with another one's"
        return draft.note("NAMESPACE_SHARED", said)
    born = kind.restart(state.accepted.controls)
    graph = Graph(name, offered.id, stage="named", restart=born, contracts=_declared(scene, draft, offered))
    draft, graph = _bound(scene, draft, offered, graph)
    return draft.with_state(graphs=(*state.graphs, graph))


def _bound(scene: Scene, draft: Draft, offered: Revision, graph: Graph) -> tuple[Draft, Graph]:
    """Bind routers that alone have changed to the workers that stable uses, where a contract allows it."""
    workers = bound.side(draft.state, draft.state.stable)[-1]
    found = _routers_alone(scene, draft, offered, graph.contracts)
    if found.components:
        holds = tuple(sorted(found.components))
        graph = replace(graph, workers=workers.name, holds=holds)
    return replace(draft, notes=(*draft.notes, *foretold(found, offered.id, workers.name))), graph


def foretold(found: RoutersAlone, what: str, workers: str) -> tuple[Problem, ...]:
    """Say whether `what` is routers alone, or all of it although people declared that less would do."""
    if found.components:
        said = f"{what} is {', '.join(sorted(found.components))} alone: the workers of {workers} serve both"
        return (Problem(code="ROUTERS_ONLY", message=said),)
    if found.why_not:
        said = f"{what} is a whole graph, although only routers changed: {found.why_not}"
        return (Problem(code="WHOLE_GRAPH", message=said),)
    return ()


def told(state: State, revision: str) -> tuple[Problem, ...]:
    """Say of a revision that has a graph whether that is of routers alone."""
    graph = state.graph(revision)
    if graph is None or not graph.workers:
        return ()
    return foretold(RoutersAlone(frozenset(graph.holds)), revision, graph.workers)


def _routers_alone(
    scene: Scene, draft: Draft, offered: Revision, contracts: tuple[Contract, ...]
) -> RoutersAlone:
    """Compare with the graph whose workers would serve; stable's contracts are those with them."""
    state, kind, gateway = draft.state, scene.kind.beside, routing.in_view(draft.state)
    sides = bound.side(state, state.stable)
    stable, workers = draft.history.get(state.stable), draft.history.get(sides[-1].revision)
    if kind is None or gateway is None or stable is None or workers is None:
        return RoutersAlone()
    old, new = Kept(workers.text, sides[0].contracts), Kept(offered.text, contracts)
    found = kind.routers_alone(old, new, state.accepted.controls, gateway.component)
    place = kind.scope(scene.key.namespace, sides[-1].name)
    longer = sorted(one for one in scene.desired.scopes if one != place and one.startswith(place))
    if found.components and longer:
        said = f"{longer[0]} begins with {place}, so that its routers would find workers of both"
        return RoutersAlone(why_not=said)
    return found
