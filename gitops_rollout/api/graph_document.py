"""`capacity`, `releaseGroups` and `compatibility` as people write them in a policy."""

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, WithJsonSchema

from gitops_rollout.api.amounts import Amount
from gitops_rollout.api.document import Written
from gitops_rollout.api.graph_terms import Capacity, Contract, ReleaseGroup, nothing_moves
from gitops_rollout.api.values import Json


def _amount(value: Json) -> Amount:
    return Amount.parse(value)


Count = Annotated[Amount, BeforeValidator(_amount), WithJsonSchema({"x-kubernetes-int-or-string": True})]
Name = Annotated[str, Field(min_length=1, max_length=63)]


class CapacityModel(Written):
    """What two revisions may have together."""

    max_surge: Count | None = Field(
        None, description="Replicas beyond those desired, rounded up; as many as the steps need by default."
    )
    max_unavailable: Count | None = Field(
        None, description="Desired replicas that may be missing, rounded down; 0 by default."
    )


class ReleaseGroupModel(Written):
    """Components that serve a request in one revision."""

    name: Name
    components: Annotated[list[Name], Field(min_length=1)]
    revision_affinity: Literal["required"] | None = Field(
        None, description="No request is served by two revisions; there is no other affinity."
    )


class ContractModel(Written):
    """What both ends of an edge keep to, whatever their revisions."""

    edge: Annotated[list[Name], Field(min_length=2, max_length=2)] = Field(
        description="Two components, or kinds of them, such as [prefill, decode]."
    )
    contract: Annotated[str, Field(min_length=1, max_length=253)] = Field(
        description="A name for what both keep to, such as nixl/0.7+fp8."
    )


def leaves_no_room(model: CapacityModel | None) -> bool:
    """Say whether the capacity that is written leaves no room for any change."""
    return model is not None and nothing_moves(model.max_surge, model.max_unavailable or Amount(0))


def capacity(model: CapacityModel | None) -> Capacity | None:
    """Give a capacity as written, None where it is not."""
    return None if model is None else Capacity(model.max_surge, model.max_unavailable or Amount(0))


def release_groups(models: list[ReleaseGroupModel] | None) -> tuple[ReleaseGroup, ...] | None:
    """Give the release groups as written, None where they are not."""
    return None if models is None else tuple(ReleaseGroup(one.name, (*one.components,)) for one in models)


def contracts(models: list[ContractModel] | None) -> tuple[Contract, ...] | None:
    """Give the contracts as written, None where they are not."""
    return None if models is None else tuple(Contract.between(*_ends(one), one.contract) for one in models)


def _ends(model: ContractModel) -> tuple[str, str]:
    one, other = model.edge
    return one, other
