"""Amounts are read exactly as Kubernetes reads them."""

from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitops_rollout.semantics.quantity import nano, plain
from tests.shared import vectors

amounts = st.integers(-(10**30), 10**30)


def verdict(text: str) -> int | None:
    try:
        return nano(text)
    except ValueError:
        return None


def expected(row: dict[str, Any]) -> int | None:
    stricter = not any(sign.isdigit() for sign in row["in"].lower().partition("e")[0])
    exponent = row["in"].lower().partition("e")[2]
    huge = exponent.lstrip("+-").isdigit() and abs(int(exponent)) > 64
    return int(Fraction(row["value"]) * 10**9) if row["valid"] and not stricter and not huge else None


def test_every_amount_is_what_kubernetes_says() -> None:
    rows = vectors("quantity.json")["cases"]
    assert [row["in"] for row in rows if verdict(row["in"]) != expected(row)] == []


def test_hardly_any_amount_is_refused_that_kubernetes_takes() -> None:
    rows = [row for row in vectors("quantity.json")["cases"] if row["valid"]]
    assert len([row for row in rows if verdict(row["in"]) is None]) < len(rows) / 50


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("0.5", "500m"),
        (0.5, "500m"),
        ("1e3", "1k"),
        ("1k", 1000),
        ("3Gi", "3072Mi"),
        ("1000M", "1G"),
        ("0.1n", "1n"),
    ],
)
def test_one_amount_in_two_spellings(one: str, other: str) -> None:
    assert nano(one) == nano(other)


@pytest.mark.parametrize(
    ("one", "other"), [("1Gi", "1G"), ("1m", "1M"), ("1", "1m"), ("9007199254740993", "9007199254740992")]
)
def test_two_amounts(one: str, other: str) -> None:
    assert nano(one) != nano(other)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "1 Gi",
        "1GB",
        "1K",
        "1ki",
        "m",
        ".",
        "+",
        "1e",
        "1e1.5",
        "1_0",
        "1,0",
        "0x1",
        "NaN",
        "inf",
        "١",
        "1e65",
        "1" * 2000,
    ],
)
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not a quantity"):
        nano(text)


@pytest.mark.parametrize("number", [True, float("nan"), float("inf")])
def test_odd_numbers_are_refused(number: float) -> None:
    with pytest.raises(ValueError, match="not a quantity"):
        nano(number)


@given(amounts)
def test_nano_units_are_a_spelling_of_the_amount(units: int) -> None:
    assert nano(f"{units}n") == units
    assert nano(f"{units}e-9") == units


@given(amounts)
def test_the_plain_number_is_the_same_amount(units: int) -> None:
    assert nano(plain(f"{units}n")) == units


@given(st.floats(1e-60, 1e60))
def test_a_number_is_the_amount_that_it_prints(number: float) -> None:
    assert nano(number) == -nano(-number) == nano(f"{Decimal(repr(number)):f}")


@pytest.mark.parametrize(
    ("written", "number"),
    [("1Gi", "1073741824"), ("500m", "0.5"), ("1e3", "1000"), ("0", "0"), ("-1.50", "-1.5"), (100, "100")],
)
def test_plain_numbers_for_people(written: str, number: str) -> None:
    assert plain(written) == number
