"""Putting revisions that stand beside each other in force: names, growth, the way down, scaling.

The way down of either side: requests first, then what answered them, what others need until the end last
(Dynamo #11173), then the object's protection; it is gone when somebody confirms that its pods are.
"""

from dataclasses import replace

from gitops_rollout.api.values import Object
from gitops_rollout.api.workload import Thresholds
from gitops_rollout.kinds.protocol import Beside, Kind
from gitops_rollout.rollout import asking, beside, leaving
from gitops_rollout.rollout import gate as gates
from gitops_rollout.rollout.capacity import stages
from gitops_rollout.rollout.draft import Draft, Scene
from gitops_rollout.rollout.router_policy import alone
from gitops_rollout.rollout.state import Graph, State


def hold(scene: Scene, draft: Draft) -> Draft:
    """Put the objects in force, total over where the rollout stands."""
    state = draft.state
    if state.candidate is None:
        return _alone(scene, draft)
    if draft.rolling_back:
        return _back(scene, draft)
    return _retired(scene, _grown(scene, _taken_back(scene, draft)))


def _alone(scene: Scene, draft: Draft) -> Draft:
    """Stable stands alone, as the source writes it; what is offered has a name already."""
    draft = draft.with_published(partition=None, lowest=None, step=None, header=None, weight=None)
    state, kind = draft.state, scene.kind
    before = state.graph(state.stable)
    name = before.name if before is not None else _only_name(scene, state)
    stable = Graph(name, state.stable, restart=before.restart if before is not None else None)
    draft = draft.with_state(graphs=(stable,))
    return draft if state.offered is None or kind.beside is None else _named(scene, draft, kind.beside)


def _only_name(scene: Scene, state: State) -> str:
    """Name the object of a workload that was one before: what runs keeps its name."""
    return state.graphs[0].name if len(state.graphs) == 1 else scene.key.name


def _named(scene: Scene, draft: Draft, kind: Beside) -> Draft:
    state, key = draft.state, scene.key
    offered = draft.history[state.offered or ""]
    others = {kind.scope(key.namespace, one.name) for one in state.graphs} | scene.desired.scopes
    name = kind.name(key, offered.digest, others)
    if not name:
        said = "no name is free for it: every Dynamo namespace would share a prefix with another one's"
        return draft.note("NAMESPACE_SHARED", said)
    born = kind.restart(state.accepted.controls)
    graph = Graph(name, offered.id, stage="named", restart=born)
    return draft.with_state(graphs=(*state.graphs, graph))


def _grown(scene: Scene, draft: Draft) -> Draft:
    """Give the candidate what its partition leaves to it."""
    state = draft.state
    return draft.with_state(graphs=beside.shown(scene.kind, draft.history, state, state.partition or {}))


def _taken_back(scene: Scene, draft: Draft) -> Draft:
    """Lower a candidate that stands beyond what is still approved, when its requests have ended (R3)."""
    state = draft.state
    if state.since.drain is not None or state.partition is None:
        return draft
    steps = gates.steps_of(state)
    names = [step.name for step in steps]
    approved = draft.approved.step.removesuffix(gates.TRAFFIC) if draft.approved else None
    known = [names.index(one) for one in (state.published.step, approved) if one in names]
    if draft.approved is not None and draft.approved.step == gates.DRAINED:
        return draft
    land = asking.ground(scene.kind, draft.history, state)
    limit = land.protecting_all()
    for stage in stages(steps, land.counts):
        if names.index(stage.step.name) <= max(known, default=-1):
            limit = land.floored(stage.partition)
    raised = {name: max(number, limit.get(name, number)) for name, number in state.partition.items()}
    return draft.at_partition(raised, state.lowest or raised) if raised != state.partition else draft


def _retired(scene: Scene, draft: Draft) -> Draft:
    """Go on with a stable that leaves: what others needed until the end, then its protection."""
    state = draft.state
    graph = state.graph(state.stable)
    going = graph is not None and state.published.weight == 100 and _almost_gone(scene, draft, graph)
    if graph is None or not going or state.since.drain is not None or graph.stage == "leaving":
        return draft
    return _gone(draft, graph)


def _back(scene: Scene, draft: Draft) -> Draft:
    """Stable has everything again; the candidate goes when its requests have ended."""
    state, kind = draft.state, scene.kind
    draft = draft.with_state(graphs=beside.restored(kind, draft.history, state))
    graph = draft.state.graph(state.candidate)
    waits = state.published.traffic or state.since.drain is not None
    if graph is None or waits or graph.stage == "leaving":
        return draft
    if not _almost_gone(scene, draft, graph):
        return _sent_away(scene, draft, graph)
    draft = _gone(draft, graph)
    whole = beside.desired(kind, draft.history, draft.state, state.candidate)
    return draft.at_partition(whole, draft.state.lowest or whole)


