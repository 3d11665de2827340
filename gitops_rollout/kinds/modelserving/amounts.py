"""Numbers as ModelServing writes them: counts with a default, and int-or-percent values."""

import re

from gitops_rollout.api.values import Json
from gitops_rollout.kinds.written import count

_PERCENT = re.compile(r"(100|[0-9]{1,2})%", re.ASCII)


def is_amount(value: Json) -> bool:
    """Say whether `value` is a non-negative integer or a percentage from 0% to 100%."""
    if isinstance(value, str):
        return _PERCENT.fullmatch(value) is not None
    return count(value, -1) >= 0


def percent(value: Json) -> int | None:
    """Give the number before the `%`, None when `value` is no percentage."""
    return int(value[:-1]) if isinstance(value, str) and _PERCENT.fullmatch(value) else None


def resolve_up(value: Json, total: int) -> int:
    """Resolve a partition or maxSurge: percentages of `total` round up, absence is 0."""
    share = percent(value)
    return count(value, 0) if share is None else -(-share * total // 100)


def resolve_down(value: Json, total: int) -> int:
    """Resolve a maxUnavailable: percentages of `total` round down, absence is 0."""
    share = percent(value)
    return count(value, 0) if share is None else share * total // 100


def normal(value: Json, default: int) -> Json:
    """Give the one spelling of an amount: None for `default`, `5%` for `05%`; 0% is 0."""
    share = percent(value)
    if share:
        return f"{share}%"
    number = 0 if share == 0 else count(value, default)
    return None if number == default else number
