"""What a gate is about, and the words in which a merge attests what somebody has seen."""

from dataclasses import dataclass

from gitops_rollout.api.verdict import Impact
from gitops_rollout.kinds.protocol import Kind
from gitops_rollout.revision.history import History
from gitops_rollout.rollout.state import State

ACCEPTED = "every Gateway that it names says Accepted and ResolvedRefs, at its newest generation"


@dataclass(frozen=True, slots=True)
class Question:
    """What a gate is about: the state, what the revision changes, the revision in words.

    `typed` is the workload as people type it; `kind` is the kind as it is under the strategy in force.
    """

    state: State
    impact: Impact | None
    revision: str
    typed: str
    kind: Kind
    history: History


def seen(*facts: str, then: str) -> list[str]:
    """Say what a merge attests, and what follows it."""
    last = len(facts) - 1
    listed = [f"- {fact}{'.' if index == last else ';'}" for index, fact in enumerate(facts)]
    return ["By merging this you say what you have seen:", *listed, then]
