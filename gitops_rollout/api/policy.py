"""How a new revision is let in: steps, gates, soak. What people write is api/policy_document.py.

Without any policy: record, one gate `all`, then everything (DESIGN 3).
"""

import json
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from gitops_rollout.api.calendar import Window
from gitops_rollout.api.checks import Check
from gitops_rollout.api.duration import seconds, written
from gitops_rollout.api.gateway import Gateway, Traffic
from gitops_rollout.api.graph_terms import UNLIMITED, Capacity, Contract, ReleaseGroup, Strategy
from gitops_rollout.api.router_terms import ISOLATION, RouterTerms
from gitops_rollout.api.steps import Share, step_faults
from gitops_rollout.api.values import Json, Object, mapping, sequence, text


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
    """How long something is waited for, in seconds; a way down then goes on without a proof (R13)."""

    drain: int = 600
    """From the commit that took the requests away until the pods may go."""
    rollback: int = 600
    """From the commit that gave stable its pods back until it gets the requests back."""
    progress: int = 3600
    """How long a way up may stand still before it counts as blocked."""
    settle: int = 10
    """How long a fact has to hold before it is a proof."""

    def to_json(self) -> Object:
        """Give the form that stands in the rollout file."""
        later: Object = {"progress": written(self.progress), "settle": written(self.settle)}
        return {
            "drain": written(self.drain),
            "rollback": written(self.rollback),
            **{name: value for name, value in later.items() if value != _LATER_TIMEOUTS[name]},
        }

    @classmethod
    def from_json(cls, value: Json) -> "Timeouts":
        """Read what `to_json` gave; ValueError when it is anything else."""
        fields = {**_LATER_TIMEOUTS, **mapping(value)}
        drain, rollback, *later = (
            seconds(text(fields.get(name))) for name in ("drain", "rollback", *_LATER_TIMEOUTS)
        )
        return cls(drain, rollback, *later)

    def __str__(self) -> str:
        named = (("drain", self.drain), ("rollback", self.rollback))
        later = (("progress", self.progress), ("settle", self.settle))
        return ", ".join(f"{name} {written(value)}" for name, value in (*named, *later))


_LATER_TIMEOUTS: Object = {"progress": "1h", "settle": "10s"}
"""What is left out of a rollout file where it is as built in; in the order of the fields."""

RENAMES_GRAPH = "Accepted"
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
    strategy: Strategy | None = None
    """None: the kind's own default."""
    renames_graph: bool = False
    """People have accepted that no graph keeps the workload's name (NewGraph)."""
    capacity: Capacity = UNLIMITED
    release_groups: tuple[ReleaseGroup, ...] = ()
    contracts: tuple[Contract, ...] = ()
    retire_delay: int = 0
    """How many seconds a graph that serves nothing any more stays warm."""
    router_policy: RouterTerms = ISOLATION

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

    @property
    def particular(self) -> bool:
        """Say whether it holds anything that some kinds, or some workloads of a kind, cannot do."""
        graphs = (self.strategy, self.renames_graph, self.release_groups, self.contracts, self.retire_delay)
        routed = self.gateway is not None or self.router_policy.managed
        return any(graphs) or routed or self.capacity != UNLIMITED

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
            "strategy": self.strategy.value if self.strategy else None,
            "renamesGraph": RENAMES_GRAPH if self.renames_graph else None,
            "capacity": self.capacity.to_json(),
            "releaseGroups": [one.to_json() for one in self.release_groups],
            "compatibility": [one.to_json() for one in self.contracts],
            "retireDelay": written(self.retire_delay),
            "routerPolicy": self.router_policy.to_json(),
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
        """Read what `to_json` gave; ValueError when it is anything else. Equal forms give one policy: a pass
        asks for it many times.
        """
        return _read(json.dumps(value))

    @classmethod
    def _of(cls, fields: Object) -> "Policy":
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
            strategy=Strategy(text(fields["strategy"])) if "strategy" in fields else None,
            renames_graph=fields.get("renamesGraph") == RENAMES_GRAPH,
            capacity=Capacity.from_json(fields.get("capacity")),
            release_groups=tuple(map(ReleaseGroup.from_json, sequence(fields.get("releaseGroups")))),
            contracts=tuple(map(Contract.from_json, sequence(fields.get("compatibility")))),
            retire_delay=seconds(text(fields.get("retireDelay", "0s"))),
            router_policy=RouterTerms.from_json(fields.get("routerPolicy", ISOLATION.to_json())),
        )


@lru_cache(maxsize=256)
def _read(form: str) -> Policy:
    return Policy._of(mapping(json.loads(form)))


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
    "strategy": None,
    "renamesGraph": None,
    "capacity": {},
    "releaseGroups": [],
    "compatibility": [],
    "retireDelay": "0s",
    "routerPolicy": ISOLATION.to_json(),
}
