"""One workload's folder, rendered from its state alone; what stands there is never an input (R3)."""

from dataclasses import replace

from gitops_rollout.api.values import Object, mapping
from gitops_rollout.api.workload import WorkloadKey
from gitops_rollout.kinds.protocol import Kind
from gitops_rollout.render.folder import Folder
from gitops_rollout.render.kustomization import kustomization
from gitops_rollout.render.marks import kept, live_file
from gitops_rollout.render.router_policy import render_policy
from gitops_rollout.render.traffic import render_traffic, traffic_items, traffic_paths
from gitops_rollout.revision.history import History
from gitops_rollout.revision.record import controller_revision
from gitops_rollout.rollout import beside, counted
from gitops_rollout.rollout.file import fenced
from gitops_rollout.rollout.gate import Gate, everything_approved
from gitops_rollout.rollout.routing import RESTORED
from gitops_rollout.rollout.state import Approval, Fence, Graph, RolloutFile, State, written


def render(folder: Folder, state: State, approved: Approval | None, history: History) -> dict[str, bytes]:
    """Give all files of the folder, by path relative to it."""
    folder = folder.under(state)
    state = replace(state, inventory=inventory(folder.key, history, state))
    files = _files(folder, state, history, state.seq)
    file = RolloutFile(folder.key, Fence(state.seq, ""), approved, state, seal="")
    return fenced(file, files)


def render_gate(folder: Folder, state: State, base: Fence, history: History, gate: Gate) -> dict[str, bytes]:
    """Give all files as the merge of `gate` leaves them: fence, approval, and for a step the workload."""
    published, folder = state, folder.under(state)
    if gate.partition is not None:
        shown = replace(state.published, partition=written(gate.partition), step=gate.step)
        graphs = state.graphs
        if folder.kind.beside is not None:
            graphs = beside.shown(folder.kind, history, state, gate.partition)
        published = replace(state, candidate=state.offered, published=shown, graphs=graphs)
    fence = Fence(state.seq + 1, "")
    files = _files(folder, published, history, fence.seq)
    return fenced(RolloutFile(folder.key, fence, gate.approval(str(base)), state, seal=""), files)


def inventory(key: WorkloadKey, history: History, state: State) -> tuple[str, ...]:
    """Name everything that is ours, as kind/name."""
    names = [f"ControllerRevision/{name}" for name in (*(one.name(key) for one in history), *history.damaged)]
    objects = [f"{key.kind}/{graph.name}" for graph in _published(key, state)]
    return tuple(sorted([*names, *objects, *traffic_items(key, state)]))


def _published(key: WorkloadKey, state: State) -> list[Graph]:
    """Give the objects that are published: one under the workload's name, or one for each revision."""
    graphs = [one for one in state.graphs if one.stage != "named"]
    return graphs or [Graph(key.name, state.stable)]


def workload_path(kind: Kind, key: WorkloadKey, name: str) -> str:
    """Give the file of an object; the one under the workload's own name has always been called so."""
    stem, _, ending = kind.filename.rpartition(".")
    return f"capacity/{kind.filename}" if name == key.name else f"capacity/{stem}-{name}.{ending}"


def _files(folder: Folder, state: State, history: History, seq: int) -> dict[str, bytes]:
    """Give the files of both halves; neither ever waits for the other (R5)."""
    return {
        **_capacity(folder, state, history, seq),
        **render_traffic(folder, state, history, seq),
        **render_policy(state),
    }


def paths(kind: Kind, key: WorkloadKey, state: State) -> tuple[str, ...]:
    """Give the paths of our files in a folder that `state` describes; everything else is people's."""
    revisions = [name.partition("/")[2] for name in state.inventory if name.startswith("ControllerRevision/")]
    return (
        "rollout.yaml",
        "capacity/kustomization.yaml",
        *(workload_path(kind, key, graph.name) for graph in _published(key, state)),
        *(f"capacity/revisions/{name}.yaml" for name in revisions),
        *traffic_paths(state),
        *render_policy(state),
    )


def _capacity(folder: Folder, state: State, history: History, seq: int) -> dict[str, bytes]:
    files = _workload(folder, state, history, seq)
    for revision in history:
        path = f"capacity/revisions/{revision.name(folder.key)}.yaml"
        files[path] = kept(folder.before.get(path), controller_revision(folder.key, revision))
    for name in history.damaged:
        path = f"capacity/revisions/{name}.yaml"
        files.update({path: folder.before[path]} if path in folder.before else {})
    resources = sorted(path.removeprefix("capacity/") for path in files)
    files["capacity/kustomization.yaml"] = kustomization(resources)
    return files


def _workload(folder: Folder, state: State, history: History, seq: int) -> dict[str, bytes]:
    """Give the files of the workload's objects."""
    stays = state.withdraw is None or state.withdraw.stage == "delete"
    files = {}
    for graph in _published(folder.key, state):
        path = workload_path(folder.kind, folder.key, graph.name)
        value = _object(folder, state, history, graph)
        if value is None:
            # Nothing is rendered from what cannot be read: what is published stays until it can.
            files[path] = folder.before[path]
            continue
        protect = stays and graph.stage != "leaving"
        named = _named(folder.key, graph.name, value)
        files[path] = live_file(named, folder.numbered(path), seq, protect=protect)
    return files


def _object(folder: Folder, state: State, history: History, graph: Graph) -> Object | None:
    kind, controls = folder.kind, state.accepted.controls
    if kind.beside is None:
        revision = history.get(_rendered(kind, state))
        partition = state.partition if state.candidate is not None else None
        if revision is None:
            return None
        return kind.render(revision.text, counted.shown_controls(kind, state), revision.injection, partition)
    revision = history.get(graph.revision)
    if graph.replicas is not None:
        controls = kind.beside.with_replicas(controls, graph.replicas)
    if graph.restart is not None and graph.restart == kind.beside.restart(controls):
        controls = kind.beside.without_restart(controls)
    if revision is None:
        return None
    return beside.rendered(kind, folder.key.namespace, revision, controls, graph)


def _rendered(kind: Kind, state: State) -> str:
    """Name the revision that the workload is rendered from.

    Where nothing runs Kthena takes whatever it is shown for its current revision: what was not
    approved for everything is not shown then, so that scaling up again gives stable (case 44, R24).
    """
    if state.candidate is None:
        return state.stable
    if state.offered is None:
        # The way back: pods stay until their requests have left, unless stable had too few to begin with.
        # Where a partition counts, those come back by the partition alone.
        apart = kind.counted is not None or state.published.step != RESTORED
        waits = state.since.drain is not None and apart
        return state.candidate if waits else state.stable
    runs = any(kind.counts(state.accepted.controls).values())
    split_up = state.routed is not None and state.published.weight != 100
    return state.candidate if runs or (everything_approved(state) and not split_up) else state.stable


def _named(key: WorkloadKey, name: str, value: Object) -> Object:
    return {
        **value,
        "metadata": {**mapping(value.get("metadata")), "name": name, "namespace": key.namespace},
    }
