"""Adapters for tests: a clock that is set, and an embedder that fails on demand in front of the real one."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from threading import Event

from m4a.domain.errors import Throttled, Unavailable
from m4a.domain.memory import Embedding
from m4a.domain.times import to_millisecond
from m4a.ports import Embedder, Purpose


class SettableClock:
    """Stands still until it is moved."""

    def __init__(self, moment: datetime = datetime(2026, 6, 1, 12, tzinfo=UTC)) -> None:
        self.moment = moment

    def now(self) -> datetime:
        return to_millisecond(self.moment)

    def advance(self, **amount: float) -> None:
        self.moment += timedelta(**amount)


class FaultyEmbedder:
    """Passes texts on to a real embedder unless told to be down, throttled or stuck."""

    def __init__(self, real: Embedder) -> None:
        self._real = real
        self.mode = "up"
        self.released = Event()
        self.asked: list[Sequence[str]] = []

    @property
    def model(self) -> str:
        return self._real.model

    @property
    def dense_weight(self) -> float:
        return self._real.dense_weight

    @property
    def similar_floor(self) -> float:
        return self._real.similar_floor

    def embed(self, texts: Sequence[str], purpose: Purpose) -> list[Embedding]:
        self.asked.append(texts)
        match self.mode:
            case "down":
                raise Unavailable("The embedding model did not answer.")
            case "throttled":
                raise Throttled("The embedding model is overrun.")
            case "stuck":
                self.released.wait(30)
            case _:
                pass
        return self._real.embed(texts, purpose)
