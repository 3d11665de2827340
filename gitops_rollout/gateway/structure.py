"""What a schema asks of a value, as small frozen parts that name everything that is wrong with it.

A part is one place of a CRD's OpenAPI schema. Rules that a schema cannot say (the CRD's CEL, list keys, our
own) stand at the part that they are about. They read values as written: what has the wrong type reads as
absent, because the part itself reports it. So nothing here raises, whatever is given.
Paths of problems are relative to the value.
"""

import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Protocol, TypeGuard

from gitops_rollout.api.problems import Problem
from gitops_rollout.api.values import Json, Object

INT32 = 2**31 - 1

_SHOWN = 60
_NAMES = {
    bool: "a boolean",
    int: "a number",
    float: "a number",
    str: "a string",
    list: "a list",
    dict: "a mapping",
}


class Part(Protocol):
    """One place of a schema."""

    def problems(self, value: Json) -> Iterator[Problem]:
        """Find all that is wrong with what stands here."""
        ...


def problem(path: str, code: str, message: str) -> Problem:
    """Make one problem; file and document are known to the caller's caller."""
    return Problem(path=path, code=code, message=message)


def shown(word: str) -> str:
    """Quote a word for a message: escaped, and cut where it is long."""
    return repr(word if len(word) <= _SHOWN else word[: _SHOWN - 1] + "…")


def whole(value: Json) -> TypeGuard[int | float]:
    """Say whether `value` is a whole number as the API server sees it: 5.0 is one, true and "5" are none."""
    if isinstance(value, bool):
        return False
    return isinstance(value, int) or (isinstance(value, float) and value.is_integer())


def repeated(keys: Iterable[tuple[int, Hashable]]) -> Iterator[tuple[int, int]]:
    """Give the index of each key that stood before, and where it stood first."""
    first: dict[Hashable, int] = {}
    for index, key in keys:
        if key in first:
            yield index, first[key]
        first.setdefault(key, index)


def repeated_texts(items: list[Json]) -> Iterator[Problem]:
    """A list of type set holds no text twice."""
    for index, first in repeated((i, item) for i, item in enumerate(items) if isinstance(item, str)):
        yield problem(f"[{index}]", "DUPLICATE", f"it already stands at [{first}]; remove one")


def _mistyped(value: Json, wanted: str, advice: str = "") -> Problem:
    if value is None:
        return problem("", "TYPE", f"expected {wanted}, found nothing; write a value or remove the field")
    found = _NAMES.get(type(value), "something else")
    return problem("", "TYPE", f"expected {wanted}, found {found}" + (f"; {advice}" if advice else ""))


@dataclass(frozen=True, slots=True)
class Flag:
    """A boolean."""

    def problems(self, value: Json) -> Iterator[Problem]:
        """Find a value that is neither true nor false."""
        if not isinstance(value, bool):
            yield _mistyped(value, "true or false", "remove the quotes" if isinstance(value, str) else "")


@dataclass(frozen=True, slots=True)
class Form:
    """How a text has to look: the CRD's pattern, and the same in words."""

    pattern: re.Pattern[str]
    words: str
    code: str = "NAME"
    never: re.Pattern[str] | None = None
    """What the documentation of the field forbids and its pattern lets through."""

    def fits(self, word: str) -> bool:
        """Say whether the whole word has this form; unlike in Python, `$` is the very end."""
        return bool(self.pattern.fullmatch(word)) and not (self.never and self.never.fullmatch(word))


@dataclass(frozen=True, slots=True)
class Text:
    """A string; lengths count characters, as the API server counts them."""

    least: int = 0
    most: int | None = None
    form: Form | None = None

    def problems(self, value: Json) -> Iterator[Problem]:
        """Find the wrong type, else the wrong length, else the wrong form."""
        if not isinstance(value, str):
            yield _mistyped(value, "a string", "quote it" if isinstance(value, bool | int | float) else "")
        elif len(value) < self.least:
            yield problem("", "REQUIRED", "it is empty; write a value")
        elif self.most is not None and len(value) > self.most:
            yield problem(
                "", "RANGE", f"{len(value)} characters, at most {self.most} are allowed; shorten it"
            )
        elif self.form and not self.form.fits(value):
            yield problem("", self.form.code, f"{shown(value)} is not {self.form.words}")


