"""The text that Go prints for a quantity that it has read, down to its quirks.

Kubernetes keeps the written text of many amounts (`01`, `1.500`, `1e3`) and prints all others in its
canonical form (`1000m` becomes `1`, `0.5` becomes `500m`). Only hashes of printed text need this; for
what an amount is worth see semantics/quantity.py.
"""

import re

from gitops_rollout.semantics.quantity import nano

_PARTS = re.compile(r"[+-]?0*(?P<whole>[0-9]*)(?:\.(?P<part>[0-9]*))?(?P<suffix>.*)")
_DECIMAL = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_MOST_DIGITS, _MOST_BINARY_DIGITS = 18, 15
_UNIT = 10**9


def printed(written: str | int | float) -> str:
    """Give Go's text of an amount; raises ValueError for what is no amount."""
    text = str(written).strip() if not isinstance(written, float) else repr(written)
    amount = nano(text)
    match = _PARTS.fullmatch(text)
    if match is None or amount == 0:
        return "0"
    suffix = match["suffix"]
    if _kept(match["whole"] or "0", match["part"] or "", suffix):
        return text
    if suffix in _BINARY and abs(amount) >= 1024 * _UNIT and amount % _UNIT == 0:
        return _binary(amount // _UNIT)
    return _decimal(amount, in_exponents=suffix not in _DECIMAL and suffix not in _BINARY)


def _kept(whole: str, part: str, suffix: str) -> bool:
    """Say whether Go keeps the text: when it fits into 64 bits and looks canonical at a glance."""
    digits = whole + part
    if suffix in _BINARY:
        room = _MOST_BINARY_DIGITS - len(whole) - int(_BINARY[suffix] * 3 / 10) - 1
        return room >= 0 and not part and int(whole) % 8 != 0
    scale = (_DECIMAL[suffix] if suffix in _DECIMAL else int(suffix[1:])) - len(part)
    fits = len(digits) <= _MOST_DIGITS and scale >= _DECIMAL["n"]
    return fits and scale % 3 == 0 and not digits.endswith("000") and digits[0] != "0"


def _binary(amount: int) -> str:
    power = 0
    while amount % 1024 == 0:
        amount, power = amount // 1024, power + 10
    return f"{amount}{_suffix(_BINARY, power)}"


def _decimal(amount: int, *, in_exponents: bool) -> str:
    exponent = -9
    while amount % 10 == 0:
        amount, exponent = amount // 10, exponent + 1
    while exponent % 3:
        amount, exponent = amount * 10, exponent - 1
    if in_exponents:
        return f"{amount}e{exponent}" if exponent else str(amount)
    return f"{amount}{_suffix(_DECIMAL, exponent)}"


def _suffix(suffixes: dict[str, int], power: int) -> str:
    """Give the suffix of a power; where there is none Go prints nothing, and so do we."""
    return next((suffix for suffix, known in suffixes.items() if known == power), "")
