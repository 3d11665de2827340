"""A fault put into the planner on purpose, and what the invariants tell of it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from tests.simulate.runs import first_found

Change = Callable[[Any], Any]


@dataclass(frozen=True)
class Mutation:
    """A function of the planner, what is made of it, and the invariant that tells."""

    where: Any
    name: str
    change: Change
    told: str
    policy: str = "routed"
    faults: str = "some"


def found_out(mutation: Mutation, monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Break the planner, and play until anything is found; gives the invariants that tell."""
    real = getattr(mutation.where, mutation.name)
    monkeypatch.setattr(mutation.where, mutation.name, mutation.change(real))
    findings = (first_found(mutation.policy, mutation.faults, seed) for seed in range(40))
    first = next((one for one in findings if one), [])
    return {one.invariant.sentence for one in first}


def partition_falls(real: Any) -> Any:
    def hold(scene: Any, draft: Any) -> Any:
        draft = real(scene, draft)
        now = draft.state.partition
        if draft.state.offered is None or not now:
            return draft
        lower = {name: max(0, number - 1) for name, number in now.items()}
        return draft.at_partition(lower, lower)

    return hold
