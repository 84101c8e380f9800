"""A clock that a step can set."""

from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

from m4a.domain.times import to_millisecond


class SettableClock:
    """The port ``Clock``: the machine's time until a step sets another; then time runs on from there."""

    def __init__(self) -> None:
        self._shift = timedelta()
        self._held: datetime | None = None

    def now(self) -> datetime:
        return to_millisecond(self._held or datetime.now(UTC) + self._shift)

    @contextmanager
    def at(self, moment: str | None) -> Generator[None]:
        """Stands still at the moment while a step runs; None changes nothing. Raises ValueError."""
        if moment is None:
            yield
            return
        held = datetime.fromisoformat(moment)
        self._held = held if held.tzinfo else held.replace(tzinfo=UTC)
        try:
            yield
        finally:
            self._shift = self._held - datetime.now(UTC)
            self._held = None