@dataclass(frozen=True, slots=True)
class Number:
    """A whole number in a range; without a limit of its own it ends where int32 does."""

    least: int
    most: int = INT32

    def problems(self, value: Json) -> Iterator[Problem]:
        """Find what is no whole number, and one out of range."""
        if not whole(value):
            yield _mistyped(value, "a whole number", "remove the quotes" if isinstance(value, str) else "")
        elif not self.least <= value <= self.most:
            yield problem("", "RANGE", f"the number is not between {self.least} and {self.most}")


@dataclass(frozen=True, slots=True)
class Choice:
    """One of a few texts, or one of a few numbers."""

    words: tuple[str, ...] | tuple[int, ...]
    code: str = "ENUM"

    def problems(self, value: Json) -> Iterator[Problem]:
        """Find the wrong type, and what is none of those allowed."""
        numbers = isinstance(self.words[0], int)
        if not (whole(value) if numbers else isinstance(value, str)):
            yield _mistyped(value, "a whole number" if numbers else "a string")
        elif value not in self.words:
            found = f"{shown(value)} is not known" if isinstance(value, str) else "the number is not known"
            allowed = ", ".join(map(str, self.words))
            yield problem(
                "", self.code, f"{found}; write {'one of ' if len(self.words) > 1 else ''}{allowed}"
            )


@dataclass(frozen=True, slots=True)
class Items:
    """A list."""

    item: Part
    most: int
    least: int = 0
    rules: tuple[Callable[[list[Json]], Iterator[Problem]], ...] = ()

    def problems(self, value: Json) -> Iterator[Problem]:
        """Find what is wrong with the length, with each item, and between the items."""
        if not isinstance(value, list):
            yield _mistyped(value, "a list")
            return
        if len(value) < self.least:
            yield problem("", "REQUIRED", f"the list is empty; write at least {self.least}")
        if len(value) > self.most:
            yield problem("", "RANGE", f"{len(value)} entries, at most {self.most} are allowed")
        for index, item in enumerate(value):
            yield from (found.under(f"[{index}]") for found in self.item.problems(item))
        for rule in self.rules:
            yield from rule(value)


@dataclass(frozen=True, slots=True)
class Table:
    """A mapping whose keys people choose."""

    key: Form
    value: Part
    least: int = 0
    most: int | None = None
    nullable: bool = False
    """Whether null reads as empty."""

    def problems(self, value: Json) -> Iterator[Problem]:
        """Find what is wrong with the count, the keys and the values."""
        if value is None and self.nullable:
            return
        if not isinstance(value, dict):
            yield _mistyped(value, "a mapping")
            return
        if len(value) < self.least:
            yield problem("", "REQUIRED", f"the mapping is empty; write at least {self.least}")
        if self.most is not None and len(value) > self.most:
            yield problem("", "RANGE", f"{len(value)} entries, at most {self.most} are allowed")
        for key, part in value.items():
            place = f"[{str(key)[:_SHOWN]}]"
            if not self.key.fits(str(key)):
                yield problem(place, self.key.code, f"{shown(str(key))} is not {self.key.words}")
            yield from (found.under(place) for found in self.value.problems(part))


@dataclass(frozen=True, slots=True)
class Fields:
    """A mapping whose keys the schema names; where it is closed, the API server drops all others."""

    fields: Mapping[str, Part]
    required: tuple[str, ...] = ()
    rules: tuple[Callable[[Object], Iterator[Problem]], ...] = ()
    closed: bool = True

    def problems(self, value: Json) -> Iterator[Problem]:
        """Find what is wrong with each field, what is missing, what is not known, and what does not agree."""
        if not isinstance(value, dict):
            yield _mistyped(value, "a mapping")
            return
        for name, part in self.fields.items():
            if name in value:
                yield from (found.under(name) for found in part.problems(value[name]))
            elif name in self.required:
                yield problem(name, "REQUIRED", "it is missing; write it")
        if self.closed:
            for unknown in sorted(str(key) for key in value if key not in self.fields):
                yield problem(unknown[:_SHOWN], "UNKNOWN_FIELD", self._unknown(unknown))
        for rule in self.rules:
            yield from rule(value)

    def _unknown(self, name: str) -> str:
        near = get_close_matches(name[:_SHOWN], self.fields, n=1)
        meant = f"did you mean {near[0]}?" if near else "remove it"
        return f"no field of the standard channel: the API server drops it in silence; {meant}"
