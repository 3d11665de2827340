"""RolloutPolicy and RevisionRollout as people write them (apiVersion gitops-rollout.io/v1alpha1).

Codes: UNKNOWN_FIELD no such field; NOT_YET a field of the design that is not built, never ignored;
 POLICY_INVALID anything else that cannot be meant.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar

from pydantic import ValidationError

from gitops_rollout.api import gateway_document as routing
from gitops_rollout.api import graph_document as graphs
from gitops_rollout.api import router_document as routers
from gitops_rollout.api.calendar import Window
from gitops_rollout.api.calendar_document import written_window
from gitops_rollout.api.checks import Check
from gitops_rollout.api.checks_document import CheckModel, check_faults, written_check
from gitops_rollout.api.gateway import Traffic
from gitops_rollout.api.graph_terms import NOTHING_MOVES, Capacity, Contract, ReleaseGroup, Strategy
from gitops_rollout.api.policy import (
    COUNTS_NEED_REPLICAS,
    Deletion,
    Gate,
    OnNewRevision,
    Proof,
    ReplicasFrom,
    Timeouts,
)
from gitops_rollout.api.policy_model import PolicyModel, RolloutModel, StepModel
from gitops_rollout.api.problems import Problem
from gitops_rollout.api.router_terms import RouterTerms
from gitops_rollout.api.steps import Share, step_faults
from gitops_rollout.api.validation import invalid
from gitops_rollout.api.values import Object, at, text
from gitops_rollout.api.workload import WorkloadKey

GROUP = "gitops-rollout.io"
API_VERSION = f"{GROUP}/v1alpha1"
POLICY_ANNOTATION = f"{GROUP}/policy"
FOLDER_ANNOTATION = f"{GROUP}/folder"

NOT_BUILT = ("parking",)
OWN_ONLY = (
    "adopt",
    "compatibility",
    "gateway",
    "policyRef",
    "releaseGroups",
    "route",
    "routerPolicy",
    "workload",
)
NO_AUTOMATIC = (
    "Automatic needs facts about the cluster, and under Manual proof a person gives them;"
    " leave it out, or write Merge for a gate and Gate for deletion"
)

_Written = TypeVar("_Written", bound=PolicyModel)


@dataclass(frozen=True, slots=True)
class WrittenStep:
    """A step as written; None: the policy's own soak or gate holds."""

    name: str
    replicas: Share
    soak: int | None = None
    gate: Gate | None = None
    traffic: Traffic | None = None
    checks: tuple[Check, ...] | None = None


@dataclass(frozen=True, slots=True)
class Routing:
    """What one workload says about its route. `route` names an HTTPRoute of the source, or is empty."""

    route: str = ""
    gateway: routing.GatewayModel = field(default_factory=routing.GatewayModel)
    adopt: routing.LabelModel | None = None


@dataclass(frozen=True, slots=True)
class Fields:
    """What one document writes of a policy; None: not written here."""

    steps: tuple[WrittenStep, ...] | None = None
    soak: int | None = None
    gate: Gate | None = None
    proof: Proof | None = None
    suspend: bool | None = None
    deletion: Deletion | None = None
    revision_history_limit: int | None = None
    rollback_window: int | None = None
    on_new_revision: OnNewRevision | None = None
    replicas_from: ReplicasFrom | None = None
    timeouts: Timeouts | None = None
    windows: tuple[Window, ...] | None = None
    checks: tuple[Check, ...] | None = None
    strategy: Strategy | None = None
    renames_graph: bool | None = None
    capacity: Capacity | None = None
    release_groups: tuple[ReleaseGroup, ...] | None = None
    contracts: tuple[Contract, ...] | None = None
    retire_delay: int | None = None
    router_policy: RouterTerms | None = None


@dataclass(frozen=True, slots=True)
class RolloutPolicy:
    """A policy for a fleet. `for_folder`: it holds for every spec of its folder and below.

    `fields` None: it is there and refused, so that whoever names it keeps what was accepted before.
    """

    name: str
    fields: Fields | None
    for_folder: bool = False
    file: str = ""
    document: int = 0


@dataclass(frozen=True, slots=True)
class RevisionRollout:
    """The policy of one workload; `fields` None: it is there and refused."""

    name: str
    workload: WorkloadKey
    policy_ref: str | None
    fields: Fields | None
    file: str = ""
    document: int = 0
    routing: Routing | None = None


def read_policy(value: Object) -> tuple[RolloutPolicy, tuple[Problem, ...]]:
    """Read one RolloutPolicy; every problem when it is refused."""
    model, problems = _validated(PolicyModel, value)
    name = text(at(value, "metadata", "name"))
    folder = at(value, "metadata", "annotations", FOLDER_ANNOTATION) == "true"
    return RolloutPolicy(name, _fields(model) if model else None, folder), problems


def read_rollout(
    value: Object, default_namespace: str, kinds: Mapping[str, str]
) -> tuple[RevisionRollout | None, tuple[Problem, ...]]:
    """Read one RevisionRollout; None when it does not even say whose it is.

    `kinds` gives the kind for each word that people may type for it, in lower case (`ms`).
    """
    model, problems = _validated(RolloutModel, value)
    typed, _, target = text(at(value, "spec", "workload")).partition("/")
    if typed.lower() not in kinds or not target:
        code, message = _workload_fault(kinds)
        others = (problem for problem in problems if problem.path != "spec.workload")
        return None, (*others, Problem(path="spec.workload", code=code, message=message))
    namespace = text(at(value, "metadata", "namespace")) or default_namespace
    name = text(at(value, "metadata", "name"))
    key = WorkloadKey(namespace, kinds[typed.lower()], target)
    if model is None:
        return RevisionRollout(name, key, None, None), problems
    return RevisionRollout(name, key, model.policy_ref, _fields(model), routing=_routing(model)), ()


