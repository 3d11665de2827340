"""Writes values as YAML that never changes by a byte, and that all readers understand alike.

LF, block style, two spaces, list items under their key's own column, no anchors, no line wrapping.
Text is quoted where a reader of YAML 1.1, of YAML 1.2 or Kubernetes' own could take it for something
else; text of several lines is a literal block where no character of it is lost that way.
"""

import io
import math
import re

import yaml

from gitops_rollout.api.values import Json
from gitops_rollout.documents.scalars import whole

_AMBIGUOUS = re.compile(
    r"""
      | ~ | = | << | null | true | false | yes | no | on | off | y | n
    | [-+]?\.(?:inf|nan)
    | [-+]?0b[01_]+ | [-+]?0x[0-9a-f_]+ | [-+]?0o[0-7_]+
    | [-+]?(?:[0-9][0-9_]*(?:\.[0-9_]*)? | \.[0-9_]+)(?:e[-+]?[0-9_]+)?
    | [-+]?[0-9][0-9_]*(?::[0-9_]+)+(?:\.[0-9_]*)?
    | [0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[t\ ].*)?
    """,
    re.IGNORECASE | re.VERBOSE,
)
# What a text of those begins with; most text is settled by its first character.
_AMBIGUOUS_STARTS = frozenset(["", *"~=<nNtTfFyYoO+-.0123456789"])
# Breaks of YAML 1.1 that are none in YAML 1.2, and what no plain text may hold.
_ESCAPED = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_TAG = ""
_UNLIMITED = -1


def emit(value: Json, *, sort: bool = True) -> str:
    """Give the YAML text of one document; `load` gives the same value back.

    `sort` False keeps the order of every mapping. Whole floats are written as integers: JSON has one
    kind of number. Raises ValueError for numbers that are not finite.
    """
    stream = io.StringIO()
    emitter = _Emitter(stream, indent=2, width=_UNLIMITED, allow_unicode=True, line_break="\n")
    try:
        emitter.open()
        emitter.serialize(_node(value, sort))
        emitter.close()
    finally:
        emitter.dispose()
    return stream.getvalue()


class _Emitter(yaml.CSafeDumper):
    """Writes nodes as they are styled, without asking what their text resembles."""

    def resolve(self, _kind: type[yaml.Node], _value: str | None, _implicit: object) -> str:
        return _TAG

    def descend_resolver(self, current_node: yaml.Node | None, current_index: object) -> None:
        """Do nothing: no resolver here depends on the path."""

    def ascend_resolver(self) -> None:
        """Do nothing: no resolver here depends on the path."""


def _node(value: Json, sort: bool) -> yaml.Node:
    """Give a node of its own for every value: a node that stands twice would become an anchor."""
    if isinstance(value, str):
        return yaml.ScalarNode(_TAG, value, None, None, _style(value))
    if isinstance(value, dict):
        items = sorted(value.items()) if sort else value.items()
        pairs = [(_key(key), _node(item, sort)) for key, item in items]
        return yaml.MappingNode(_TAG, pairs, None, None, not pairs)
    if isinstance(value, list):
        return yaml.SequenceNode(_TAG, [_node(item, sort) for item in value], None, None, not value)
    return yaml.ScalarNode(_TAG, _word(value))


def _key(key: str) -> yaml.Node:
    style = _style(key)
    return yaml.ScalarNode(_TAG, key, None, None, '"' if style == "|" else style)


def _style(text: str) -> str | None:
    """Give the style that a text needs; None leaves it plain, or single-quoted for its punctuation."""
    if _ESCAPED.search(text):
        return '"'
    if "\n" in text:
        return "|"
    ambiguous = text[:1] in _AMBIGUOUS_STARTS and _AMBIGUOUS.fullmatch(text)
    return '"' if ambiguous else None


def _word(value: bool | int | float | None) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    number = whole(value) if isinstance(value, float) else value
    if isinstance(number, int):
        return str(number)
    if not math.isfinite(number):
        raise ValueError("a number that is not finite cannot be written")
    digits, exponent, power = repr(number).partition("e")
    # Without a point, readers of YAML 1.1 take 1e-07 for text.
    return f"{digits}.0e{power}" if exponent and "." not in digits else digits + exponent + power
