"""What an invariant is: a numbered promise, the workloads that it is about, and what was seen of it."""

from collections.abc import Callable
from dataclasses import dataclass

from gitops_rollout.kinds.protocol import Kind
from gitops_rollout.simulate.commit_laws import Change
from gitops_rollout.simulate.moments import Moment


def everywhere(_kind: Kind) -> bool:
    """Every workload."""
    return True


def in_one_object(kind: Kind) -> bool:
    """Workloads whose revisions share one object."""
    return kind.beside is None


def counted(kind: Kind) -> bool:
    """Workloads whose one object says how many replicas stay on stable."""
    return kind.counted is not None


def beside(kind: Kind) -> bool:
    """Workloads whose revisions are objects of their own."""
    return kind.beside is not None


@dataclass(frozen=True, slots=True)
class Invariant:
    """A promise: `numbers` and `sentence` name it; `truthful`: it rests on what people attest.

    Exactly one of the laws is there: of a commit of the service, or of the world after a step. `of` are
    the workloads that it means something for.
    """

    numbers: str
    sentence: str
    commit: Callable[[Change], str] | None = None
    moment: Callable[[Moment, Moment], str] | None = None
    truthful: bool = False
    of: Callable[[Kind], bool] = everywhere

    @property
    def name(self) -> str:
        """Give the name of its law."""
        law = self.commit or self.moment
        return law.__name__.replace("_", "-") if law is not None else self.numbers


@dataclass(frozen=True, slots=True)
class Finding:
    """An invariant that does not hold: when, which, and what was seen."""

    tick: int
    invariant: Invariant
    seen: str

    def __str__(self) -> str:
        return f"step {self.tick}: {self.invariant.numbers} {self.invariant.sentence}: {self.seen}"
