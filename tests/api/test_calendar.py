"""Windows: when steps may be asked, in every zone and in both nights of summer time."""

import json
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError

from gitops_rollout.api.calendar import Freeze, Window, closed, closes
from gitops_rollout.api.calendar_document import WindowModel, written_window
from gitops_rollout.api.validation import invalid
from gitops_rollout.api.values import Json

HOUR = 3600
BERLIN = ZoneInfo("Europe/Berlin")
OFFICE = Window("0 9 * * 1-5", 8 * HOUR, "Europe/Berlin")
DAILY = Window("0 0 * * *", 24 * HOUR, "UTC")

crons = st.sampled_from(
    [
        "0 9 * * 1-5",
        "30 2 * * *",
        "*/20 2,3 * * *",
        "0 2-4 * * 0",
        "0 0 1 * *",
        "15 */6 * * *",
        "59 23 31 12 7",
    ]
)
zones = st.sampled_from(["Europe/Berlin", "UTC", "America/New_York", "Australia/Lord_Howe", "Africa/Cairo"])
windows = st.builds(Window, crons, st.integers(1, 40 * HOUR), zones)
instants = st.one_of(
    st.datetimes(datetime(2026, 1, 1), datetime(2028, 1, 1)),
    st.datetimes(datetime(2026, 3, 28, 22), datetime(2026, 3, 29, 4)),
    st.datetimes(datetime(2026, 10, 24, 22), datetime(2026, 10, 25, 4)),
).map(lambda instant: instant.replace(tzinfo=UTC))


@st.composite
def freezes(draw: st.DrawFn) -> Freeze:
    start = draw(st.none() | instants)
    length = draw(st.none() | st.integers(1, 90 * 86_400))
    end = (start or datetime(2026, 6, 1, tzinfo=UTC)) + timedelta(seconds=length) if length else None
    return Freeze("own", start, end, "a reason", draw(st.sampled_from([(), ("serving",), ("other",)])))


def berlin(text: str, fold: int = 0) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=BERLIN, fold=fold)


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("now", "until"),
    [
        ("2026-11-30T08:59:59", "2026-11-30T09:00"),
        ("2026-11-30T09:00", None),
        ("2026-11-30T16:59:59.999999", None),
        ("2026-11-30T17:00", "2026-12-01T09:00"),
        ("2026-12-04T17:00", "2026-12-07T09:00"),
        ("2026-12-05T12:00", "2026-12-07T09:00"),
        ("2026-12-06T12:00", "2026-12-07T09:00"),
    ],
)
def test_office_hours_are_monday_to_friday_from_nine_to_five(now: str, until: str | None) -> None:
    found = closed([OFFICE], [], "serving", berlin(now))
    assert (found and found.until) == (until and berlin(until))


@pytest.mark.parametrize("sunday", ["0", "7", "SUN", "sun"])
def test_zero_and_seven_are_sunday(sunday: str) -> None:
    window = Window(f"0 0 * * {sunday}", HOUR, "UTC")
    assert closed([window], [], "serving", utc("2026-12-06T00:30")) is None


def test_a_day_matches_by_date_or_by_weekday_where_both_are_restricted() -> None:
    window = Window("0 0 13 * 5", HOUR, "UTC")
    assert window.next_start(utc("2026-12-01T00:00")) == utc("2026-12-04T00:00")
    assert window.next_start(utc("2026-12-12T00:00")) == utc("2026-12-13T00:00")


def test_a_window_in_the_hour_that_is_skipped_opens_when_the_hour_is_over() -> None:
    night = Window("30 2 * * *", HOUR, "Europe/Berlin")
    assert night.next_start(berlin("2026-03-29T01:00")) == utc("2026-03-29T01:00")
    assert night.end(utc("2026-03-29T01:00")) == utc("2026-03-29T02:00")


