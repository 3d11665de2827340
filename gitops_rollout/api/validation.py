"""From pydantic's errors to problems: path as people write it, one message, the nearest known name."""

from collections.abc import Iterator
from difflib import get_close_matches

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from gitops_rollout.api.problems import Problem
from gitops_rollout.api.values import Json, mapping

_MESSAGES = {
    "missing": "is missing",
    "string_type": "expected a string; quote it",
    "int_type": "expected a whole number",
    "bool_type": "expected true or false",
    "list_type": "expected a list",
    "tuple_type": "expected a list",
    "model_type": "expected a mapping",
    "model_attributes_type": "expected a mapping",
    "dict_type": "expected a mapping",
}


def invalid(model: type[BaseModel], error: ValidationError, code: str) -> Iterator[Problem]:
    """Give each error of `error` as a problem: UNKNOWN_FIELD for a name that is not known, else `code`.

    No value stands in a message but a short text that was expected to be one of a few.
    """
    for detail in error.errors(include_url=False):
        path = path_of(detail["loc"])
        if detail["type"] == "extra_forbidden":
            yield Problem(path=path, code="UNKNOWN_FIELD", message=unknown(model, str(detail["loc"][-1])))
        else:
            yield Problem(path=path, code=code, message=_message(detail))


def path_of(location: tuple[int | str, ...]) -> str:
    """Write a location as `steps[1].replicas`."""
    parts = (f"[{part}]" if isinstance(part, int) else f".{part}" for part in location)
    return "".join(parts).removeprefix(".")


def unknown(model: type[BaseModel], name: str) -> str:
    """Say that there is no such field, and which one may have been meant."""
    known = sorted(_names(model.model_json_schema()))
    if name in known:
        return f"field {name} does not stand here"
    near = get_close_matches(name, known, n=1)
    return f"unknown field {name[:40]!r}" + (f"; did you mean {near[0]}?" if near else "")


def _message(detail: ErrorDetails) -> str:
    cause = detail.get("ctx", {}).get("error")
    return str(cause) if isinstance(cause, ValueError) else _MESSAGES.get(detail["type"], detail["msg"])


def _names(schema: dict[str, Json]) -> set[str]:
    models = [schema, *mapping(schema.get("$defs")).values()]
    return {name for model in models for name in mapping(mapping(model).get("properties"))}
