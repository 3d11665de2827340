"""JSON values as they come out of a document."""

from typing import TypeAlias

from pydantic import JsonValue

Json: TypeAlias = JsonValue
Object: TypeAlias = dict[str, JsonValue]


def mapping(value: Json) -> Object:
    """Give `value` when it is a mapping, else an empty one: absent, null and {} read alike."""
    return value if isinstance(value, dict) else {}


def sequence(value: Json) -> list[Json]:
    """Give `value` when it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def text(value: Json) -> str:
    """Give `value` when it is a string, else an empty one."""
    return value if isinstance(value, str) else ""


def at(value: Json, *path: str) -> Json:
    """Follow `path` through mappings; what is not there is None."""
    for name in path:
        value = mapping(value).get(name)
    return value
