"""How a new revision is let in: steps, gates, soak. What people write is api/policy_document.py.

Without any policy: record, one gate `all`, then everything (DESIGN 3).
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from gitops_rollout.api.calendar import Window
from gitops_rollout.api.checks import Check
from gitops_rollout.api.duration import seconds, written
from gitops_rollout.api.gateway import Gateway, Traffic
from gitops_rollout.api.values import Json, Object, mapping, sequence, text

_PERCENT = re.compile(r"([1-9][0-9]?|100)%", re.ASCII)


class Gate(StrEnum):
    """Who opens a step's gate: a person who merges, or nobody once the proofs are in."""

    MERGE = "Merge"
    AUTOMATIC = "Automatic"


class Proof(StrEnum):
    """Where facts come from: a cluster that is observed, or the person who merges."""

    MANUAL = "Manual"
    CLUSTER = "Cluster"


class Deletion(StrEnum):
    """What happens to a workload whose spec is gone (R6)."""

    GATE = "Gate"
    AUTOMATIC = "Automatic"
    KEEP = "Keep"


class OnNewRevision(StrEnum):
    """What another revision does to a rollout that is on: take its place, or wait for its end."""

    REPLACE = "Replace"
    WAIT = "Wait"


class ReplicasFrom(StrEnum):
    """Who owns the replica count: the source, or an autoscaler in the cluster (R8)."""

    SOURCE = "Source"
    CLUSTER = "Cluster"


