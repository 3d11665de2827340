"""Workloads as the core sees them: identity, source text, controls."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from gitops_rollout.api.problems import Problem
from gitops_rollout.api.values import Object

# Partition by component: an ordinal threshold for each thing that moves on its own. A ModelServing
# that rolls by whole groups has the one component WHOLE; one that rolls by roles has one a role.
Thresholds: TypeAlias = Mapping[str, int]
WHOLE = "*"


@dataclass(frozen=True, slots=True, order=True)
class WorkloadKey:
    """Identity of a workload, wherever its file stands."""

    namespace: str
    kind: str
    name: str

    def __str__(self) -> str:
        return f"{self.kind}/{self.name} -n {self.namespace}"


@dataclass(frozen=True, slots=True)
class Spec:
    """One workload of the source, checked and split.

    `text` is the source text: the revisioned fields exactly as written (order, spelling, absence of
    defaults), with apiVersion and kind. `controls` is everything else that is published, in one
    normal form, so that equal controls are equal values. Neither is ever mutated.
    """

    key: WorkloadKey
    text: Object
    controls: Object
    warnings: tuple[Problem, ...] = ()
    file: str = ""
    document: int = 0