def _workload_fault(kinds: Mapping[str, str]) -> tuple[str, str]:
    known = ", ".join(sorted(set(kinds.values())))
    return "POLICY_INVALID", f"write kind and name of a workload, such as {known}/chat"


def _fields(model: PolicyModel) -> Fields:
    own = model if isinstance(model, RolloutModel) else None
    return Fields(
        steps=None if model.steps is None else tuple(map(_written_step, model.steps)),
        soak=model.soak,
        gate=Gate(model.gate) if model.gate else None,
        proof=Proof(model.proof) if model.proof else None,
        suspend=model.suspend,
        deletion=Deletion(model.deletion) if model.deletion else None,
        revision_history_limit=model.revision_history_limit,
        rollback_window=model.rollback_window,
        on_new_revision=OnNewRevision(model.on_new_revision) if model.on_new_revision else None,
        replicas_from=ReplicasFrom(model.replicas_from) if model.replicas_from else None,
        timeouts=Timeouts(**model.timeouts.model_dump(exclude_none=True)) if model.timeouts else None,
        windows=tuple(map(written_window, model.windows)) if model.windows else None,
        checks=_checks(model.checks),
        strategy=Strategy(model.strategy) if model.strategy else None,
        renames_graph=True if model.renames_graph else None,
        capacity=graphs.capacity(model.capacity),
        release_groups=graphs.release_groups(own.release_groups) if own else None,
        contracts=graphs.contracts(own.compatibility) if own else None,
        retire_delay=model.retire_delay,
        router_policy=routers.terms(own.router_policy) if own else None,
    )


def _routing(model: RolloutModel) -> Routing | None:
    if model.route is None and model.gateway is None:
        return None
    label = model.adopt.revision_label if model.adopt else None
    return Routing(model.route or "", model.gateway or routing.GatewayModel(), label)


def _written_step(step: StepModel) -> WrittenStep:
    name = step.name if step.name is not None else step.replicas.step_name
    gate = Gate(step.gate) if step.gate else None
    traffic, checks = routing.traffic(step.traffic), _checks(step.checks)
    return WrittenStep(name, step.replicas, step.soak, gate, traffic, checks)


def _checks(models: list[CheckModel] | None) -> tuple[Check, ...] | None:
    return None if models is None else tuple(map(written_check, models))


def _validated(model: type[_Written], value: Object) -> tuple[_Written | None, tuple[Problem, ...]]:
    written_spec = value.get("spec")
    if written_spec is not None and not isinstance(written_spec, dict):
        return None, (Problem(path="spec", code="POLICY_INVALID", message="expected a mapping"),)
    spec = written_spec or {}
    try:
        written = model.model_validate(spec)
    except ValidationError as error:
        found = invalid(model, error, "POLICY_INVALID")
        return None, tuple(_not_yet(problem).under("spec") for problem in found)
    faults = tuple(problem.under("spec") for problem in _faults(written))
    return (None, faults) if faults else (written, ())


def _not_yet(problem: Problem) -> Problem:
    """Tell a field of the design that is not built, or stands elsewhere, from one that nobody knows."""
    if problem.code == "UNKNOWN_FIELD" and problem.path in NOT_BUILT:
        return replace(problem, code="NOT_YET", message=f"{problem.path} is not built yet; leave it out")
    if problem.code == "UNKNOWN_FIELD" and problem.path in OWN_ONLY:
        message = f"{problem.path} is of one workload: write it in its RevisionRollout"
        return replace(problem, code="POLICY_INVALID", message=message)
    return problem


def _faults(model: PolicyModel) -> Iterator[Problem]:
    steps = model.steps
    if steps is not None:
        for path, message in step_faults((step.name, step.replicas) for step in map(_written_step, steps)):
            yield Problem(path=f"steps{path}", code="POLICY_INVALID", message=message)
    if model.replicas_from == "Cluster" and not all(step.replicas.percent for step in steps or []):
        yield Problem(path="steps", code="POLICY_INVALID", message=COUNTS_NEED_REPLICAS)
    listed = [
        ("checks", model.checks),
        *((f"steps[{i}].checks", one.checks) for i, one in enumerate(steps or [])),
    ]
    for place, checks in listed:
        for path, message in check_faults(_checks(checks) or ()):
            yield Problem(path=f"{place}{path}", code="POLICY_INVALID", message=message)
    if isinstance(model, RolloutModel):
        yield from _own_faults(model)
    if graphs.leaves_no_room(model.capacity):
        yield Problem(path="capacity", code="POLICY_INVALID", message=NOTHING_MOVES)
    if model.proof != "Cluster":
        yield from _automatic(model)


def _own_faults(model: RolloutModel) -> Iterator[Problem]:
    if model.adopt and not (model.route or model.gateway):
        yield Problem(path="adopt", code="POLICY_INVALID", message="it says nothing without route or gateway")
    for path, message in routers.faults(model.router_policy):
        yield Problem(path=f"routerPolicy{path}", code="POLICY_INVALID", message=message)


def _automatic(model: PolicyModel) -> Iterator[Problem]:
    automatic = [f"steps[{i}].gate" for i, step in enumerate(model.steps or []) if step.gate == "Automatic"]
    automatic += [name for name in ("gate", "deletion") if getattr(model, name) == "Automatic"]
    for path in automatic:
        yield Problem(path=path, code="POLICY_INVALID", message=NO_AUTOMATIC)
