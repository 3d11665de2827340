"""Canonical forms of scalar fields; a value of another type is refused, never coerced."""

import re
from collections.abc import Callable
from datetime import datetime

from gitops_rollout.api.values import Json
from gitops_rollout.documents.scalars import whole
from gitops_rollout.semantics.quantity import nano

_RANGES = {"i32": 2**31, "i64": 2**63}
_TIME = re.compile(
    r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:[.,](\d+))?(?:Z|([+-])([01]\d|2[0-4]):([0-5]\d))", re.ASCII
)
_EPOCH = datetime(1970, 1, 1)
_JSON_NAMES = {
    bool: "boolean",
    int: "integer",
    float: "number",
    str: "string",
    list: "list",
    dict: "mapping",
    type(None): "null",
}


class WrongType(ValueError):
    """The text says what was expected, what was found and what to do; never the value."""


def wrong(expected: str, value: Json) -> WrongType:
    """Say that `value` is not what was expected; quotes are the usual reason."""
    found = _JSON_NAMES[type(value)]
    hint = ""
    if expected == "string" and not isinstance(value, list | dict):
        hint = "; quote it"
    elif expected in ("integer", "boolean") and isinstance(value, str):
        hint = "; remove the quotes"
    return WrongType(f"expected {expected}, got {found}{hint}")


def _string(value: Json) -> Json:
    if isinstance(value, str):
        return value
    raise wrong("string", value)


def _boolean(value: Json) -> Json:
    if isinstance(value, bool):
        return value
    raise wrong("boolean", value)


def _integer(value: Json, kind: str) -> Json:
    number = whole(value) if isinstance(value, float) else value
    if isinstance(number, bool) or not isinstance(number, int):
        raise wrong("integer", value)
    if not -_RANGES[kind] <= number < _RANGES[kind]:
        raise WrongType(f"integer out of range for {kind.replace('i', 'int')}")
    return number


def _int32(value: Json) -> Json:
    return _integer(value, "i32")


def _int64(value: Json) -> Json:
    return _integer(value, "i64")


def _quantity(value: Json) -> Json:
    # A decimal text: 64Gi in nano units is beyond what other JSON readers keep exactly.
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise wrong("quantity", value)
    try:
        return str(nano(value))
    except ValueError:
        raise WrongType("expected quantity such as 500m or 1Gi, got something else") from None


def _int_or_string(value: Json) -> Json:
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise wrong("integer or string", value)
    return _integer(value, "i32")


def _time(value: Json) -> Json:
    """Give an instant as nanoseconds since 1970, in decimal text."""
    match = _TIME.fullmatch(value) if isinstance(value, str) else None
    try:
        if match is None:
            raise ValueError
        local = datetime.fromisoformat(match[1]) - _EPOCH
    except ValueError:
        raise WrongType("expected time as in 2006-01-02T15:04:05Z, got something else") from None
    offset = int(match[4] or 0) * 3600 + int(match[5] or 0) * 60
    seconds = local.days * 86400 + local.seconds + (offset if match[3] == "-" else -offset)
    return str(seconds * 10**9 + int((match[2] or "0")[:9].ljust(9, "0")))


def structure(value: Json) -> Json:
    """Give the form of what no type is known for: itself, without nulls in mappings."""
    if isinstance(value, dict):
        return {key: structure(item) for key, item in value.items() if item is not None}
    if isinstance(value, list):
        return [structure(item) for item in value]
    return whole(value) if isinstance(value, float) else value


def verbatim(value: Json) -> Json:
    """Give the form of a field that holds any JSON: itself, nulls too."""
    if isinstance(value, dict):
        return {key: verbatim(item) for key, item in value.items()}
    if isinstance(value, list):
        return [verbatim(item) for item in value]
    return whole(value) if isinstance(value, float) else value


FORMS: dict[str, Callable[[Json], Json]] = {
    "s": _string,
    "b": _boolean,
    "i32": _int32,
    "i64": _int64,
    "q": _quantity,
    "ios": _int_or_string,
    "t": _time,
    "raw": verbatim,
}
# The form of a field that is not there. What has none ("raw") differs from absent in every spelling.
ZEROS: dict[str, Json] = {
    "s": "",
    "b": False,
    "i32": 0,
    "i64": 0,
    "q": "0",
    "ios": 0,
    "t": str(-62_135_596_800 * 10**9),
    "raw": None,
}
