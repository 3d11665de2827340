"""What every document that people write has in common: closed, strict models, and durations."""

from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, WithJsonSchema
from pydantic.alias_generators import to_camel

from gitops_rollout.api.duration import seconds
from gitops_rollout.api.values import Json

ANY_FORM: dict[str, Json] = {"x-kubernetes-preserve-unknown-fields": True}
"""The schema of what has several forms, or is checked elsewhere: no structural schema can say more."""


def _duration(value: object) -> int:
    if value == 0 and not isinstance(value, bool):
        return 0
    if not isinstance(value, str):
        raise ValueError("write a duration with its unit, such as 90s, 30m, 1h30m or 2d")
    return seconds(value)


Duration = Annotated[
    int,
    BeforeValidator(_duration),
    WithJsonSchema({"type": "string", "pattern": "^([0-9]+d)?([0-9]+h)?([0-9]+m)?([0-9]+s)?$|^0$"}),
]


class Written(BaseModel):
    """A document, or a part of one: closed, strict, never changed."""

    model_config = ConfigDict(
        extra="forbid", strict=True, frozen=True, alias_generator=to_camel, arbitrary_types_allowed=True
    )
