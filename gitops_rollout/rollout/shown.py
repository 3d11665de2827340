"""What the branch has shown of a candidate since our last commit, by whatever hand (R12).

More of the candidate than is in force may have moved pods already: it counts as approving the first step
that allows it (DESIGN 6). Every other hand edit is put back.
"""

from collections.abc import Collection
from dataclasses import replace

from gitops_rollout.api.values import Object, at, text
from gitops_rollout.api.workload import Thresholds
from gitops_rollout.rollout import asking, beside, beside_follow, leaving
from gitops_rollout.rollout import gate as gates
from gitops_rollout.rollout.capacity import lower, lowest, reaches
from gitops_rollout.rollout.draft import Draft, Head, Scene, instant
from gitops_rollout.rollout.state import Graph, written


def read_shown(scene: Scene, head: Head, draft: Draft, *, trusted: bool) -> Draft:
    """Follow the thresholds that the branch has shown since our last commit.

    Only where it is `trusted` does what lies below those in force approve anything.
    """
    draft = _stand_again(scene, head, draft)
    state = draft.state
    # What is of another kind showed no controller any threshold.
    all_shown = [one for one in head.shown if one.get("kind") == scene.key.kind]
    if state.candidate is None or not all_shown:
        return draft
    if scene.kind.beside is not None:
        return _larger(scene, draft, all_shown[0]) if trusted else draft
    objects = all_shown if head.left.state.candidate else all_shown[:1]
    shown = [scene.kind.read_partition(one, state.accepted.controls) for one in objects]
    names = set(state.partition or {})
    low = lowest(state.lowest, *[_only(one, names) for one in shown])
    draft = draft.with_published(lowest=written(low))
    if not trusted:
        return draft
    return _lowered(scene, draft, all_shown[0], _only(shown[0], names), state.accepted.controls)


def _stand_again(scene: Scene, head: Head, draft: Draft) -> Draft:
    """Take graphs that were all but gone from where they stand again: what the others need until the end goes
    after them once more, whoever put them back (Dynamo #11173).
    """
    state, kind = draft.state, scene.kind.beside
    if kind is None or state.candidate is None:
        return draft
    going = state.candidate if draft.rolling_back else state.stable
    graph, stands = state.graph(going), {text(at(one, "metadata", "name")): one for one in head.stands}
    if graph is None or graph.name not in stands or (going == state.stable and state.published.weight != 100):
        return draft
    last, shown = beside_follow.last_down(scene, draft, graph), kind.replicas(stands[graph.name])
    others = any(count for name, count in shown.items() if name not in last)
    if not others or not _all_but_gone(graph, last):
        return draft
    replicas = {
        name: max(count, shown.get(name, 0)) if name in last else count
        for name, count in (graph.replicas or {}).items()
    }
    if not any(replicas.values()):
        return draft
    again = replace(graph, replicas=replicas, stage="serving")
    graphs = tuple(again if one is graph else one for one in state.graphs)
    return leaving.waiting(scene, draft.with_state(graphs=graphs))


def _all_but_gone(graph: Graph, last: Collection[str]) -> bool:
    return bool(graph.replicas) and not any(
        count for name, count in (graph.replicas or {}).items() if name not in last
    )


def _larger(scene: Scene, draft: Draft, shown: Object) -> Draft:
    """Follow a candidate beside stable that was made larger; it shows what its partition leaves to it."""
    state, kind = draft.state, scene.kind
    graph = state.graph(state.candidate)
    if graph is None or kind.beside is None or at(shown, "metadata", "name") != graph.name:
        return draft
    partition = _only(kind.read_partition(shown, state.accepted.controls), set(state.partition or {}))
    shows = beside.candidate_replicas(kind, draft.history, state, partition)
    replicas = {**(graph.replicas or {}), **shows}
    controls = kind.beside.with_replicas(state.accepted.controls, replicas)
    return _lowered(scene, draft, shown, partition, controls)


def _lowered(scene: Scene, draft: Draft, shown: Object, partition: Thresholds, controls: Object) -> Draft:
    """Take a lower partition for approved, where the object is else the candidate's under `controls`."""
    state, now = draft.state, draft.state.partition or {}
    if draft.rolling_back or state.offered != state.candidate or not lower(partition, now):
        return draft
    if not _shows_candidate(scene, draft, shown, controls):
        return draft
    return _skipped(scene, draft, lowest(now, partition))


def _skipped(scene: Scene, draft: Draft, partition: Thresholds) -> Draft:
    state = draft.state
    land = asking.ground(scene.kind, draft.history, state)
    found = next(
        (stage for stage in gates.remaining(state, land.counts) if reaches(stage.partition, partition)), None
    )
    draft = draft.at_partition(partition, lowest(state.lowest, partition))
    if found is None:
        return draft
    gate = gates.of_step(draft.history, state, found.step, partition, land)
    base = draft.approved.base if draft.approved else ""
    draft = replace(draft, approved=gate.approval(base))
    draft = draft.with_published(step=asking.step_reached(state, land, gate))
    draft = draft.with_state(since=replace(state.since, proven=instant(scene.now)))
    did = "the partition was lowered" if scene.kind.beside is None else "the candidate was made larger"
    said = f"{did} by hand: {found.step.name} is approved, as far as that goes"
    return draft.note("STEP_SKIPPED", said)


_PODS = (("spec", "template"), ("spec", "components"), ("spec", "services"))
"""Where an object of any kind says what its pods are."""


def _shows_candidate(scene: Scene, draft: Draft, shown: Object, controls: Object) -> bool:
    revision = draft.history[draft.state.candidate or ""]
    graph = draft.state.graph(revision.id) or Graph("", revision.id)
    rendered = beside.rendered(scene.kind, scene.key.namespace, revision, controls, graph)
    return all(at(shown, *where) == at(rendered, *where) for where in _PODS)


def _only(partition: Thresholds, names: set[str]) -> Thresholds:
    return {name: number for name, number in partition.items() if name in names}
