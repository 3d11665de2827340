"""Durations as people write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitops_rollout.api.duration import seconds, written


@pytest.mark.parametrize(
    ("text", "expected"),
    [("0", 0), ("0s", 0), ("90s", 90), ("30m", 1800), ("1h30m", 5400), ("2d", 172_800), ("1d1h1m1s", 90_061)],
)
def test_whole_numbers_of_units_are_read(text: str, expected: int) -> None:
    assert seconds(text) == expected


@given(st.integers(0, 10**9))
def test_what_is_written_reads_back(duration: int) -> None:
    assert seconds(written(duration)) == duration


@pytest.mark.parametrize(
    "text", ["", "30", "m", "1.5h", "-1s", "30M", "1m1h", "1h 2m", "1w", "٣m", "1m\n", "9" * 40 + "s"]
)
def test_anything_else_is_refused_with_examples(text: str) -> None:
    with pytest.raises(ValueError, match="1h30m"):
        seconds(text)
