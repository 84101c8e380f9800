"""Instants, dates and ranges: UTC, milliseconds, a ``Z`` at the end.

A bare date stands for its whole day: as a start its first millisecond, as an end its last.
"""

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_INSTANT = re.compile(r"\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}(:\d{2}([.,]\d{1,9})?)?([Zz]|[+-]\d{2}(:?\d{2})?)?")
_DAY = timedelta(days=1)
_MILLISECOND = timedelta(milliseconds=1)

ALLOWED_TIME = "ISO 8601, such as 2026-05-08 or 2026-05-08T13:30:00Z"
ALLOWED_RANGE = "start/end in ISO 8601, either side may be empty, such as 2026-05-01/2026-05-31"


def to_millisecond(moment: datetime) -> datetime:
    """The moment in UTC, cut to whole milliseconds."""
    moment = moment.astimezone(UTC)
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)


def format_instant(moment: datetime) -> str:
    """``2026-05-08T13:30:00.000Z``"""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def parse_instant(text: str) -> datetime:
    """The instant that an ISO 8601 text names; no zone means UTC. Raises ValueError."""
    text = text.strip()
    if not _INSTANT.fullmatch(text):
        raise ValueError("not an ISO 8601 instant")
    try:
        moment = datetime.fromisoformat(text.upper().replace(",", "."))
        return to_millisecond(moment if moment.tzinfo else moment.replace(tzinfo=UTC))
    except OverflowError as error:
        raise ValueError("outside the calendar") from error


class StartAfterEnd(ValueError):
    """A range that ends before it starts."""


@dataclass(frozen=True, slots=True)
class EventTime:
    """When something happens: an instant, or a date that covers its whole day. ``text`` is the canonical form."""

    text: str
    start: datetime
    end: datetime

    @classmethod
    def parse(cls, text: str) -> "EventTime":
        """Reads a date or an instant. Raises ValueError."""
        text = text.strip()
        if _DATE.fullmatch(text):
            day = date.fromisoformat(text)
            start = datetime(day.year, day.month, day.day, tzinfo=UTC)
            return cls(text, start, _end_of_day(start))
        moment = parse_instant(text)
        return cls(format_instant(moment), moment, moment)


def _end_of_day(start: datetime) -> datetime:
    return start + (_DAY - _MILLISECOND)  # adding a whole day first would leave the calendar on 9999-12-31


@dataclass(frozen=True, slots=True)
class TimeRange:
    """From ``start`` to ``end``, both included; None leaves a side open."""

    start: datetime | None = None
    end: datetime | None = None

    @classmethod
    def parse(cls, start: str | None, end: str | None) -> "TimeRange":
        """Reads both sides; a blank one is open. Raises ValueError for what can't be read, StartAfterEnd."""
        first = EventTime.parse(start).start if start and start.strip() else None
        last = EventTime.parse(end).end if end and end.strip() else None
        if first and last and first > last:
            raise StartAfterEnd("the start comes after the end")
        return cls(first, last)

    def overlaps(self, start: datetime, end: datetime) -> bool:
        """Whether any moment of the interval lies in this range."""
        return (self.end is None or start <= self.end) and (self.start is None or end >= self.start)

    def __str__(self) -> str:
        sides = (format_instant(side) if side else "" for side in (self.start, self.end))
        return "/".join(sides)
