"""Putting revisions that stand beside each other in force: names, growth, the way down, scaling.

The way down of either side: requests first, then what answered them, what others need until the end last
(Dynamo #11173), then the object's protection; it is gone when somebody confirms that its pods are.
"""

from collections.abc import Collection
from dataclasses import replace

from gitops_rollout.api.values import Object
from gitops_rollout.api.workload import Thresholds
from gitops_rollout.kinds.protocol import Kind
from gitops_rollout.rollout import asking, beside, beside_birth, leaving
from gitops_rollout.rollout import beside_bound as bound
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
    draft = draft.with_state(graphs=beside_birth.alone(scene, draft))
    return draft if draft.state.offered is None else beside_birth.named(scene, draft)


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
    if state.published.weight != 100 or state.since.drain is not None:
        return draft
    return _gone(draft, _almost_gone(scene, draft, state.stable))


def _back(scene: Scene, draft: Draft) -> Draft:
    """Stable has everything again; the candidate goes when its requests have ended."""
    kind, waits = scene.kind, draft.state.published.traffic or draft.state.since.drain is not None
    draft = draft.with_state(graphs=beside.restored(kind, draft.history, draft.state))
    candidate = draft.state.candidate
    graph = draft.state.graph(candidate)
    if graph is None:
        return draft
    if graph.stage == "named" or (waits and not _almost_gone(scene, draft, candidate)):
        draft = _as_merged(scene, draft)
    if waits or bound.gone(draft.state, candidate):
        return draft
    almost = _almost_gone(scene, draft, candidate)
    if not almost:
        return _sent_away(scene, draft, candidate)
    draft = _gone(draft, almost)
    whole = beside.desired(kind, draft.history, draft.state, candidate)
    return draft.at_partition(whole, draft.state.lowest or whole)


def _as_merged(scene: Scene, draft: Draft) -> Draft:
    """Put in force what a merge showed that no pass had read when the candidate was given up: no commit moves
    its requests and takes replicas that are there, and a graph that is new has those of its gate, no more.
    """
    state = draft.state
    if draft.history.get(state.candidate) is None:
        return draft  # what cannot be read stays as it stands
    had = bound.standing(state, state.candidate)
    shown = beside.candidate_replicas(scene.kind, draft.history, state, state.partition or {})
    merged = {name: max(count, had.get(name, 0)) for name, count in shown.items()}
    return draft.with_state(graphs=bound.placed(state, state.candidate, merged))


def stable_shrinks(scene: Scene, draft: Draft, gate: gates.Gate) -> Draft:
    """Do what was agreed about stable: keep what its requests need, or leave when it gets none."""
    state = draft.state
    if state.graph(state.stable) is None:
        return draft
    keeps = gate.stable or {}
    if state.published.weight == 100 and not any(keeps.values()):
        return _sent_away(scene, draft, state.stable)
    return draft.with_state(graphs=bound.placed(state, state.stable, keeps))


def _sent_away(scene: Scene, draft: Draft, revision: str | None) -> Draft:
    """Scale what only this revision uses down to what others need until the end; a graph of which nothing
    is left is unprotected.
    """
    state, both = draft.state, bound.shared(draft.state, revision)
    graphs, empty, waits = {one.name: one for one in state.graphs}, [], False
    for one in bound.side(state, revision):
        last = last_down(scene, draft, one)
        kept = {
            name: count if name in last else 0 for name, count in bound.leaves(state, one, revision).items()
        }
        if kept:  # what keeps all of its replicas stands as the source writes them
            graphs[one.name] = replace(one, replicas={**(one.replicas or {}), **kept})
        waits = waits or any(kept.values())
        if one.name not in both and not any(kept.values()):
            empty.append(one)
    draft = _gone(draft.with_state(graphs=tuple(graphs.values())), empty)
    return leaving.waiting(scene, draft) if waits else draft


def _gone(draft: Draft, graphs: Collection[Graph]) -> Draft:
    names = {one.name for one in graphs}
    return draft.with_state(
        graphs=tuple(
            replace(one, replicas=dict.fromkeys(one.replicas or {}, 0), stage="leaving")
            if one.name in names
            else one
            for one in draft.state.graphs
        )
    )


def last_down(scene: Scene, draft: Draft, graph: Graph) -> frozenset[str]:
    """Name what of an object goes last; nothing, where all of it would."""
    kind, recorded = scene.kind.beside, draft.history.get(graph.revision)
    found = kind.last_down(recorded.text) if kind is not None and recorded is not None else frozenset()
    return found if _used(draft.state, graph).keys() - found else frozenset()


def _used(state: State, graph: Graph) -> dict[str, int]:
    """Give the replicas of a graph without those that routers of another graph took over."""
    taken = {name for one in state.graphs if one.workers == graph.name for name in one.holds}
    return {name: count for name, count in (graph.replicas or {}).items() if name not in taken}


def _almost_gone(scene: Scene, draft: Draft, revision: str | None) -> list[Graph]:
    """Give the graphs of a revision on its way out, once nothing is left of it but what goes last."""
    state, both = draft.state, bound.shared(draft.state, revision)
    last = {one.name: last_down(scene, draft, one) for one in bound.side(state, revision)}
    rest = [
        count
        for one in bound.side(state, revision)
        for name, count in bound.leaves(state, one, revision).items()
        if name not in last[one.name]
    ]
    going = [one for one in bound.side(state, revision) if one.name not in both and one.stage != "leaving"]
    return [] if any(rest) else [one for one in going if last[one.name]]


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
    if graph is None or graph.replicas is None:
        return draft
    before = beside.desired(kind, history, state, state.stable)
    standing = {**before, **bound.standing(state, state.stable)}
    needs, left = beside.needed(kind, history, draft.state), bound.left_names(state, state.stable)
    replicas = {
        name: count
        if standing.get(name, count) >= before.get(name, count)
        else max(needs.get(name, 0), min(standing[name], count))
        for name, count in whole.items()
    }
    replicas |= {name: count for name, count in standing.items() if name in left}
    return draft.with_state(graphs=bound.placed(draft.state, state.stable, replicas))


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