@dataclass(frozen=True, slots=True)
class Share:
    """How much of the desired replicas a step gives to the candidate: a count or a percentage."""

    number: int
    percent: bool = False

    def __post_init__(self) -> None:
        if self.number < 1 or (self.percent and self.number > 100):
            raise ValueError("a share is a count from 1 up or a percentage from 1% to 100%")

    @classmethod
    def parse(cls, value: Json) -> "Share":
        """Read `1` or `25%`; ValueError for anything else."""
        if isinstance(value, int) and not isinstance(value, bool):
            return cls(value)
        match = _PERCENT.fullmatch(text(value))
        if match is None:
            raise ValueError(
                'write a count from 1 up, such as 2, or a percentage from 1% to 100%, such as "25%"'
            )
        return cls(int(match[1]), percent=True)

    def of(self, desired: int) -> int:
        """Give the candidate's replicas: rounded up, at most `desired`, at least 1 where 1 is desired."""
        wanted = -(-self.number * desired // 100) if self.percent else self.number
        return max(0, min(wanted, desired))

    @property
    def whole(self) -> bool:
        """Say whether this is everything, whatever is desired."""
        return self.percent and self.number == 100

    @property
    def written(self) -> int | str:
        """Give the value as people write it."""
        return f"{self.number}%" if self.percent else self.number

    @property
    def step_name(self) -> str:
        """Give the name of a step that is written by its value only: `1`, `25pct`."""
        return f"{self.number}pct" if self.percent else str(self.number)

    def __str__(self) -> str:
        return str(self.written)


@dataclass(frozen=True, slots=True)
class Step:
    """One question to the reviewers and what it allows; `soak` is seconds after its proofs."""

    name: str
    replicas: Share
    soak: int = 0
    gate: Gate = Gate.MERGE
    traffic: Traffic | None = None
    """What of the requests it gives to the candidate; None where the workload has no route."""
    checks: tuple[Check, ...] = ()


@dataclass(frozen=True, slots=True)
class Timeouts:
    """How long a way down waits for a proof before it goes on without one, in seconds (R13)."""

    drain: int = 600
    """From the commit that took the requests away until the pods may go."""
    rollback: int = 600
    """From the commit that gave stable its pods back until it gets the requests back."""

    def to_json(self) -> Object:
        """Give the form that stands in the rollout file."""
        return {"drain": written(self.drain), "rollback": written(self.rollback)}

    @classmethod
    def from_json(cls, value: Json) -> "Timeouts":
        """Read what `to_json` gave; ValueError when it is anything else."""
        fields = mapping(value)
        return cls(seconds(text(fields.get("drain"))), seconds(text(fields.get("rollback"))))

    def __str__(self) -> str:
        return f"drain {written(self.drain)}, rollback {written(self.rollback)}"


COUNTS_NEED_REPLICAS = "a count says nothing where the cluster owns the replicas; write percentages"
ALL = Step("all", Share(100, percent=True))


@dataclass(frozen=True, slots=True)
class Policy:
    """The policy of one workload, every field decided. `soak` is the one of steps without their own."""

    steps: tuple[Step, ...] = (ALL,)
    soak: int = 0
    proof: Proof = Proof.MANUAL
    suspend: bool = False
    deletion: Deletion = Deletion.GATE
    revision_history_limit: int = 10
    rollback_window: int = 0
    """How many former stable revisions come back through one gate, without steps and soak."""
    on_new_revision: OnNewRevision = OnNewRevision.REPLACE
    replicas_from: ReplicasFrom = ReplicasFrom.SOURCE
    gateway: Gateway | None = None
    """The terms of the workload's owned route; its steps then move requests, too."""
    timeouts: Timeouts = Timeouts()
    windows: tuple[Window, ...] = ()
    """When steps upward may be asked; always, where there are none."""

    def __post_init__(self) -> None:
        fault = next(step_faults((step.name, step.replicas) for step in self.steps), None)
        if fault is not None:
            raise ValueError(f"steps{fault[0]}: {fault[1]}")
        if self.replicas_from is ReplicasFrom.CLUSTER and not all(one.replicas.percent for one in self.steps):
            raise ValueError(f"steps: {COUNTS_NEED_REPLICAS}")
        if self.proof is Proof.MANUAL and self.automatic:
            raise ValueError(f"{self.automatic}: Automatic needs proof: Cluster")

    @property
    def automatic(self) -> str:
        """Name the first field that lets something happen without a person; empty when none does."""
        if self.deletion is Deletion.AUTOMATIC:
            return "deletion"
        indices = (i for i, step in enumerate(self.steps) if step.gate is Gate.AUTOMATIC)
        return next((f"steps[{index}].gate" for index in indices), "")

    def step(self, name: str) -> Step | None:
        """Give the step of this name, None when the policy has no such step."""
        return next((step for step in self.steps if step.name == name), None)

    def to_json(self) -> Object:
        """Give the object that stands in the rollout file; `from_json` reads it back."""
        # What is as built in is left out, so that a version without the field reads the same policy.
        later: Object = {
            "onNewRevision": self.on_new_revision.value,
            "replicasFrom": self.replicas_from.value,
            "rollbackWindow": self.rollback_window,
            "gateway": self.gateway.to_json() if self.gateway else None,
            "timeouts": self.timeouts.to_json(),
            "windows": [one.to_json() for one in self.windows],
        }
        return {
            "steps": [_step_to_json(step) for step in self.steps],
            "soak": written(self.soak),
            "proof": self.proof.value,
            "suspend": self.suspend,
            "deletion": self.deletion.value,
            "revisionHistoryLimit": self.revision_history_limit,
            **{name: value for name, value in later.items() if value != _LATER[name]},
        }

    @classmethod
    def from_json(cls, value: Json) -> "Policy":
        """Read what `to_json` gave; ValueError when it is anything else."""
        fields = mapping(value)
        limit, suspend = fields.get("revisionHistoryLimit"), fields.get("suspend")
        window = fields.get("rollbackWindow", 0)
        if isinstance(limit, bool) or not isinstance(limit, int) or not isinstance(suspend, bool):
            raise ValueError("a recorded policy has a revisionHistoryLimit (number) and suspend (boolean)")
        return cls(
            steps=tuple(_step_from_json(step) for step in sequence(fields.get("steps"))),
            soak=seconds(text(fields.get("soak"))),
            proof=Proof(text(fields.get("proof"))),
            suspend=suspend,
            deletion=Deletion(text(fields.get("deletion"))),
            revision_history_limit=limit,
            rollback_window=window if isinstance(window, int) else 0,
            on_new_revision=OnNewRevision(text(fields.get("onNewRevision")) or "Replace"),
            replicas_from=ReplicasFrom(text(fields.get("replicasFrom")) or "Source"),
            gateway=Gateway.from_json(fields["gateway"]) if "gateway" in fields else None,
            timeouts=Timeouts.from_json(fields["timeouts"]) if "timeouts" in fields else Timeouts(),
            windows=tuple(map(Window.from_json, sequence(fields.get("windows")))),
        )


STEP_NAME_LIMIT = 20
RESERVED_STEPS = ("complete", "drained", "delete", "unprotected", "attach", "detach")
_STEP_NAME = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?", re.ASCII)


def step_faults(steps: Iterable[tuple[str, Share]]) -> Iterator[tuple[str, str]]:
    """Find what is wrong with a list of steps, as (path below `steps`, message); names and shares only."""
    steps = list(steps)
    if not steps or not steps[-1][1].whole:
        yield "", "the last step is 100%: without it the rollout never ends"
    highest: dict[bool, int] = {}
    names: set[str] = set()
    for index, (name, share) in enumerate(steps):
        fault = _name_fault(name, names)
        if fault:
            yield f"[{index}].name", fault
        names.add(name)
        if share.number <= highest.get(share.percent, 0):
            yield f"[{index}].replicas", f"{share} does not rise above the step before it"
        highest[share.percent] = max(share.number, highest.get(share.percent, 0))


def _name_fault(name: str, taken: set[str]) -> str:
    if len(name) > STEP_NAME_LIMIT or not _STEP_NAME.fullmatch(name):
        return f"{name[:40]!r} is no step name: at most {STEP_NAME_LIMIT} of a-z, 0-9 and inner dashes"
    if name in RESERVED_STEPS or name.endswith("-traffic"):
        return f"{name!r} names a step of our own; choose another name"
    if name in taken:
        return f"a second step named {name!r}; names are unique"
    return ""


def _step_to_json(step: Step) -> Json:
    return {
        "name": step.name,
        "replicas": step.replicas.written,
        "soak": written(step.soak),
        "gate": step.gate.value,
        **({"traffic": step.traffic.to_json()} if step.traffic is not None else {}),
        **({"checks": [one.to_json() for one in step.checks]} if step.checks else {}),
    }


def _step_from_json(value: Json) -> Step:
    fields = mapping(value)
    return Step(
        name=text(fields.get("name")),
        replicas=Share.parse(fields.get("replicas")),
        soak=seconds(text(fields.get("soak"))),
        gate=Gate(text(fields.get("gate"))),
        traffic=Traffic.from_json(fields["traffic"]) if "traffic" in fields else None,
        checks=tuple(map(Check.from_json, sequence(fields.get("checks")))),
    )


BUILT_IN = Policy()
_LATER: Object = {
    "onNewRevision": "Replace",
    "replicasFrom": "Source",
    "rollbackWindow": 0,
    "gateway": None,
    "timeouts": Timeouts().to_json(),
    "windows": [],
}
