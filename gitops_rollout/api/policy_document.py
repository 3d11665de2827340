"""RolloutPolicy and RevisionRollout as people write them (apiVersion gitops-rollout.io/v1alpha1).

Codes: UNKNOWN_FIELD no such field; NOT_YET a field or value of the design that is not built, never
ignored; POLICY_INVALID anything else that cannot be meant.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Literal, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, WithJsonSchema
from pydantic.alias_generators import to_camel

from gitops_rollout.api.duration import seconds
from gitops_rollout.api.policy import (
    COUNTS_NEED_REPLICAS,
    Deletion,
    Gate,
    OnNewRevision,
    Proof,
    ReplicasFrom,
    Share,
    step_faults,
)
from gitops_rollout.api.problems import Problem
from gitops_rollout.api.validation import invalid
from gitops_rollout.api.values import Json, Object, at, text
from gitops_rollout.api.workload import WorkloadKey

GROUP = "gitops-rollout.io"
API_VERSION = f"{GROUP}/v1alpha1"
POLICY_ANNOTATION = f"{GROUP}/policy"
FOLDER_ANNOTATION = f"{GROUP}/folder"

NOT_BUILT = (
    "adopt", "capacity", "checks", "compatibility", "gateway", "parking", "releaseGroups", "renamesGraph",
    "retireDelay", "route", "routerPolicy", "timeouts", "windows",
)  # fmt: skip
STEP_NOT_BUILT = ("checks", "traffic")
NO_AUTOMATIC = (
    "Automatic needs facts about the cluster, and under Manual proof a person gives them;"
    " leave it out, or write Merge for a gate and Gate for deletion"
)
VALUES_NOT_BUILT: Mapping[str, tuple[Json, ...]] = {"proof": ("Cluster",), "strategy": ("Whole", "NewGraph")}


def _duration(value: object) -> int:
    if value == 0 and not isinstance(value, bool):
        return 0
    if not isinstance(value, str):
        raise ValueError("write a duration with its unit, such as 90s, 30m, 1h30m or 2d")
    return seconds(value)


def _share(value: Json) -> Share:
    return Share.parse(value)


Duration = Annotated[
    int,
    BeforeValidator(_duration),
    WithJsonSchema({"type": "string", "pattern": "^([0-9]+d)?([0-9]+h)?([0-9]+m)?([0-9]+s)?$|^0$"}),
]
Replicas = Annotated[Share, BeforeValidator(_share), WithJsonSchema({"x-kubernetes-int-or-string": True})]


class _Model(BaseModel):
    model_config = ConfigDict(
        extra="forbid", strict=True, frozen=True, alias_generator=to_camel, arbitrary_types_allowed=True
    )


class StepModel(_Model):
    """One step in its long form."""

    replicas: Replicas = Field(
        description="How much of the workload runs the candidate: a count or a percentage."
    )
    name: str | None = Field(None, description="Name of the step's gate; by its value when it has none.")
    soak: Duration | None = Field(None, description="How long the candidate stays at this step at least.")
    gate: Literal["Merge", "Automatic"] | None = Field(
        None, description="Merge: a person merges the step's pull request. Automatic: its proofs are enough."
    )


def _step(value: object) -> object:
    return value if isinstance(value, dict) else {"replicas": value}


class PolicyModel(_Model):
    """How a new revision is let in, step by step."""

    steps: list[Annotated[StepModel, BeforeValidator(_step)]] | None = Field(
        None,
        description="The steps in order, each a count or a percentage (1, 25%), or its long form"
        " {name, replicas, soak, gate}. Shares rise; the last is 100%. Without steps: one, named all.",
    )
    soak: Duration | None = Field(None, description="The soak of steps without their own, such as 30m.")
    gate: Literal["Merge", "Automatic"] | None = Field(
        None, description="The gate of steps without their own. Automatic is refused under Manual proof."
    )
    proof: Literal["Manual"] | None = Field(
        None, description="Manual: people who merge attest what was published before."
    )
    strategy: Literal["InPlace"] | None = Field(None, description="ModelServing is always InPlace.")
    suspend: bool | None = Field(None, description="Freeze: no gate is opened and no step is taken.")
    deletion: Literal["Gate", "Automatic", "Keep"] | None = Field(
        None,
        description="What happens to a workload whose spec is gone. Automatic is refused under Manual proof.",
    )
    revision_history_limit: Annotated[int, Field(ge=0)] | None = Field(
        None, description="How many revisions that nothing uses are kept; 10 by default."
    )
    rollback_window: Annotated[int, Field(ge=0)] | None = Field(
        None, description="How many former stable revisions come back through one gate; 0 by default."
    )
    on_new_revision: Literal["Replace", "Wait"] | None = Field(
        None, description="Replace: another revision takes the candidate's place. Wait: it waits for the end."
    )
    replicas_from: Literal["Source", "Cluster"] | None = Field(
        None,
        description="Cluster: an autoscaler owns the count; it is never written, and steps are percentages.",
    )


class RolloutModel(PolicyModel):
    """The steps of one workload of its own; its fields come before those of its policy."""

    workload: Annotated[str, Field(pattern=r"^[A-Za-z]+/[-a-z0-9.]+$")] = Field(
        description="Kind and name of the workload, such as ModelServing/chat, in the same namespace."
    )
    policy_ref: Annotated[str, Field(min_length=1)] | None = Field(
        None, description="Name of the RolloutPolicy for everything that is not written here."
    )


_Written = TypeVar("_Written", bound=PolicyModel)


@dataclass(frozen=True, slots=True)
class WrittenStep:
    """A step as written; None: the policy's own soak or gate holds."""

    name: str
    replicas: Share
    soak: int | None = None
    gate: Gate | None = None


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
    return RevisionRollout(name, key, model.policy_ref, _fields(model)), ()


