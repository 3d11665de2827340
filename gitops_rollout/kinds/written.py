"""Values as they are written, read the way every kind reads them: what has the wrong type is absent."""

import unicodedata

from gitops_rollout.api.problems import Problem
from gitops_rollout.api.values import Json, Object


def problem(path: str, code: str, message: str) -> Problem:
    """Make one problem; file and document are known to the caller's caller."""
    return Problem(path=path, code=code, message=message)


def without(value: Object, names: tuple[str, ...]) -> Object:
    """Give a copy of one level, in order, without `names`."""
    return {key: part for key, part in value.items() if key not in names}


def present(value: Object) -> Object:
    """Give a copy of one level, in order, without what is null."""
    return {key: part for key, part in value.items() if part is not None}


def written_count(value: Json, default: int) -> int | None:
    """Give a count as controls keep it: a number iff the source writes one."""
    return None if value is None else count(value, default)


def count(value: Json, default: int) -> int:
    """Give a whole number; what is absent, null or no number reads as `default`."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return default
    return int(value)


def negative(value: Json) -> bool:
    return isinstance(value, int | float) and value < 0


def foreign(word: str) -> str:
    """Name the first character of `word` that is not printable ASCII, with its code point; or nothing."""
    for index, character in enumerate(word):
        if not "!" <= character <= "~":
            name = unicodedata.name(character, "a control character")
            return f"character {index + 1} is U+{ord(character):04X} ({name})"
    return ""
