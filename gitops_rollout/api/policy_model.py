"""The fields of RolloutPolicy and RevisionRollout, as pydantic reads them."""

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, WithJsonSchema

from gitops_rollout.api.calendar_document import WindowModel
from gitops_rollout.api.checks_document import WrittenCheck
from gitops_rollout.api.document import ANY_FORM, Duration, Written
from gitops_rollout.api.gateway_document import AdoptModel, GatewayModel, TrafficModel
from gitops_rollout.api.graph_document import CapacityModel, ContractModel, ReleaseGroupModel
from gitops_rollout.api.router_document import RouterPolicyModel
from gitops_rollout.api.steps import Share
from gitops_rollout.api.values import Json


def _share(value: Json) -> Share:
    return Share.parse(value)


Replicas = Annotated[Share, BeforeValidator(_share), WithJsonSchema({"x-kubernetes-int-or-string": True})]


class StepModel(Written):
    """One step in its long form."""

    replicas: Replicas = Field(
        description="How much of the workload runs the candidate: a count or a percentage."
    )
    name: str | None = Field(None, description="Name of the step's gate; by its value when it has none.")
    soak: Duration | None = Field(None, description="How long the candidate stays at this step at least.")
    gate: Literal["Merge", "Automatic"] | None = Field(
        None, description="Merge: a person merges the step's pull request. Automatic: its proofs are enough."
    )
    traffic: TrafficModel | None = Field(
        None,
        description="What of the requests reaches the candidate: {header, weight}; by default as many as it"
        " has replicas. Only for a workload with a route.",
    )
    checks: list[WrittenCheck] | None = Field(None, description="What is asked of metrics at this step.")


def _step(value: object) -> object:
    return value if isinstance(value, dict) else {"replicas": value}


WrittenStepModel = Annotated[
    StepModel,
    BeforeValidator(_step),
    WithJsonSchema({"description": "A count (1), a percentage (25%), or its long form.", **ANY_FORM}),
]


class TimeoutsModel(Written):
    """How long something is waited for; a way down then goes on without a proof."""

    drain: Duration | None = Field(None, description="From taking the requests away to taking the pods.")
    rollback: Duration | None = Field(None, description="From giving stable its pods back to its requests.")
    progress: Duration | None = Field(None, description="How long a way up may stand still; 1h by default.")
    settle: Duration | None = Field(
        None, description="How long a fact has to hold until it is a proof; 10s by default."
    )


class PolicyModel(Written):
    """How a new revision is let in, step by step."""

    steps: list[WrittenStepModel] | None = Field(
        None,
        description="The steps in order, each a count or a percentage (1, 25%), or its long form"
        " {name, replicas, soak, gate}. Shares rise; the last is 100%. Without steps: one, named all.",
    )
    soak: Duration | None = Field(None, description="The soak of steps without their own, such as 30m.")
    gate: Literal["Merge", "Automatic"] | None = Field(
        None, description="The gate of steps without their own. Automatic is refused under Manual proof."
    )
    proof: Literal["Manual", "Cluster"] | None = Field(
        None,
        description="Manual: people who merge attest what was published before. Cluster: it is observed.",
    )
    strategy: Literal["Whole", "NewGraph", "InPlace"] | None = Field(
        None,
        description="Whole, the default of a DynamoGraphDeployment: it moves at once. NewGraph: every"
        " revision is a graph of its own. InPlace: a part of it moves; ModelServing is always InPlace.",
    )
    renames_graph: Literal["Accepted"] | None = Field(
        None, description="NewGraph: accept that no graph has the workload's own name after a rollout."
    )
    capacity: CapacityModel | None = Field(
        None, description="What two graphs may have together: {maxSurge: 25%, maxUnavailable: 0}."
    )
    retire_delay: Duration | None = Field(
        None, description="NewGraph: how long a graph stays warm that serves nothing any more; 0 by default."
    )
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
    checks: list[WrittenCheck] | None = Field(
        None,
        description="What is asked of metrics at steps without their own: errors, ttft, itl, or"
        " {name, query, max, min}. People who merge are shown the queries.",
    )
    windows: Annotated[list[WindowModel], Field(min_length=1)] | None = Field(
        None,
        description="When steps upward may be asked; always, where there are none. Ways down never wait.",
    )
    timeouts: TimeoutsModel | None = Field(
        None, description="How long to wait: {drain: 10m, rollback: 10m, progress: 1h, settle: 10s}."
    )


class RolloutModel(PolicyModel):
    """The steps of one workload of its own; its fields come before those of its policy."""

    workload: Annotated[str, Field(pattern=r"^[A-Za-z]+/[-a-z0-9.]+$")] = Field(
        description="Kind and name of the workload, such as ModelServing/chat, in the same namespace."
    )
    policy_ref: Annotated[str, Field(min_length=1)] | None = Field(
        None, description="Name of the RolloutPolicy for everything that is not written here."
    )
    route: Annotated[str, Field(min_length=1, max_length=253)] | None = Field(
        None, description="An HTTPRoute of the source, in this namespace, whose place the owned one takes."
    )
    gateway: GatewayModel | None = Field(
        None, description="The terms of the owned route; with `route`, what that does not say."
    )
    adopt: AdoptModel | None = Field(None, description="How pods are told that ran before: {revisionLabel}.")
    release_groups: Annotated[list[ReleaseGroupModel], Field(min_length=1)] | None = Field(
        None, description="Components of a graph that serve a request in one revision."
    )
    compatibility: Annotated[list[ContractModel], Field(min_length=1)] | None = Field(
        None, description="Which components may serve a request in two revisions, and by what contract."
    )
    router_policy: RouterPolicyModel | None = Field(
        None,
        description="How a graph's routers learn which workers they choose; {mode: Isolation} by default.",
    )
