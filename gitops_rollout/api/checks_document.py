"""Metric checks as people write them in a policy: a preset by its name, or the long form."""

from collections.abc import Iterable, Iterator
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema, model_validator

from gitops_rollout.api.checks import MEASURES, Check, OnFailure, Preset, check_query
from gitops_rollout.api.document import ANY_FORM, Written
from gitops_rollout.api.engines import Engine

Limit = Annotated[float, Field(allow_inf_nan=False)]


class CheckModel(Written):
    """One check: what is asked of Prometheus and which answers are good."""

    name: str | None = Field(None, description="Name of the check; that of its preset when it has none.")
    query: Annotated[str, AfterValidator(check_query)] | None = Field(
        None,
        description="PromQL that gives numbers; {namespace}, {workload}, {revision}, {window} and {pods}"
        " (the matchers of the candidate's pods) are filled in.",
    )
    preset: Literal["errors", "ttft", "itl"] | None = Field(
        None,
        description="errors: share of failed requests. ttft: p95 time to first token. itl: p95 inter-token"
        " latency. Limits that are not written are 0.01, 2 s and 0.2 s; write your own.",
    )
    engine: Literal["VLLM", "SGLANG", "DYNAMO"] | None = Field(
        None, description="Whose metrics a preset reads; told from the workload when it is not written."
    )
    maximum: Limit | None = Field(None, alias="max", description="The largest good answer.")
    minimum: Limit | None = Field(None, alias="min", description="The smallest good answer.")
    no_data: Literal["Hold"] | None = Field(
        None, description="What no data means. Hold: it is waited for; it is never good."
    )
    on_failure: Literal["Hold", "Rollback"] | None = Field(
        None, description="What a bad answer does. Hold (default): wait for a person. Rollback: go back."
    )

    @model_validator(mode="after")
    def _can_be_meant(self) -> "CheckModel":
        written_check(self)
        return self


def _short(value: object) -> object:
    return {"preset": value} if isinstance(value, str) else value


WrittenCheck = Annotated[
    CheckModel,
    BeforeValidator(_short),
    WithJsonSchema({"description": "A preset by its name, or the long form.", **ANY_FORM}),
]
"""An item of a policy's `checks`, short or long."""


def written_check(model: CheckModel) -> Check:
    """Give the check that is written; a preset without limits has its default one."""
    preset = Preset(model.preset) if model.preset else None
    maximum = model.maximum
    if preset is not None and model.maximum is None and model.minimum is None:
        maximum = MEASURES[preset].most
    return Check(
        name=model.name if model.name is not None else model.preset or "",
        query=model.query,
        preset=preset,
        engine=Engine(model.engine) if model.engine else None,
        maximum=maximum,
        minimum=model.minimum,
        on_failure=OnFailure(model.on_failure) if model.on_failure else OnFailure.HOLD,
    )


def check_faults(checks: Iterable[Check]) -> Iterator[tuple[str, str]]:
    """Find what is wrong with a list of checks, as (path below `checks`, message): names that come twice."""
    names: set[str] = set()
    for index, check in enumerate(checks):
        if check.name in names:
            yield f"[{index}].name", f"a second check named {check.name!r}; names are unique"
        names.add(check.name)