def stable_shrinks(scene: Scene, draft: Draft, gate: gates.Gate) -> Draft:
    """Do what was agreed about stable: keep what its requests need, or leave when it gets none."""
    graph = draft.state.graph(draft.state.stable)
    if graph is None:
        return draft
    keeps = gate.stable or {}
    if draft.state.published.weight == 100 and not any(keeps.values()):
        return _sent_away(scene, draft, graph)
    return draft.with_state(graphs=beside.with_replicas(draft.state.graphs, graph.revision, keeps))


def _sent_away(scene: Scene, draft: Draft, graph: Graph) -> Draft:
    """Scale an object down to what others need until the end; where that is nothing, it is unprotected."""
    last = _last_down(scene, draft, graph)
    kept = {name: count if name in last else 0 for name, count in (graph.replicas or {}).items()}
    draft = draft.with_state(graphs=beside.with_replicas(draft.state.graphs, graph.revision, kept))
    if any(kept.values()):
        return leaving.waiting(scene, draft)
    return _gone(draft, graph)


def _gone(draft: Draft, graph: Graph) -> Draft:
    replicas = dict.fromkeys(graph.replicas or {}, 0)
    graphs = tuple(
        replace(one, replicas=replicas, stage="leaving") if one.revision == graph.revision else one
        for one in draft.state.graphs
    )
    return draft.with_state(graphs=graphs)


def _last_down(scene: Scene, draft: Draft, graph: Graph) -> frozenset[str]:
    """Name what of an object goes last; nothing, where all of it would."""
    kind, recorded = scene.kind.beside, draft.history.get(graph.revision)
    found = kind.last_down(recorded.text) if kind is not None and recorded is not None else frozenset()
    return found if (graph.replicas or {}).keys() - found else frozenset()


def _almost_gone(scene: Scene, draft: Draft, graph: Graph) -> bool:
    """Say whether nothing is left but what goes last, of an object that is on its way out."""
    last, replicas = _last_down(scene, draft, graph), graph.replicas or {}
    rest = [count for name, count in replicas.items() if name not in last]
    return bool(last) and not any(rest)


def requests_first(scene: Scene, draft: Draft, coming: Object) -> tuple[Draft, bool]:
    """Lower the candidate's share to what it carries under `coming` controls; True: they wait for that."""
    have, after = draft.state.published, _scaled(scene.kind, draft, coming)
    if not have.traffic or draft.rolling_back or alone(draft.state, scene.kind.counts(coming)):
        return draft, False
    most = beside.share(scene.kind, draft.history, after.state, after.state.partition or {})
    if have.weight is None or have.weight <= most:
        return draft, False
    return draft.with_published(weight=most or None), True


def scaled(scene: Scene, draft: Draft, coming: Object) -> Draft:
    """Follow other replicas: steps keep their meaning, stable what its requests need (G2.23, R24)."""
    return _scaled(scene.kind, draft, coming)


def _scaled(kind: Kind, draft: Draft, coming: Object) -> Draft:
    state, history = draft.state, draft.history
    after = replace(state, accepted=replace(state.accepted, controls=coming))
    draft = replace(draft, state=after)
    if state.candidate is None or state.partition is None:
        return draft
    partition = _kept_meaning(kind, draft, state)
    draft = draft.at_partition(partition, state.lowest or partition)
    graph, whole = state.graph(state.stable), beside.desired(kind, history, after, state.stable)
    if graph is None or graph.replicas is None or graph.stage == "leaving":
        return draft
    before = beside.desired(kind, history, state, state.stable)
    needs = beside.needed(kind, history, draft.state)
    replicas = {
        name: count
        if graph.replicas.get(name, count) >= before.get(name, count)
        else max(needs.get(name, 0), min(graph.replicas[name], count))
        for name, count in whole.items()
    }
    return draft.with_state(graphs=beside.with_replicas(draft.state.graphs, state.stable, replicas))


def _kept_meaning(kind: Kind, draft: Draft, before: State) -> Thresholds:
    """Give the partition under other replicas: a step that was reached stays reached, what is paused keeps
    its count, and at least one replica of each component stays where there is one (DESIGN 5).
    """
    history, after = draft.history, draft.state
    old = asking.ground(kind, history, before)
    new = asking.ground(kind, history, after)
    reached, coming = (
        {one.step.name: land.floored(one.partition) for one in stages(gates.steps_of(state), land.counts)}
        for state, land in ((before, old), (after, new))
    )
    step, stopped, now = before.published.step or "", beside.frozen(kind, after), before.partition or {}
    found = {}
    for name, count in new.counts.items():
        had = old.counts.get(name, count) - now.get(name, old.counts.get(name, count))
        at_step = step in coming and name not in stopped and now.get(name) == reached.get(step, {}).get(name)
        kept = max(new.floors.get(name, 0), count - max(min(had, count), min(1, count)))
        found[name] = coming[step].get(name, kept) if at_step else min(kept, count)
    return found
