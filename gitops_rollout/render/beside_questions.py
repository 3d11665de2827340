"""Questions about revisions that stand beside each other, each an object of its own."""

from collections.abc import Sequence

from gitops_rollout.api.workload import Thresholds
from gitops_rollout.render.question import ACCEPTED, Question, seen
from gitops_rollout.rollout import beside_bound as bound
from gitops_rollout.rollout.gate import TRAFFIC, Gate


def stable_shrinks(question: Question, keeps: Thresholds) -> list[str]:
    """Ask whether stable may keep only what its requests need, or leave when it gets none."""
    state, retires = question.state, not any(keeps.values())
    had = bound.standing(state, state.stable)
    fewer = [(one, count) for one, count in sorted(keeps.items()) if count != had.get(one)]
    kept = ", ".join(f"{one} {had.get(one, count)} → {count}" for one, count in fewer)
    facts = (
        f"the route as it stands is applied, and {ACCEPTED}",
        f"the requests have ended that {'it' if retires else 'what goes of it'} was answering",
    )
    if not retires:
        losing = sorted({bound.holder(state, state.stable, one) or state.stable for one in keeps})
        names = _joined(losing, "keeps", "keep")
        return seen(*facts, then=f"Then {names} what its requests need: {kept}.")
    both = bound.shared(state, state.stable)
    going = [one.name for one in bound.side(state, state.stable) if one.name not in both]
    if going:
        names = _joined(going, "is", "are")
        return seen(*facts, then=f"Then {names} scaled to nothing: what others need until the end last.")
    name = next((one.name for one in bound.side(state, state.stable)), state.stable)
    return seen(*facts, then=f"Then {name} keeps its workers, which serve both: {kept}.")


def _joined(names: Sequence[str], one: str, more: str) -> str:
    return f"{' and '.join(names)} {one if len(names) < 2 else more}"


def completes(question: Question) -> list[str]:
    """Ask whether what leaves has left."""
    state = question.state
    going = [one.name for one in state.graphs if one.stage == "leaving"]
    if going:
        names, many = " and ".join(going), len(going) > 1
        facts = (
            f"{names} without prune protection {'have' if many else 'has'} been applied",
            f"none of {'their' if many else 'its'} pods is left",
            f"every replica of {_remains(question)} runs, is updated and answers",
        )
        file = "their files are" if many else "its file is"
        return seen(*facts, then=f"Then {file} removed, and whoever applies the output deletes it.")
    left, stays = (state.candidate, state.stable) if state.offered is None else (state.stable, state.offered)
    graph = state.graph(left)
    name = graph.name if graph is not None else left
    parts = sorted(bound.moving(state, question.kind.counts(state.accepted.controls)))
    fact = f"none of the pods of {', '.join(parts)} is left in {name}"
    whole = f"every replica of {_remains(question)} runs, is updated and answers"
    return seen(fact, whole, then=f"Then {stays} serves alone, by the workers of {name}, which stay.")


def _remains(question: Question) -> str:
    """Name what serves alone when a rollout is over."""
    state = question.state
    stays = state.stable if state.offered is None else state.offered
    graph = state.graph(stays)
    return graph.name if graph is not None else stays


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
    alone = [
        f"- it is routers only: the workers of {one} serve both"
        for one in sorted(bound.shared(state, gate.revision))
    ]
    follow = f"the gate `{gate.step}{TRAFFIC}` asks for its requests when its replicas answer."
    lines = [*([first] if new else [f"{name} grows:"]), *alone, *grown, "", f"after this: {follow}"]
    return [*seen(*_ready(question), then=""), *lines]


def _ready(question: Question) -> list[str]:
    """Give what a step stands on: what was published before is applied, and whoever serves answers."""
    state = question.state
    facts = [f"what is published is applied, and every replica of {state.stable} runs and answers"]
    if state.candidate is None or state.candidate != state.offered:
        return facts
    given = f"every replica that {state.candidate} was given runs and answers"
    return [*facts, given, f"the route as it stands is applied, and {ACCEPTED}"]
