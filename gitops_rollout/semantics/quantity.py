"""Amounts such as `500m` and `1Gi`, exactly as Kubernetes' resource.Quantity reads them."""

import re
from typing import TypeAlias

Written: TypeAlias = "str | int | float"

_NANO, _UNIT = 9, 1_000_000_000
_DECIMAL = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_QUANTITY = re.compile(
    r"(?P<sign>[+-]?)(?P<whole>[0-9]*)(?:\.(?P<part>[0-9]*))?"
    r"(?:(?P<binary>[KMGTPE]i)|(?P<decimal>[numkMGTPE]?)|[eE](?P<exponent>[+-]?[0-9]+))"
)
# Kubernetes caps what is written with a binary suffix, and only that.
_BINARY_CAP = (2**63 - 1) * _UNIT
# An unbounded exponent would let twelve bytes of text ask for a number of a gigabyte.
_MOST_EXPONENT, _MOST_DIGITS = 64, 1_000


def nano(written: Written) -> int:
    """Give the amount in units of 10⁻⁹, rounded away from zero; raises ValueError for anything else.

    Text is never read through a float: `9007199254740993` stays exact. Stricter than Kubernetes in
    two points: an amount without any digit and an exponent beyond ±64 are refused.
    """
    if isinstance(written, bool):
        raise ValueError("a boolean is not a quantity")
    if isinstance(written, int):
        return written * _UNIT
    text = repr(written) if isinstance(written, float) else written
    match = _QUANTITY.fullmatch(text)
    if match is None or len(text) > _MOST_DIGITS:
        raise ValueError("not a quantity")
    digits = match["whole"] + (match["part"] or "")
    exponent = int(match["exponent"] or _DECIMAL[match["decimal"] or ""])
    if not digits or abs(exponent) > _MOST_EXPONENT:
        raise ValueError("not a quantity")
    shift = _NANO + exponent - len(match["part"] or "")
    units = int(digits) << _BINARY.get(match["binary"] or "", 0)
    scale: int = 10 ** abs(shift)
    amount = units * scale if shift >= 0 else -(-units // scale)
    if match["binary"]:
        amount = min(amount, _BINARY_CAP)
    return -amount if match["sign"] == "-" else amount


def plain(written: Written) -> str:
    """Give the amount as a plain decimal number for people: `1Gi` → `1073741824`, `500m` → `0.5`."""
    amount = nano(written)
    whole, part = divmod(abs(amount), _UNIT)
    sign = "-" if amount < 0 else ""
    return f"{sign}{whole}.{part:0{_NANO}}".rstrip("0").rstrip(".")
