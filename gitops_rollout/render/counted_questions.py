"""Questions about two revisions in one object, where a partition is a number of replicas."""

from collections.abc import Iterator

from gitops_rollout.render.question import Question
from gitops_rollout.rollout.gate import Gate


def counted_lines(question: Question, gate: Gate) -> list[str]:
    """Say how many replicas of each component a merge gives to the candidate, and what waits."""
    state = question.state
    takes_over = state.candidate is not None and state.candidate != gate.revision
    lines = [*_components(question, gate, takes_over=takes_over)]
    if takes_over:
        lines.append(f"- {state.candidate} is given up: what it holds restarts")
    nothing = f"- nothing moves: {gate.revision} goes on from where it stands"
    return [*(lines or [nothing]), "", "after this: the next step is asked when this one has soaked."]


def _components(question: Question, gate: Gate, *, takes_over: bool) -> Iterator[str]:
    state, after = question.state, gate.partition or {}
    before = (state.partition or {}) if state.candidate is not None and not takes_over else {}
    for name, count in sorted(gate.counts.items()):
        had, has = count - before.get(name, count), count - after.get(name, count)
        if has != had:
            yield f"- {name}: {had} → {has} of {count} replicas to {gate.revision}"
        elif not has and count:
            yield f"- {name}: none of {count} yet, all of it stays on {state.stable}"
