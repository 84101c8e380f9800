from contextlib import suppress
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from m4a.domain.times import EventTime, StartAfterEnd, TimeRange, format_instant, parse_instant, to_millisecond

TIME_LIKE = st.from_regex(
    r"\d{4}-\d{2}-\d{2}([Tt ]\d{2}:\d{2}(:\d{2}([.,]\d{1,9})?)?([Zz]|[+-]\d{2}(:?\d{2})?)?)?", fullmatch=True
)
MOMENTS = st.datetimes(timezones=st.just(UTC)).map(to_millisecond)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-05-08T13:30:00Z", "2026-05-08T13:30:00.000Z"),
        ("2026-05-08t13:30z", "2026-05-08T13:30:00.000Z"),
        ("2026-05-08 13:30", "2026-05-08T13:30:00.000Z"),
        (" 2026-05-08T13:30:00+02:00 ", "2026-05-08T11:30:00.000Z"),
        ("2026-05-08T13:30:00-0330", "2026-05-08T17:00:00.000Z"),
        ("2026-05-08T13:30:00+02", "2026-05-08T11:30:00.000Z"),
        ("2026-05-08T13:30:00.1Z", "2026-05-08T13:30:00.100Z"),
        ("2026-05-08T13:30:00,123999999Z", "2026-05-08T13:30:00.123Z"),
    ],
)
def test_an_instant_is_read_in_its_usual_spellings_as_utc_milliseconds(text: str, expected: str) -> None:
    assert format_instant(parse_instant(text)) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "yesterday",
        "2026-05-08",
        "2026-13-01T00:00Z",
        "2026-02-29T00:00Z",
        "2026-05-08T25:00Z",
        "2026-05-08T13:30:60Z",
        "20260508T133000Z",
        "2026-W19-5T13:30Z",
        "2026-05-08T13:30:00+25:00",
        "0001-01-01T00:00+10:00",
        "9999-12-31T23:59-10:00",
        "\u0662\u0660\u0662\u0666-05-08T13:30Z",
        "2026-05-08T13:30Z and more",
    ],
)
def test_what_is_no_instant_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        parse_instant(text)


@given(TIME_LIKE | st.text(st.characters(), max_size=40))
def test_reading_a_time_raises_nothing_but_value_errors(text: str) -> None:
    with suppress(ValueError):
        parse_instant(text)
    with suppress(ValueError):
        EventTime.parse(text)
    with suppress(ValueError):
        TimeRange.parse(None, text)


@given(MOMENTS)
def test_an_instant_survives_being_written_and_read(moment: datetime) -> None:
    assert parse_instant(format_instant(moment)) == moment


@given(st.datetimes(timezones=st.just(UTC)))
def test_cutting_to_milliseconds_drops_less_than_one_and_never_adds(moment: datetime) -> None:
    assert timedelta(0) <= moment - to_millisecond(moment) < timedelta(milliseconds=1)


def test_a_moment_of_another_zone_becomes_utc() -> None:
    assert to_millisecond(datetime(2026, 5, 8, 1, tzinfo=timezone(timedelta(hours=2)))).isoformat() == (
        "2026-05-07T23:00:00+00:00"
    )


@pytest.mark.parametrize("day", ["2026-05-08", "2024-02-29", "0001-01-01", "9999-12-31"])
def test_a_date_covers_its_whole_day(day: str) -> None:
    event = EventTime.parse(f" {day} ")
    assert event.text == day
    assert format_instant(event.start) == f"{day}T00:00:00.000Z"
    assert format_instant(event.end) == f"{day}T23:59:59.999Z"


def test_an_event_at_an_instant_has_one_moment_and_a_canonical_text() -> None:
    event = EventTime.parse("2026-05-08T15:30+02:00")
    assert event == EventTime("2026-05-08T13:30:00.000Z", event.start, event.start)


def test_a_date_as_start_is_its_first_and_as_end_its_last_moment() -> None:
    assert str(TimeRange.parse("2026-05-08", "2026-05-08")) == "2026-05-08T00:00:00.000Z/2026-05-08T23:59:59.999Z"


@pytest.mark.parametrize("blank", [None, "", "  "])
def test_a_blank_side_is_open(blank: str | None) -> None:
    assert TimeRange.parse(blank, blank) == TimeRange(None, None)
    assert TimeRange.parse("2026-05-08", blank).end is None
    assert TimeRange.parse(blank, "2026-05-08").start is None


def test_a_range_that_ends_before_it_starts_is_refused() -> None:
    with pytest.raises(StartAfterEnd):
        TimeRange.parse("2026-05-09", "2026-05-08")


@pytest.mark.parametrize(
    ("event", "inside"),
    [
        ("2026-05-07", False),
        ("2026-05-07T23:59:59.999Z", False),
        ("2026-05-08", True),
        ("2026-05-08T00:00:00Z", True),
        ("2026-05-10T12:00:00Z", True),
        ("2026-05-10T12:00:00.001Z", False),
        ("2026-05-10", True),
        ("2026-05-11", False),
    ],
)
def test_both_ends_of_a_range_are_included(event: str, inside: bool) -> None:
    when = EventTime.parse(event)
    assert TimeRange.parse("2026-05-08", "2026-05-10T12:00:00Z").overlaps(when.start, when.end) is inside


@given(MOMENTS, MOMENTS)
def test_an_open_range_holds_every_moment(start: datetime, end: datetime) -> None:
    assert TimeRange().overlaps(min(start, end), max(start, end))
