"""Values of a type, and other spellings of the same value, for property tests."""

import random
from fractions import Fraction

from hypothesis import strategies as st

from gitops_rollout.api.values import Json, Object
from gitops_rollout.semantics.quantity import nano
from gitops_rollout.semantics.types import POD_TEMPLATE, TypeRef, core_types

_WORDS = ["", "a", "b", "main", "é"]
_SCALARS: dict[str, list[Json]] = {
    "s": list(_WORDS),
    "b": [True, False],
    "i32": [0, 1, -1, 80, 2**31 - 1],
    "i64": [0, 1, 2**63 - 1],
    "q": [0, "0", 1, "1", "1000m", 0.5, "500m", "1Gi", "1024Mi", "1G", "1e3", "-2"],
    "ios": [0, 80, "80", "", "http"],
    "t": ["2024-01-02T03:04:05Z", "2024-01-02T04:04:05+01:00", "0001-01-01T00:00:00Z"],
    "raw": [{"f:a": {}}, {}],
}


def typed(type_: TypeRef, chance: random.Random, depth: int = 0) -> Json:
    """Give some value of the type; null now and then."""
    if chance.random() < 0.1:
        return None
    if isinstance(type_, str):
        return chance.choice(_SCALARS[type_])
    kind, of = type_
    if kind == "*":
        return typed(of, chance, depth)
    size = chance.randint(0, 3) if depth < 7 else 0
    if kind == "[]":
        return [typed(of, chance, depth + 1) for _ in range(size)]
    if kind == "map":
        return {name: typed(of, chance, depth + 1) for name in chance.sample(_WORDS, size)}
    fields = core_types()[str(of)]
    names = chance.sample(sorted(fields), min(size + (depth < 3), len(fields)))
    return {name: typed(fields[name], chance, depth + 1) for name in names}


def respelled(value: Json, type_: TypeRef, chance: random.Random) -> Json:
    """Write the same value in another way: key order, nulls, empties, zeros, amounts."""
    if isinstance(type_, str):
        return _amount(value, chance) if type_ == "q" and isinstance(value, str | int | float) else value
    kind, of = type_
    if kind == "*":
        return respelled(value, of, chance)
    if kind == "[]":
        return [respelled(item, of, chance) for item in value] if isinstance(value, list) else value
    if not isinstance(value, dict):
        return value
    fields = core_types()[str(of)] if kind == "struct" else dict.fromkeys(value, of)
    result: Object = {key: respelled(item, fields[key], chance) for key, item in value.items()}
    if kind == "struct":
        absent = [name for name in fields if value.get(name) is None]
        result |= {
            name: _nothing(fields[name], chance) for name in chance.sample(absent, min(3, len(absent)))
        }
    items = list(result.items())
    chance.shuffle(items)
    return dict(items)


def nudged(value: Json, type_: TypeRef, chance: random.Random) -> Json:
    """Put another value of the type in one place, which may mean the same."""
    if isinstance(type_, str) or value is None or chance.random() < 0.1:
        return typed(type_, chance, 5)
    kind, of = type_
    if kind == "*":
        return nudged(value, of, chance)
    if isinstance(value, list):
        at = chance.randrange(len(value) + 1)
        return value[:at] + [nudged(item, of, chance) for item in value[at : at + 1]] + value[at + 1 :]
    if not isinstance(value, dict) or not value:
        return value
    name = chance.choice(sorted(value))
    inner = core_types()[str(of)][name] if kind == "struct" else of
    return {**value, name: nudged(value[name], inner, chance)}


def _nothing(type_: TypeRef, chance: random.Random) -> Json:
    """Give a spelling of "not there"."""
    spellings: dict[str, list[Json]] = {
        "struct": [None, {}],
        "map": [None, {}],
        "[]": [None, []],
        "s": [None, ""],
        "b": [None, False],
        "i32": [None, 0, 0.0],
        "q": [None, "0", 0, "0Ki"],
        "ios": [None, 0],
    }
    return chance.choice(spellings.get(type_ if isinstance(type_, str) else str(type_[0]), [None]))


def _amount(value: str | int | float, chance: random.Random) -> Json:
    units = nano(value)
    exact = Fraction(units, 10**9)
    plain: list[Json] = [f"{units}n", value, f"{units}e-9"]
    return chance.choice([*plain, int(exact)] if exact.denominator == 1 else plain)


randoms = st.randoms(use_true_random=False)
pod_templates = randoms.map(lambda chance: typed(POD_TEMPLATE, chance))
