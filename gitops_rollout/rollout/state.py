"""The rollout file: what was approved and what was published. It is the only memory (DESIGN 6)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from gitops_rollout.api.graph_terms import Contract, Strategy
from gitops_rollout.api.values import Json, Object, text
from gitops_rollout.api.workload import WHOLE, Thresholds, WorkloadKey
from gitops_rollout.rollout.bindings import Bindings, RouterPolicy
from gitops_rollout.traffic.pools import Pool

FORMAT = 1
RENDERER = 1

Written = int | dict[str, int]
"""Thresholds as they stand in the file: a number for a whole workload, a map by role."""


def written(thresholds: Thresholds | None) -> Written | None:
    """Give thresholds as they are written."""
    if thresholds is None:
        return None
    return thresholds[WHOLE] if WHOLE in thresholds else dict(sorted(thresholds.items()))


def thresholds(value: Written | None) -> Thresholds | None:
    """Read thresholds as they are written."""
    return {WHOLE: value} if isinstance(value, int) else value


@dataclass(frozen=True, slots=True)
class Fence:
    """Changes with every commit and every gate of a workload, so that a stale gate conflicts (R2)."""

    seq: int
    digest: str

    def __str__(self) -> str:
        return f"{self.seq}-{self.digest}"

    @classmethod
    def read(cls, text: str) -> "Fence":
        """Read `17-3f9a1c0d22`; raises ValueError."""
        seq, _, digest = text.partition("-")
        return cls(int(seq), digest)


@dataclass(frozen=True, slots=True)
class Approval:
    """What a merged gate says: this revision may take this step, in this attempt, on this fence."""

    attempt: int
    base: str
    revision: str
    digest: str
    step: str
    allows: Object
    effect: str


@dataclass(frozen=True, slots=True)
class Accepted:
    """The last accepted spec without its revisioned fields, and the policy merged for it."""

    commit: str
    controls: Object
    policy: Object


@dataclass(frozen=True, slots=True)
class Published:
    """What of the candidate is in force. `lowest` never rises within a rollout (R12)."""

    partition: Written | None = None
    lowest: Written | None = None
    step: str | None = None
    split: None = None
    header: bool | None = None
    weight: int | None = None

    @property
    def traffic(self) -> bool:
        """Say whether any request reaches the candidate."""
        return bool(self.header or self.weight)


@dataclass(frozen=True, slots=True)
class Routed:
    """What is published beside the workload so that requests reach it.

    `terms` are those of the route in force (api.gateway.Gateway as JSON), None while there is none;
    `stage` says whether the route that it replaces still stands beside it, or that it is on its way out.
    `retiring` are pools that no route names any more and whose protection is off.
    """

    terms: Object | None = None
    stage: Literal["beside", "alone", "leaving"] = "alone"
    pools: tuple[Pool, ...] = ()
    retiring: tuple[Pool, ...] = ()


@dataclass(frozen=True, slots=True)
class Graph:
    """The object of one revision, where every revision is an object of its own (strategy NewGraph).

    `replicas` are those that are published, by component; None: as the source writes them, for it stands
    alone. `named` is not published yet, `leaving` has lost its protection. `restart` is the order to restart
    that stood in the source when it was born, which is none to it.

    `workers` names the graph whose workers its routers use, and then `holds` are the components that it has;
    both are fixed before it is published (R23), and empty where it has all of its own. `contracts` are
    those between routers and workers, as they were declared while the source wanted this revision.
    """

    name: str
    revision: str
    replicas: dict[str, int] | None = None
    stage: Literal["named", "serving", "leaving"] = "serving"
    restart: Json = None
    workers: str = ""
    holds: tuple[str, ...] = ()
    contracts: tuple[Contract, ...] = ()


@dataclass(frozen=True, slots=True)
class Rejected:
    """A revision that is not offered again until the source wants another one, or `retry`."""

    revision: str
    digest: str
    attempt: int
    step: str | None
    why: Literal["declined", "aborted", "failed"]


@dataclass(frozen=True, slots=True)
class Held:
    """A rollback by command: `revision` is wanted while the source wants `insteadOf` (a full digest)."""

    revision: str
    insteadOf: str  # noqa: N815  # written as DESIGN 6 spells it


@dataclass(frozen=True, slots=True)
class Baseline:
    """A revision that stands for legacy history: the ControllerRevision it came from, its owner's UID."""

    revision: str
    source: str
    uid: str


@dataclass(frozen=True, slots=True)
class Withdraw:
    """A workload that left the source: `delete` is asked, then `unprotected`, then it is removed."""

    stage: Literal["delete", "unprotected", "remove"]
    since: str


@dataclass(frozen=True, slots=True)
class Since:
    """Instants of the injected clock, RFC 3339 in UTC; dates of Git decide nothing (R16)."""

    changed: str
    proven: str | None = None
    drain: str | None = None


@dataclass(frozen=True, slots=True)
class Identity:
    """Which object this is about; the UID is known only where a cluster is observed."""

    kind: str
    uid: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """Everything under `state`: ours alone, sealed. Fields stand in the file in this order."""

    format: int = FORMAT
    seq: int
    workload: Identity
    accepted: Accepted
    stable: str
    candidate: str | None = None
    offered: str | None = None
    attempt: int = 0
    published: Published = Published()
    rejected: Rejected | None = None
    held: Held | None = None
    withdraw: Withdraw | None = None
    routed: Routed | None = None
    """Left out of the file where it is None: a workload without a route is written as it always was."""
    graphs: tuple[Graph, ...] = ()
    """Stable's object and the candidate's; left out where the workload is one object under its own name."""
    routerPolicy: RouterPolicy | None = None  # noqa: N815  # written as DESIGN 6 spells it
    """What routers were told last; it stays when they are no longer told, for versions only grow."""
    bindings: Bindings | None = None
    """What they are told, from which the body of this version follows; left out where it is nothing."""
    since: Since
    adopted: None = None
    baselines: tuple[Baseline, ...] = ()
    stables: tuple[str, ...] = ()
    """Former stable revisions, the newest first: those of the rollback window come back at once."""
    inventory: tuple[str, ...] = ()
    renderer: int = RENDERER
    installation: str

    @property
    def partition(self) -> Thresholds | None:
        """Give the thresholds in force, None when nothing of a candidate is published."""
        return thresholds(self.published.partition)

    @property
    def strategy(self) -> Strategy | None:
        """Give the strategy in force, None for the kind's own default."""
        written = self.accepted.policy.get("strategy")
        return Strategy(text(written)) if written is not None else None

    def graph(self, revision: str | None) -> Graph | None:
        """Give the object of a revision, None where it has none of its own."""
        return next((one for one in self.graphs if one.revision == revision), None)

    @property
    def lowest(self) -> Thresholds | None:
        """Give the lowest thresholds that were ever shown in this rollout."""
        return thresholds(self.published.lowest)


@dataclass(frozen=True, slots=True)
class RolloutFile:
    """One version of `rollout.yaml`."""

    key: WorkloadKey
    fence: Fence
    approved: Approval | None
    state: State
    seal: str
    files: Mapping[str, bytes] = field(default_factory=dict, compare=False)
    """The folder's files at this version, by path relative to the folder."""
