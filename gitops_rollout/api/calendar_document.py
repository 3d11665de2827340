"""Windows and freezes as people write them (apiVersion gitops-rollout.io/v1alpha1).

Codes: UNKNOWN_FIELD no such field; FREEZE_INVALID anything else that cannot be meant. A freeze that
cannot be read freezes everything: unknown is never a yes.
"""

import re
from datetime import UTC, datetime
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Field, ValidationError
from pydantic import WithJsonSchema as Schema

from gitops_rollout.api.calendar import Freeze, Window, check_cron, check_length, check_zone
from gitops_rollout.api.document import Written
from gitops_rollout.api.duration import seconds
from gitops_rollout.api.problems import Problem
from gitops_rollout.api.validation import invalid
from gitops_rollout.api.values import Json, Object, at, text

_INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?(Z|[+-]\d\d:\d\d)", re.ASCII)
_NAMESPACE = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?", re.ASCII)
UNREADABLE = "it cannot be read, so everything is frozen; correct it or remove it"


def _length(value: object) -> int:
    if not isinstance(value, str):
        raise ValueError("write a duration with its unit, such as 8h or 1h30m")
    return check_length(seconds(value))


def _instant(value: object) -> datetime:
    """Read an instant of RFC 3339; the offset is not guessed, for a day begins 26 times."""
    if not isinstance(value, str) or not _INSTANT.fullmatch(value):
        raise ValueError('write an instant with its offset, such as "2026-12-20T00:00:00+01:00"')
    try:
        instant = datetime.fromisoformat(value)
        instant.astimezone(UTC)
    except (ValueError, OverflowError):
        raise ValueError(f"there is no instant {value}; look at the day, the hour and the offset") from None
    return instant


def _namespaces(value: list[str]) -> list[str]:
    if not value:
        raise ValueError("an empty list freezes nothing; leave namespaces out to freeze all of them")
    return value


def _namespace(value: str) -> str:
    if not _NAMESPACE.fullmatch(value):
        raise ValueError(f"{value[:40]!r} is no namespace: at most 63 of a-z, 0-9 and inner dashes")
    return value


Instant = Annotated[datetime, BeforeValidator(_instant), Schema({"type": "string", "format": "date-time"})]
Namespaces = Annotated[list[Annotated[str, AfterValidator(_namespace)]], AfterValidator(_namespaces)]
Length = Annotated[
    int,
    BeforeValidator(_length),
    Schema({"type": "string", "pattern": "^([0-9]+d)?([0-9]+h)?([0-9]+m)?([0-9]+s)?$"}),
]


class WindowModel(Written):
    """One window: when it opens and for how long."""

    cron: Annotated[str, AfterValidator(check_cron)] = Field(
        description='When it opens: minute, hour, day, month, weekday, such as "0 9 * * 1-5".'
    )
    duration: Length = Field(description="For how long it is open, such as 8h; at most 31d.")
    tz: Annotated[str, AfterValidator(check_zone)] = Field(
        description="The time zone of the cron line, such as Europe/Berlin or UTC."
    )


def written_window(model: WindowModel) -> Window:
    """Give the window that is written."""
    return Window(model.cron, model.duration, model.tz)


class FreezeModel(Written):
    """A time in which no step upward is asked."""

    start: Instant | None = Field(
        None, alias="from", description="First instant of the freeze; at once when it is not written."
    )
    until: Instant | None = Field(
        None, description="First instant after the freeze; until the file is removed when it is not written."
    )
    reason: str = Field("", description="Why, in the words that people read where a step waits.")
    namespaces: Namespaces | None = Field(
        None, description="Whose workloads are frozen; all when it is not written."
    )


def read_freeze(value: Object) -> tuple[Freeze, tuple[Problem, ...]]:
    """Read one Freeze; with every problem when it is refused, and then it freezes everything, ever."""
    name = text(at(value, "metadata", "name"))
    model, problems = _validated(value.get("spec"))
    if model is None:
        return Freeze(name, reason=UNREADABLE), problems
    return Freeze(name, model.start, model.until, model.reason, tuple(model.namespaces or ())), ()


def _validated(spec: Json) -> tuple[FreezeModel | None, tuple[Problem, ...]]:
    if spec is not None and not isinstance(spec, dict):
        return None, (Problem(path="spec", code="FREEZE_INVALID", message="expected a mapping"),)
    try:
        model = FreezeModel.model_validate(spec or {})
    except ValidationError as error:
        found = invalid(FreezeModel, error, "FREEZE_INVALID")
        return None, tuple(problem.under("spec") for problem in found)
    if model.start is not None and model.until is not None and model.until <= model.start:
        message = "until is not after from; write the first instant after the freeze"
        return None, (Problem(path="spec.until", code="FREEZE_INVALID", message=message),)
    return model, ()
