"""What was asked, when, and what was answered: the record that the checker judges."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from m4a.application.service import Service
from m4a.domain.errors import M4AError
from m4a.domain.owner import Caller, Owner
from m4a.domain.times import to_millisecond
from m4a.tools import call_tool

_STARTED = datetime(2026, 6, 1, 12, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One call of a tool. ``start`` and ``end``: seconds of a clock that never goes back, around the whole call.

    ``answer`` is the tool's, or the members of its error; then ``error`` holds the code.
    """

    owner: str
    tool: str
    arguments: Mapping[str, Any]
    start: float
    end: float
    answer: Mapping[str, Any]
    error: str | None = None


class SteadyClock:
    """The service's clock over the recorder's seconds, so that an expiry can be placed in a history."""

    def now(self) -> datetime:
        return instant(time.monotonic())


def instant(seconds: float) -> datetime:
    """The service's time at this second of the record."""
    return to_millisecond(_STARTED + timedelta(seconds=seconds))


def seconds(moment: str) -> float:
    """The second of the record at which an instant in an answer lies."""
    return (datetime.fromisoformat(moment) - _STARTED).total_seconds()


@dataclass(slots=True)
class Recorder:
    """Calls tools and keeps what happened; threads share it."""

    service: Service
    operations: list[Operation] = field(default_factory=list[Operation])

    def call(self, user: str, tool: str, **arguments: Any) -> Mapping[str, Any] | None:
        """The answer; None for an error, which is recorded and is the checker's business."""
        caller = Caller(Owner("default", user), user, "test", "test")
        error: str | None = None
        start = time.monotonic()
        try:
            answer = call_tool(self.service, caller, tool, arguments)
        except M4AError as failure:
            error, answer = failure.code, failure.details()
        end = time.monotonic()
        self.operations.append(
            Operation(owner=user, tool=tool, arguments=arguments, start=start, end=end, answer=answer, error=error)
        )
        return None if error else answer
