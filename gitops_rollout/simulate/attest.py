"""Whether what a gate asks people to attest is true in the world, as a careful person would look (R20).

They answer by what the transition stands on and by nothing else (rollout.facts.needs).
"""

from gitops_rollout.rollout import asking
from gitops_rollout.rollout.draft import Head
from gitops_rollout.rollout.facts import Observation, needs
from gitops_rollout.simulate.people import Question
from gitops_rollout.simulate.world import World


def untrue(world: World, question: Question, seen: Observation) -> str:
    """Say what is not (yet) as the question says; empty: who merges now says the truth."""
    head = world.place.head(world.branch.head)
    if not isinstance(head, Head):
        return "nothing is published that can be read"
    state = head.file.state
    gate = asking.due(world.place.kind.under(state.strategy), head.history, state)
    if gate is None or not gate.same(question.approval):
        return "it is not what is asked now"
    lacking = seen.missing(needs(state, gate))
    return ", ".join(f"not seen: {fact}" for fact in lacking)
