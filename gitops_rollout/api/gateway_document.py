"""`route`, `gateway`, `traffic`, `adopt` and `timeouts` as people write them in a policy."""

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, ValidationError, WithJsonSchema
from pydantic.alias_generators import to_camel

from gitops_rollout.api.document import ANY_FORM, Written
from gitops_rollout.api.gateway import Backend, Header, Picker, Traffic
from gitops_rollout.api.profiles import Profile
from gitops_rollout.api.values import Json

Name = Annotated[str, Field(min_length=1, max_length=253)]
Port = Annotated[int, Field(ge=1, le=65535)]
Opaque = Annotated[dict[str, Json], WithJsonSchema(ANY_FORM)]


class TrafficModel(Written):
    """What of the requests a step gives to the candidate."""

    header: bool = Field(False, description="Requests with the canary header reach the candidate.")
    weight: Annotated[int, Field(ge=0, le=100)] = Field(
        0, description="Percent of all other requests that reach the candidate."
    )


class HeaderModel(Written):
    """A header by its exact value."""

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9!#$%&'*+\-.^_`|~]+$", max_length=256)]
    value: Annotated[str, Field(min_length=1, max_length=4096)]


class PickerModel(Written):
    """The Service of an endpoint picker, in the workload's namespace."""

    name: Name = Field(description="Its name; {revision} in it stands for the pool's revision.")
    port: Port


class ProfileModel(Written):
    """What a gateway that is not in the table can do; you vouch for it."""

    pools: bool = True
    weighted_pools: bool = False
    headers: bool = True
    services: bool = True


def _implementation(value: object) -> object:
    """Read a name, or a mapping of what a gateway can do."""
    if isinstance(value, str | ProfileModel):
        return value
    try:
        return ProfileModel.model_validate(value)
    except ValidationError:
        able = ", ".join(to_camel(name) for name in ProfileModel.model_fields)
        raise ValueError(f"write a gateway's name, or what it can do ({able}), each true or false") from None


Implementation = Annotated[str | ProfileModel, BeforeValidator(_implementation), WithJsonSchema(ANY_FORM)]


class GatewayModel(Written):
    """The terms of the route that is written and owned for this workload."""

    parent_refs: Annotated[list[Opaque], Field(min_length=1)] | None = Field(
        None, description="The Gateways, as in an HTTPRoute. Comes from `route` where that is written."
    )
    hostnames: list[str] | None = Field(None, description="As in an HTTPRoute.")
    matches: Annotated[list[Opaque], Field(min_length=1)] | None = Field(
        None, description="Which requests this workload answers, as in an HTTPRoute; all by default."
    )
    canary_header: HeaderModel | None = Field(None, description="What marks a request for the candidate.")
    component: Name | None = Field(
        None,
        description="The role or component whose pods answer requests; may be left out where only one can.",
    )
    backend: Literal["InferencePool", "Service"] | None = Field(
        None, description="What each revision's requests are sent to; InferencePool by default."
    )
    target_port: Port | None = Field(
        None, description="The pods' port; each revision's own, from its containers, where it is not written."
    )
    endpoint_picker: PickerModel | None = Field(
        None, description="The pools' endpoint picker; InferencePools before GAIE 1.6 need one."
    )
    implementation: Implementation | None = Field(
        None, description="The gateway's name, such as istio, or what it can do: {weightedPools: true}."
    )


class LabelModel(Written):
    """A label by its value."""

    key: Annotated[str, Field(min_length=1, max_length=317)]
    value: Annotated[str, Field(min_length=1, max_length=63)]


class AdoptModel(Written):
    """How pods are told that ran before this program did."""

    revision_label: LabelModel | None = Field(
        None, description="A label that all pods of the first revision carry and no later one does."
    )


def traffic(model: TrafficModel | None) -> Traffic | None:
    """Give the traffic of a step as written, None where it is not."""
    return None if model is None else Traffic(model.header, model.weight)


def header(model: HeaderModel) -> Header:
    """Give a canary header."""
    return Header(model.name, model.value)


def picker(model: PickerModel) -> Picker:
    """Give an endpoint picker."""
    return Picker(model.name, model.port)


def profile(model: ProfileModel) -> Profile:
    """Give a profile that people vouch for."""
    why = "as written under gateway.implementation"
    return Profile(model.pools, model.weighted_pools, model.headers, model.services, why=why)


def backend(written: str | None) -> Backend:
    """Give the kind of backend."""
    return Backend(written) if written else Backend.POOL
