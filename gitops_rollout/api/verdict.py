"""What a change does, in the words of DESIGN 4; the same value is text, JSON, patch and Markdown."""

from dataclasses import dataclass
from enum import StrEnum

from gitops_rollout.api.problems import Problem
from gitops_rollout.api.values import Json


class Verdict(StrEnum):
    """What happens to running pods; ordered from nothing to most."""

    NO_CHANGE = "NO_CHANGE"
    CONTROL_ONLY = "CONTROL_ONLY"
    SCALE_ONLY = "SCALE_ONLY"
    RESTART = "RESTART"
    TOPOLOGY = "TOPOLOGY"
    NEW = "NEW"
    DELETED = "DELETED"
    REJECT = "REJECT"
    BLOCK = "BLOCK"


@dataclass(frozen=True, slots=True)
class Change:
    """One changed value; `path` is keyed by names (`decode/containers[main]/image`), old → new as written.

    `note` says what the values do not: "order only", "inactive", an amount.
    """

    path: str
    old: Json
    new: Json
    note: str = ""


@dataclass(frozen=True, slots=True)
class ComponentImpact:
    """What happens to one component; `pods` and `gpus` count what restarts (0 for other verdicts)."""

    name: str
    verdict: Verdict
    pods: int = 0
    gpus: int = 0
    part: str = ""
    """Which pods: "entry", "worker" or "entry and worker"; empty when nothing restarts."""


@dataclass(frozen=True, slots=True)
class Impact:
    """What a change does to one workload."""

    verdict: Verdict
    components: tuple[ComponentImpact, ...] = ()
    changes: tuple[Change, ...] = ()
    warnings: tuple[Problem, ...] = ()
    rejections: tuple[Problem, ...] = ()
    """Why the update is refused (verdict REJECT)."""

    @property
    def restarts(self) -> bool:
        """Say whether pods restart."""
        return self.verdict in {Verdict.RESTART, Verdict.TOPOLOGY}
