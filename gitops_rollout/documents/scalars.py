"""What an unquoted word of YAML means: the rules of `sigs.k8s.io/yaml` (go-yaml v2), not YAML 1.2's.

Kubernetes reads manifests by these rules, so `y` is a boolean, `012` is ten, `1:30` is text and `1e3`
is a thousand. Numbers that JSON cannot carry exactly are refused rather than rounded.
"""

import re

from gitops_rollout.api.values import Json

_TRUE = ("y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON")
_FALSE = ("n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF")
_NULL = ("", "~", "null", "Null", "NULL")
WORDS: dict[str, Json] = (
    dict.fromkeys(_TRUE, True) | dict.fromkeys(_FALSE, False) | dict.fromkeys(_NULL, None)
)
NOT_FINITE = frozenset(
    sign + word
    for sign in ("", "+", "-")
    for word in (".inf", ".Inf", ".INF", ".nan", ".NaN", ".NAN")
    if word[1] in "iI" or not sign
)

_NUMBER_STARTS = frozenset("+-.0123456789")
_INTEGER = re.compile(
    r"([-+]?)(?:0[bB](?P<b>[01]+)|0[xX](?P<x>[0-9a-fA-F]+)|0[oO]?(?P<o>[0-7]+)|(?P<d>0|[1-9][0-9]*))"
)
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_BASES = {"b": 2, "x": 16, "o": 8, "d": 10}
_LOWEST, _HIGHEST_SIGNED, _HIGHEST = -(2**63), 2**63 - 1, 2**64 - 1
# Up to here every whole float is one integer and back.
_EXACT = 2.0**53


class NotJson(ValueError):
    """The word is a number that JSON cannot carry; the text says why and what to do."""


def plain(word: str) -> Json:
    """Give the value of an unquoted scalar; raises NotJson."""
    return _number(word) if word[:1] in _NUMBER_STARTS else WORDS.get(word, word)


def key(word: str) -> str:
    """Give the name that an unquoted key stands for, as Go prints it: `0x10` → `16`, `y` → `true`.

    Raises NotJson for null, and for fractions that Go would print in another way than they are read.
    """
    if word[:1] not in _NUMBER_STARTS and word not in WORDS:
        return word
    match plain(word):
        case str(text):
            return text
        case bool(flag):
            return "true" if flag else "false"
        case int(number):
            return str(number)
        case float(number) if "e" not in f"{number:g}" and float(f"{number:g}") == number:
            return f"{number:g}"
        case None:
            raise NotJson("a key is null; write a name, or quote it")
        case _:
            raise NotJson("a key is a fraction that readers print differently; quote it")


def whole(number: float) -> int | float:
    """Give the integer that a whole float stands for (`1.0` and `1` are one JSON number)."""
    return int(number) if -_EXACT < number < _EXACT and number.is_integer() else number


def _number(word: str) -> Json:
    if word in NOT_FINITE:
        raise NotJson("a number is not finite; JSON has no such number")
    # Go takes underscores out of what starts with a digit or a sign only.
    digits = word if word[0] == "." else word.replace("_", "")
    match = _INTEGER.fullmatch(digits)
    if match:
        return _integer(word, match)
    if not _FLOAT.fullmatch(digits):
        return word
    value = float(digits)
    return word if value in (float("inf"), float("-inf")) else whole(value)


def _integer(word: str, match: re.Match[str]) -> Json:
    notation = match.lastgroup or "d"
    digits = match[notation]
    # 2**64 has 64 binary digits, and Python refuses to read endless decimals.
    value = int(match[1] + digits, _BASES[notation]) if len(digits.lstrip("0")) <= 64 else None
    highest = _HIGHEST_SIGNED if match[1] else _HIGHEST
    if value is not None and _LOWEST <= value <= highest:
        return value
    if notation in ("b", "x"):
        return word
    raise NotJson("a number has more than 64 bits and would be rounded; quote it")
