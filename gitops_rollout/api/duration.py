"""Durations as people write them, `90s`, `30m`, `1h30m`, `2d`; whole seconds inside."""

import re

_UNITS = (("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1))
_FORM = re.compile("".join(rf"(?:(\d{{1,9}}){unit})?" for unit, _ in _UNITS), re.ASCII)


def seconds(text: str) -> int:
    """Read a duration: whole numbers of d, h, m and s, the largest unit first; `0` needs no unit.

    Raises ValueError with a message for people.
    """
    match = _FORM.fullmatch(text)
    if text == "0":
        return 0
    if not text or match is None:
        raise ValueError(f"{text[:40]!r} is no duration; write it as 90s, 30m, 1h30m or 2d")
    return sum(int(number or 0) * unit for number, (_, unit) in zip(match.groups(), _UNITS, strict=True))


def written(duration: int) -> str:
    """Write seconds in the one form that `seconds` reads back: `5400` is `1h30m`, `0` is `0s`."""
    parts = []
    for name, unit in _UNITS:
        number, duration = divmod(duration, unit)
        if number:
            parts.append(f"{number}{name}")
    return "".join(parts) or "0s"
