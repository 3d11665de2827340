"""Freezes as people write them, and what they close."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitops_rollout.api.calendar import Closed, Freeze, Window, closed, closes
from gitops_rollout.api.calendar_document import read_freeze
from gitops_rollout.api.values import Json, Object
from gitops_rollout.documents.load import Limits, load

ALWAYS = Freeze("always")


def document(spec: str) -> Object:
    (found,) = load(f"metadata: {{name: year-end}}\nspec: {spec}".encode(), Limits())
    assert isinstance(found.value, dict)
    return found.value


def freeze(spec: str) -> Freeze:
    found, problems = read_freeze(document(spec))
    assert problems == ()
    return found


def december(day: int, hour: int = 0) -> datetime:
    return datetime(2026, 12, day, hour, tzinfo=UTC)


YEAR_END = Freeze("year-end", december(20), december(30), "year end", ("serving",))


def test_a_freeze_is_read_as_people_write_it() -> None:
    written = (
        '{from: "2026-12-20T00:00:00+01:00", until: "2027-01-02T08:00:00+01:00",'
        " reason: year end, namespaces: [serving]}"
    )
    assert freeze(written) == Freeze(
        "year-end",
        datetime(2026, 12, 19, 23, tzinfo=UTC),
        datetime(2027, 1, 2, 7, tzinfo=UTC),
        "year end",
        ("serving",),
    )


def test_an_instant_that_is_not_quoted_is_read_alike() -> None:
    assert freeze("{until: 2027-01-02T08:00:00Z}").end == datetime(2027, 1, 2, 8, tzinfo=UTC)


@pytest.mark.parametrize("spec", ["{}", "", "{from: null, until: null, namespaces: null}"])
def test_a_freeze_of_which_nothing_is_written_freezes_everything(spec: str) -> None:
    assert closed([], [freeze(spec)], "serving", december(1)) == Closed("freeze year-end", None)


@pytest.mark.parametrize(
    ("spec", "path", "code"),
    [
        ("{from: 2026-12-20}", "from", "FREEZE_INVALID"),
        ("{from: '2026-12-20T00:00:00'}", "from", "FREEZE_INVALID"),
        ("{from: '2026-12-20T00:00+01:00'}", "from", "FREEZE_INVALID"),
        ("{from: '2026-02-30T00:00:00Z'}", "from", "FREEZE_INVALID"),
        ("{from: '2026-12-20T00:00:00+25:00'}", "from", "FREEZE_INVALID"),
        ("{from: '0001-01-01T00:00:00+01:00'}", "from", "FREEZE_INVALID"),
        ("{until: '9999-12-31T23:59:59-01:00'}", "until", "FREEZE_INVALID"),
        ("{until: soon}", "until", "FREEZE_INVALID"),
        ("{until: 1798761600}", "until", "FREEZE_INVALID"),
        ("{until: [1]}", "until", "FREEZE_INVALID"),
        ("{from: '2026-12-20T01:00:00+01:00', until: '2026-12-20T00:00:00Z'}", "until", "FREEZE_INVALID"),
        ("{reason: 1}", "reason", "FREEZE_INVALID"),
        ("{namespaces: serving}", "namespaces", "FREEZE_INVALID"),
        ("{namespaces: []}", "namespaces", "FREEZE_INVALID"),
        ("{namespaces: [Serving]}", "namespaces[0]", "FREEZE_INVALID"),
        ("{to: '2026-12-20T00:00:00Z'}", "to", "UNKNOWN_FIELD"),
        ("{start: '2026-12-20T00:00:00Z'}", "start", "UNKNOWN_FIELD"),
    ],
)
def test_a_freeze_that_cannot_be_read_freezes_everything(spec: str, path: str, code: str) -> None:
    found, problems = read_freeze(document(spec))
    assert [(problem.path, problem.code) for problem in problems] == [(f"spec.{path}", code)]
    assert closes([], [found], "anything", december(1)) == december(1)
    assert closed([], [found], "anything", december(1)) == Closed(str(found), None)


def test_a_day_without_an_offset_is_refused_with_what_to_write() -> None:
    _, problems = read_freeze(document("{from: 2026-12-20}"))
    assert problems[0].message.endswith('such as "2026-12-20T00:00:00+01:00"')


def test_a_spec_that_is_no_mapping_is_refused() -> None:
    found, problems = read_freeze(document("[1]"))
    assert ([problem.path for problem in problems], found.end) == (["spec"], None)


@pytest.mark.parametrize(
    ("namespace", "now", "until"),
    [
        ("serving", december(19, 23), None),
        ("serving", december(20), december(30)),
        ("serving", december(29, 23), december(30)),
        ("serving", december(30), None),
        ("other", december(25), None),
    ],
)
def test_a_freeze_closes_its_namespaces_from_its_start_to_its_end(
    namespace: str, now: datetime, until: datetime | None
) -> None:
    found = closed([], [YEAR_END], namespace, now)
    assert (found and found.until) == until


def test_a_freeze_closes_an_open_window_at_its_start() -> None:
    week = Window("0 0 * * 0", 7 * 86_400, "UTC")
    assert closes([week], [YEAR_END], "serving", december(14)) == december(20)
    assert closes([week], [YEAR_END], "other", december(14)) is None


def test_after_a_freeze_the_next_window_opens() -> None:
    office = Window("0 9 * * 1-5", 3600, "UTC")
    assert closed([office], [YEAR_END], "serving", december(20)) == Closed(
        'freeze year-end (year end); outside the windows "0 9 * * 1-5" for 1h UTC', december(30, 9)
    )


def test_a_freeze_that_begins_where_another_ends_goes_on() -> None:
    after = Freeze("after", december(30), december(31))
    found = closed([], [after, YEAR_END], "serving", december(25))
    assert found == Closed("freeze year-end (year end)", december(31))


def test_nobody_can_tell_when_a_freeze_without_end_is_over() -> None:
    assert closed([], [YEAR_END, ALWAYS], "serving", december(25)) == Closed(
        "freeze year-end (year end); freeze always", None
    )
    later = Freeze("later", december(30))
    assert closed([], [YEAR_END, later], "serving", december(25)) == Closed(str(YEAR_END), None)


def test_words_of_a_file_stay_on_one_line() -> None:
    hostile = Freeze("a\n\n# b", reason="c\r\n\x85d" + "e" * 10_000)
    assert "\n" not in str(hostile)
    assert len(str(hostile)) < 500


@pytest.mark.parametrize(
    ("start", "end"),
    [(december(2), december(1)), (december(1), december(1)), (datetime(2026, 12, 1), None)],
)
def test_a_freeze_that_cannot_be_meant_cannot_be_built(start: datetime, end: datetime | None) -> None:
    with pytest.raises(ValueError, match=r"until|offset"):
        Freeze("own", start, end)


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
instants = st.from_regex(r"[0-9]{4}-[01][0-9]-[0-3][0-9]T[0-9]{2}:[0-9]{2}:[0-9]{2}(Z|[+-][0-9]{2}:00)")
specs = st.dictionaries(st.sampled_from(["from", "until", "reason", "namespaces"]), anything | instants)


@given(specs | anything, anything)
def test_nothing_that_is_written_makes_reading_fail(spec: Json, metadata: Json) -> None:
    found, problems = read_freeze({"metadata": metadata, "spec": spec})
    assert not problems or (found.start, found.end, found.namespaces) == (None, None, ())


@given(specs)
def test_what_is_read_can_be_asked_at_any_time(spec: Object) -> None:
    found, _ = read_freeze({"spec": spec})
    held = closed([], [found], "serving", december(1))
    assert (held is not None) == (found.concerns("serving") and found.holds(december(1)))