@pytest.mark.parametrize(
    ("now", "is_open"),
    [
        (berlin("2026-10-25T02:29"), False),
        (berlin("2026-10-25T02:30"), True),
        (berlin("2026-10-25T02:10", fold=1), True),
        (berlin("2026-10-25T02:30", fold=1), False),
        (berlin("2026-10-25T02:45", fold=1), False),
    ],
)
def test_a_window_in_the_hour_that_is_repeated_opens_once_and_for_real_time(
    now: datetime, is_open: bool
) -> None:
    night = Window("30 2 * * *", HOUR, "Europe/Berlin")
    assert (closed([night], [], "serving", now) is None) == is_open


def test_from_the_second_pass_of_the_repeated_hour_the_next_window_is_tomorrow() -> None:
    night = Window("30 2 * * *", HOUR, "Europe/Berlin")
    assert night.next_start(berlin("2026-10-25T02:10", fold=1)) == utc("2026-10-26T01:30")


@pytest.mark.parametrize(
    ("now", "end"),
    [("2026-03-29T00:30", "2026-03-29T09:00"), ("2026-10-25T00:30", "2026-10-25T07:00")],
)
def test_eight_hours_are_eight_hours_in_both_nights(now: str, end: str) -> None:
    night = Window("0 0 * * *", 8 * HOUR, "Europe/Berlin")
    assert closes([night], [], "serving", berlin(now)) == berlin(end)


def test_windows_that_overlap_add_up() -> None:
    morning, noon = Window("0 8 * * *", 4 * HOUR, "UTC"), Window("0 11 * * *", 4 * HOUR, "UTC")
    assert closes([morning, noon], [], "serving", utc("2026-12-01T09:00")) == utc("2026-12-01T15:00")


def test_windows_that_meet_have_no_gap() -> None:
    assert closed([DAILY], [], "serving", utc("2026-12-01T00:00")) is None
    assert closes([DAILY], [], "serving", utc("2026-12-01T00:00")) is None


def test_without_windows_and_freezes_it_is_always_open() -> None:
    now = utc("2026-12-01T00:00")
    assert (closed([], [], "serving", now), closes([], [], "serving", now)) == (None, None)


@pytest.mark.parametrize("now", [datetime.max, datetime.min])
def test_what_lies_at_the_ends_of_the_calendar_is_closed(now: datetime) -> None:
    assert closed([OFFICE], [], "serving", now.replace(tzinfo=UTC))


