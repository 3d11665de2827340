"""What every controller of a workload kind is to the simulated world: objects in, pods out."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from gitops_rollout.api.values import Json, Object
from gitops_rollout.simulate.manifests import Manifest


@dataclass(frozen=True, slots=True)
class Pod:
    """One pod, or the pods that only live and die together; `uid` names this very incarnation.

    `graph` is the object that it belongs to, `made_from` tells what its template was, `place` is its
    ordinal where its kind has ordinals. `ready`: it answers requests, which is more than Kubernetes' Ready.
    """

    uid: int
    graph: str
    component: str
    made_from: str
    ready: bool
    place: int | None = None


class Why(StrEnum):
    """Why a pod went."""

    ROLLED = "rolled"
    """Its template is another one now."""
    SCALED = "scaled"
    DIED = "died"
    """By itself: nobody asked for it."""


@dataclass(frozen=True, slots=True)
class Death:
    """A pod that is no more."""

    pod: Pod
    why: Why


@dataclass(frozen=True, slots=True)
class Reach:
    """Where a pod that takes requests sends them on to: all of one request go to one of these sets."""

    router: Pod
    sets: tuple[tuple[Pod, ...], ...]


class Controller(Protocol):
    """Makes pods of the live objects of one kind; every object is looked at by itself. `prunes`: the live CRD
    drops the field that holds a candidate back (R26).
    """

    prunes: bool

    @property
    def kind(self) -> str:
        """Give the kind of the objects that it looks at."""
        ...

    def tick(self, objects: Sequence[Manifest]) -> bool:
        """Reconcile once with what is live now; says whether anything happened."""
        ...

    @property
    def pods(self) -> tuple[Pod, ...]:
        """Give the pods that exist."""
        ...

    @property
    def deaths(self) -> Sequence[Death]:
        """Give every pod that went, the last one last."""
        ...

    @property
    def hurt(self) -> Collection[str]:
        """Give what those pods were made from that died by themselves and are not ready again yet."""
        ...

    def die(self, uid: int) -> None:
        """Let a pod die by itself."""
        ...

    def scale(self, replicas: int) -> None:
        """Have an autoscaler want other replicas; that moves only objects that write none."""
        ...

    @property
    def reach(self) -> Sequence[Reach]:
        """Give whom the pods that take requests find by themselves; none, where nothing is looked for."""
        ...

    def made_from(self, published: Object) -> Mapping[str, str]:
        """Name what the pods of an object are made from, by component."""
        ...

    def labels(self, pod: Pod) -> Mapping[str, Json]:
        """Give the labels that a pod carries."""
        ...

    def wanted(self, manifest: Manifest) -> Mapping[str, int]:
        """Give how many replicas an object asks for, by component."""
        ...

    def kept(self, manifest: Manifest) -> Mapping[str, int]:
        """Give how many of them the object itself leaves on what ran before, by component."""
        ...