def _workload_fault(kinds: Mapping[str, str]) -> tuple[str, str]:
    known = ", ".join(sorted(set(kinds.values())))
    return "POLICY_INVALID", f"write kind and name of a workload, such as {known}/chat"


def _fields(model: PolicyModel) -> Fields:
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
    )


def _written_step(step: StepModel) -> WrittenStep:
    name = step.name if step.name is not None else step.replicas.step_name
    return WrittenStep(name, step.replicas, step.soak, Gate(step.gate) if step.gate else None)


def _validated(model: type[_Written], value: Object) -> tuple[_Written | None, tuple[Problem, ...]]:
    written_spec = value.get("spec")
    if written_spec is not None and not isinstance(written_spec, dict):
        return None, (Problem(path="spec", code="POLICY_INVALID", message="expected a mapping"),)
    spec = written_spec or {}
    try:
        written = model.model_validate(spec)
    except ValidationError as error:
        found = invalid(model, error, "POLICY_INVALID")
        return None, tuple(_not_yet(problem, spec).under("spec") for problem in found)
    faults = tuple(problem.under("spec") for problem in _faults(written))
    return (None, faults) if faults else (written, ())


def _not_yet(problem: Problem, spec: Object) -> Problem:
    """Tell a field or value of the design that is not built from one that nobody knows."""
    step, _, last = problem.path.rpartition(".")
    names = STEP_NOT_BUILT if step.startswith("steps[") else NOT_BUILT if not step else ()
    if problem.code == "UNKNOWN_FIELD" and last in names:
        return replace(problem, code="NOT_YET", message=f"{last} is not built yet; leave it out")
    if spec.get(problem.path) in VALUES_NOT_BUILT.get(problem.path, ()):
        message = f"{problem.path}: {spec.get(problem.path)} is not built yet; leave it out"
        return replace(problem, code="NOT_YET", message=message)
    return problem


def _faults(model: PolicyModel) -> Iterator[Problem]:
    steps = model.steps
    if steps is not None:
        for path, message in step_faults((step.name, step.replicas) for step in map(_written_step, steps)):
            yield Problem(path=f"steps{path}", code="POLICY_INVALID", message=message)
    if model.replicas_from == "Cluster" and not all(step.replicas.percent for step in steps or []):
        yield Problem(path="steps", code="POLICY_INVALID", message=COUNTS_NEED_REPLICAS)
    automatic = [f"steps[{i}].gate" for i, step in enumerate(steps or []) if step.gate == "Automatic"]
    automatic += [name for name in ("gate", "deletion") if getattr(model, name) == "Automatic"]
    for path in automatic:
        yield Problem(path=path, code="POLICY_INVALID", message=NO_AUTOMATIC)
