"""Gates: questions to people, each asked as one commit on the output branch's head (DESIGN 2)."""

import hashlib
from dataclasses import dataclass, replace

from gitops_rollout.api.gateway import Traffic
from gitops_rollout.api.policy import ALL, Policy, Step
from gitops_rollout.api.values import Json, Object
from gitops_rollout.api.workload import Thresholds, WorkloadKey
from gitops_rollout.kinds.protocol import Kind
from gitops_rollout.revision.history import History
from gitops_rollout.rollout.capacity import Ground, Stage, stages
from gitops_rollout.rollout.state import Approval, State, written
from gitops_rollout.semantics.canonical import canonical_bytes

COMPLETE, DELETE, UNPROTECTED = "complete", "delete", "unprotected"
DRAINED, ATTACH, DETACH = "drained", "attach", "detach"
TRAFFIC = "-traffic"
"""Ends the names of gates that move requests: `tenth-traffic`, `attach-traffic`, `stable-traffic`."""
TAKE_OVER, BACK = f"attach{TRAFFIC}", f"stable{TRAFFIC}"
POLICY = "-policy"
"""Ends the names of changes of what routers are told; they follow by themselves and are asked of nobody."""
TELL, RESTORE, BIND = f"stable{POLICY}", f"restore{POLICY}", f"candidate{POLICY}"
PROMOTE, UNBIND = f"default{POLICY}", f"unbind{POLICY}"
POLICY_CHANGES = frozenset({TELL, RESTORE, BIND, PROMOTE, UNBIND})
PREFIX = "refs/heads/gitops-rollout/gate"


@dataclass(frozen=True, slots=True)
class Gate:
    """One question: may `revision` take this step, in this attempt?

    `partition` is what the merge publishes; None where the merge changes no workload file. `header`
    and `weight` are the requests that follow in a commit of ours, `route` the digest of a route's terms.
    """

    step: str
    attempt: int
    revision: str
    digest: str
    allows: Object
    partition: Thresholds | None
    counts: Thresholds
    header: bool | None = None
    weight: int | None = None
    route: str = ""
    stable: Thresholds | None = None
    """What stable keeps after it, where revisions stand beside each other; it follows in a commit of ours."""

    @property
    def base_step(self) -> str:
        """Name the step of the policy that it is about, whatever of it is asked."""
        return self.step.removesuffix(TRAFFIC)

    @property
    def effect(self) -> str:
        """Give the digest of everything that the approval allows, without fence or commit (R15)."""
        effect: Object = {
            "header": self.header,
            "partition": _json(self.partition),
            "replicas": _json(self.counts),
            "step": self.step,
            "weight": self.weight,
        }
        if self.route:
            effect["route"] = self.route
        if self.stable is not None:
            effect["stable"] = _json(self.stable)
        return hashlib.sha256(canonical_bytes(effect)).hexdigest()[:32]

    def approval(self, base: str) -> Approval:
        """Give what a merge says: `base` is the fence that the gate stands on."""
        return Approval(
            self.attempt, base, self.revision, self.digest, self.step, dict(self.allows), self.effect
        )

    def same(self, approval: Approval) -> bool:
        """Say whether an approval is for exactly this gate, whatever it was based on."""
        return replace(approval, base="") == self.approval("")


def _json(thresholds: Thresholds | None) -> Json:
    return thresholds if thresholds is None else {name: thresholds[name] for name in sorted(thresholds)}


def folder_ref(key: WorkloadKey, short: str) -> str:
    """Give the ref below which a workload's gates stand."""
    return f"{PREFIX}/{key.namespace}/{short}-{key.name}"


def ref_name(key: WorkloadKey, short: str, gate: Gate) -> str:
    """Give the full name of a gate's branch: attempt, step, and 8 hex of the effect."""
    return f"{folder_ref(key, short)}/{gate.attempt}-{gate.step}-{gate.effect[:8]}"


def remaining(state: State, counts: Thresholds) -> tuple[Stage, ...]:
    """Give the stages after the step in force. Scaling changes counts, never the step."""
    steps = steps_of(state)
    names = [step.name for step in steps]
    done = names.index(state.published.step) if state.published.step in names else -1
    return tuple(stage for stage in stages(steps, counts) if names.index(stage.step.name) > done)


def step_in_force(state: State) -> Step | None:
    """Give the step of this rollout that is in force; on the way back through the window it has no soak."""
    return next((step for step in steps_of(state) if step.name == state.published.step), None)


def everything_approved(state: State) -> bool:
    """Say whether the step in force is the last one: from here on the floor decides."""
    return state.published.step is not None and state.published.step == steps_of(state)[-1].name


def steps_of(state: State) -> tuple[Step, ...]:
    """Give the steps of the rollout that is on.

    A revision that was stable a short while ago (`rollbackWindow`) comes back through one gate.
    """
    policy = Policy.from_json(state.accepted.policy)
    recent = state.stables[: policy.rollback_window]
    if (state.offered or state.candidate) not in recent:
        return policy.steps
    return (ALL if policy.gateway is None else replace(ALL, traffic=Traffic(weight=100)),)


def of_step(history: History, state: State, step: Step, partition: Thresholds, land: Ground) -> Gate:
    """Give the gate that asks whether the offered revision may take a step, down to `partition`."""
    revision = history[state.offered or ""]
    allows: Object = {"replicas": step.replicas.written}
    return Gate(step.name, state.attempt, revision.id, revision.digest, allows, partition, land.counts)


def plain(kind: Kind, history: History, state: State, step: str) -> Gate:
    """A gate whose merge holds only fence and approval."""
    revision = history[state.offered or state.stable]
    counts = dict(kind.counts(state.accepted.controls)) if step == COMPLETE else {}
    return Gate(step, state.attempt, revision.id, revision.digest, {}, None, counts)


def body_step(gate: Gate) -> str:
    """Name the step as people see it in titles."""
    return gate.step if gate.partition is None else f"{gate.step} (partition {written(gate.partition)})"
