"""Questions about revisions that stand beside each other, each an object of its own."""

from gitops_rollout.api.workload import Thresholds
from gitops_rollout.render.question import ACCEPTED, Question, seen
from gitops_rollout.rollout.gate import TRAFFIC, Gate


def stable_shrinks(question: Question, keeps: Thresholds) -> list[str]:
    """Ask whether stable may keep only what its requests need, or leave when it gets none."""
    state = question.state
    graph, retires = state.graph(state.stable), not any(keeps.values())
    name, had = (graph.name, graph.replicas or {}) if graph is not None else (state.stable, {})
    fewer = [(one, count) for one, count in sorted(keeps.items()) if count != had.get(one)]
    fewer = [(one, count) for one, count in sorted(keeps.items()) if count != had.get(one)]
    kept = ", ".join(f"{one} {had.get(one, count)} → {count}" for one, count in fewer)
    facts = (
        f"the route as it stands is applied, and {ACCEPTED}",
        f"the requests have ended that {'it' if retires else 'what goes of it'} was answering",
    )
    if retires:
        return seen(*facts, then=f"Then {name} is scaled to nothing: what others need until the end last.")
    return seen(*facts, then=f"Then {name} keeps what its requests need: {kept}.")


def beside_lines(question: Question, gate: Gate) -> list[str]:
    """Say what of a candidate beside stable a merge adds; it takes nothing from stable."""
    state, after = question.state, gate.partition or {}
    graph = state.graph(gate.revision)
    name, had = (graph.name, graph.replicas or {}) if graph is not None else (gate.revision, {})
    new = graph is None or graph.stage == "named"
    whole = {one: gate.counts[one] - number for one, number in sorted(after.items())}
    grown = [
        f"- {one}: {had.get(one, 0)} → {count} of {gate.counts[one]} replicas"
        for one, count in whole.items()
        if new or count != had.get(one, 0)
    ]
    first = f"- {name} is made beside {question.state.stable}, which keeps all of its replicas"
    follow = f"the gate `{gate.step}{TRAFFIC}` asks for its requests when its replicas answer."
    return [*([first] if new else [f"{name} grows:"]), *grown, "", f"after this: {follow}"]