@pytest.mark.parametrize(
    ("cron", "duration", "tz", "message"),
    [
        ("0 9 * *", HOUR, "UTC", "five fields"),
        ("0 0 9 * * *", HOUR, "UTC", "five fields"),
        ("@daily", HOUR, "UTC", "five fields"),
        ("", HOUR, "UTC", "five fields"),
        ("٣ 9 * * *", HOUR, "UTC", "five fields"),
        ("9" * 10_000 + " * * * *", HOUR, "UTC", "five fields"),
        ("60 9 * * *", HOUR, "UTC", "bad minute"),
        ("0 9 * * 8", HOUR, "UTC", "bad day-of-week"),
        ("0 9 * * 1#2/3", HOUR, "UTC", "bad day-of-week"),
        ("*/0 9 * * *", HOUR, "UTC", "no cron line"),
        ("0 0 30 2 *", HOUR, "UTC", "bad day-of-month"),
        ("0 0 */29 2 SUN#5", HOUR, "UTC", "never comes"),
        ("0 9 * * *", 0, "UTC", "more than 0"),
        ("0 9 * * *", -1, "UTC", "more than 0"),
        ("0 9 * * *", 31 * 86_400 + 1, "UTC", "31d"),
        ("0 9 * * *", HOUR, "", "time zone"),
        ("0 9 * * *", HOUR, "localtime", "time zone"),
        ("0 9 * * *", HOUR, "Europe", "time zone"),
        ("0 9 * * *", HOUR, "Europe/Nowhere", "time zone"),
        ("0 9 * * *", HOUR, "right/Europe/Berlin", "time zone"),
        ("0 9 * * *", HOUR, "../../etc/passwd", "time zone"),
        ("0 9 * * *", HOUR, "A\0", "time zone"),
    ],
)
def test_a_window_that_cannot_be_meant_cannot_be_built(
    cron: str, duration: int, tz: str, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        Window(cron, duration, tz)


@given(windows)
def test_a_window_reads_back_from_the_rollout_file(window: Window) -> None:
    assert Window.from_json(json.loads(json.dumps(window.to_json()))) == window


def test_a_recorded_window_is_plain_and_readable() -> None:
    assert OFFICE.to_json() == {"cron": "0 9 * * 1-5", "duration": "8h", "tz": "Europe/Berlin"}


@given(windows, instants)
def test_the_last_fire_is_the_one_that_is_found_by_counting_from_before(
    window: Window, now: datetime
) -> None:
    fire, last = window.next_start(now - timedelta(seconds=window.duration)), None
    while fire is not None and fire <= now:
        fire, last = window.next_start(fire), fire
    assert window.end(now) == (last and last + timedelta(seconds=window.duration))


@given(st.lists(windows, max_size=3), st.lists(freezes(), max_size=3), instants)
def test_it_is_closed_before_the_instant_that_is_told_and_open_at_it(
    rules: list[Window], holds: list[Freeze], now: datetime
) -> None:
    found = closed(rules, holds, "serving", now)
    until = found.until if found else None
    if until is None:
        return
    between = [now + (until - now) * part / 7 for part in range(7)] + [until - timedelta(microseconds=1)]
    assert all(closed(rules, holds, "serving", instant) for instant in between)
    assert closed(rules, holds, "serving", until) is None


@given(st.lists(windows, max_size=3), st.lists(freezes(), max_size=3), instants)
def test_it_is_open_before_the_instant_that_closes_it_and_closed_at_it(
    rules: list[Window], holds: list[Freeze], now: datetime
) -> None:
    close = closes(rules, holds, "serving", now)
    assert (close == now) == (closed(rules, holds, "serving", now) is not None)
    if close is not None:
        between = [now + (close - now) * part / 7 for part in range(7)] if close > now else []
        assert not any(closed(rules, holds, "serving", instant) for instant in between)
        assert closed(rules, holds, "serving", close)


@given(windows, instants, zones)
def test_the_zone_of_the_clock_does_not_matter(window: Window, now: datetime, zone: str) -> None:
    elsewhere = now.astimezone(ZoneInfo(zone))
    assert closed([window], [], "serving", now) == closed([window], [], "serving", elsewhere)


class Holder(BaseModel):
    windows: list[WindowModel]


def problems(written: Json) -> list[tuple[str, str]]:
    try:
        Holder.model_validate({"windows": [written]})
    except ValidationError as error:
        return [(problem.path, problem.code) for problem in invalid(Holder, error, "POLICY_INVALID")]
    return []


def test_a_window_is_read_as_people_write_it() -> None:
    written: Json = {"cron": "0 9 * * 1-5", "duration": "8h", "tz": "Europe/Berlin"}
    assert written_window(WindowModel.model_validate(written)) == OFFICE


@pytest.mark.parametrize(
    ("change", "path", "code"),
    [
        ({"cron": "@daily"}, "cron", "POLICY_INVALID"),
        ({"cron": None}, "cron", "POLICY_INVALID"),
        ({"duration": 8}, "duration", "POLICY_INVALID"),
        ({"duration": "0s"}, "duration", "POLICY_INVALID"),
        ({"duration": "32d"}, "duration", "POLICY_INVALID"),
        ({"tz": "Berlin"}, "tz", "POLICY_INVALID"),
        ({"timezone": "UTC"}, "timezone", "UNKNOWN_FIELD"),
    ],
)
def test_a_window_that_cannot_be_meant_is_refused_with_its_path(
    change: dict[str, Json], path: str, code: str
) -> None:
    written: dict[str, Json] = {"cron": "0 9 * * *", "duration": "8h", "tz": "UTC"}
    assert problems(written | change) == [(f"windows[0].{path}", code)]
