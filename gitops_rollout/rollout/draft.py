"""What the planner reads and what it works on: all that a decision may depend on, and nothing else."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import ClassVar

from gitops_rollout.api.calendar import Freeze
from gitops_rollout.api.policy import Policy
from gitops_rollout.api.problems import Problem
from gitops_rollout.api.values import Json, Object
from gitops_rollout.api.workload import Spec, Thresholds, WorkloadKey
from gitops_rollout.kinds.protocol import Kind
from gitops_rollout.revision.history import History
from gitops_rollout.rollout.facts import NOTHING_SEEN, Observation
from gitops_rollout.rollout.file import folder_digest
from gitops_rollout.rollout.state import Approval, Published, RolloutFile, State, written


class Presence(StrEnum):
    """What the source says about a workload. What cannot be read is never absent."""

    PRESENT = "Present"
    REFUSED = "Refused"
    ABSENT = "Absent"
    HELD = "Held"


class Word(StrEnum):
    """The kinds of orders."""

    DECLINE = "decline"
    ABORT = "abort"
    RETRY = "retry"
    ROLLBACK = "rollback"
    RESUME = "resume"
    PROMOTE = "promote"
    IMPORT = "import-history"


@dataclass(frozen=True, slots=True)
class Order:
    """What a person asked for, besides what the source and the merges say."""

    word: Word
    revision: str = ""
    """Where a rollback goes."""
    step: str = ""
    """Up to where a promotion goes."""
    reason: str = ""
    skip_soak: bool = False
    legacy: tuple[Json, ...] = ()
    """Objects of the cluster that history is imported from."""

    DECLINE: ClassVar["Order"]
    ABORT: ClassVar["Order"]
    RETRY: ClassVar["Order"]
    RESUME: ClassVar["Order"]


Order.DECLINE, Order.ABORT = Order(Word.DECLINE), Order(Word.ABORT)
Order.RETRY, Order.RESUME = Order(Word.RETRY), Order(Word.RESUME)


@dataclass(frozen=True, slots=True)
class Desired:
    """What the source wants of one workload; `spec` is there iff it is present.

    `policy` None: it cannot be told now, the last accepted one stays in force.
    """

    presence: Presence
    spec: Spec | None = None
    policy: Policy | None = None
    problems: tuple[Problem, ...] = ()
    moved_to: str = ""
    """The workload that says it took over from this one (annotation moved-from)."""
    freezes: tuple[Freeze, ...] = ()
    scopes: frozenset[str] = frozenset()
    """What other workloads take of the names that no two objects may share a prefix of (kinds.Beside)."""
    obstructed: bool = False
    """People have something where the route of this workload belongs: nothing of it is written or moved."""


@dataclass(frozen=True, slots=True)
class Head:
    """What the output branch says about one workload, read along its first-parent line.

    `left` is the version that our own last commit left; `shown` are the workload objects of the
    versions since then, the head's first. `restored` says why the state had to come from an ancestor.
    """

    file: RolloutFile
    left: RolloutFile
    history: History
    shown: tuple[Object, ...] = ()
    stands: tuple[Object, ...] = ()
    """The objects of graphs in the head, where it is not what our last commit left."""
    restored: str = ""
    damage: tuple[Problem, ...] = ()
    seen: int = 0
    """The highest number that the versions since then carried: it is not used again."""
    stale: frozenset[str] = frozenset()
    """Files of objects that were put back as they had been: they get another number (R1)."""

    @property
    def as_left(self) -> bool:
        """Say that nobody touched the folder since our last commit, which is what its fence names."""
        same = not self.restored and not self.stale and self.file.files == self.left.files
        return same and self.file.fence.digest == folder_digest(self.file.files)


@dataclass(frozen=True, slots=True)
class Scene:
    """The inputs of one decision. `commit` is the head of the source; `installation` is written, and decides
    nothing.
    """

    key: WorkloadKey
    kind: Kind
    desired: Desired
    now: datetime
    commit: str
    installation: str
    order: Order | None = None
    observation: Observation = NOTHING_SEEN


@dataclass(frozen=True, slots=True)
class Draft:
    """A state in the making; every change gives a new draft."""

    state: State
    approved: Approval | None
    history: History
    notes: tuple[Problem, ...] = ()
    makes_room: bool = False
    """Other replicas wait for requests to leave first. Nothing that goes up is asked meanwhile: whoever
    merges it before the next pass would have the requests lowered once more, without an end."""
    stood: State | None = None
    """The state that was read, before merges and the source were followed."""

    def note(self, code: str, message: str) -> "Draft":
        """Say something that people should see; a note never decides anything."""
        return replace(self, notes=(*self.notes, Problem(code=code, message=message)))

    def with_state(self, **changes: object) -> "Draft":
        """Change fields of the state."""
        return replace(self, state=replace(self.state, **changes))  # type: ignore[arg-type]

    def with_published(self, **changes: object) -> "Draft":
        """Change fields of what is published."""
        return self.with_state(published=replace(self.state.published, **changes))  # type: ignore[arg-type]

    def at_partition(self, partition: Thresholds, lowest: Thresholds) -> "Draft":
        """Put the thresholds in force, and the lowest ever shown."""
        return self.with_published(partition=written(partition), lowest=written(lowest))

    def ended(self) -> "Draft":
        """Forget what was published of a candidate: the rollout is over."""
        over = self.with_state(published=Published(), candidate=None, offered=None)
        since = replace(self.state.since, proven=None, drain=None)
        return replace(over.with_state(since=since), approved=None)

    @property
    def policy(self) -> Policy:
        """Give the policy in force."""
        return Policy.from_json(self.state.accepted.policy)

    @property
    def rolling_back(self) -> bool:
        """Say that a candidate serves which nobody wants any more."""
        return self.state.candidate is not None and self.state.offered is None


def left(draft: Draft) -> Draft:
    """Leave the offered revision: its attempt and every approval of it end here."""
    draft = draft.with_state(offered=None, attempt=draft.state.attempt + 1).with_published(step=None)
    return replace(draft, approved=None)


def instant(now: datetime) -> str:
    """Write an instant as it stands in the rollout file."""
    return now.strftime("%Y-%m-%dT%H:%M:%SZ")


def parsed(written_instant: str) -> datetime:
    """Read an instant of the rollout file."""
    return datetime.fromisoformat(written_instant)


def soaked_at(state: State, soak: int) -> datetime | None:
    """Give when the step in force has soaked, None when it never was proven."""
    proven = state.since.proven
    return parsed(proven) + timedelta(seconds=soak) if proven else None
