"""Where the time of an operation goes, seen at the ports: the use cases have no timers of their own.

The stopwatch of an operation stands in a context variable. The pool hands it on to its threads, so operations that run
at once don't mix; what is still under way when an operation ends counts for that operation and for no later one.
"""

from collections.abc import Generator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from datetime import datetime
from time import perf_counter
from typing import Literal

from m4a.domain.memory import Embedding, Filters, Memory, Version
from m4a.domain.owner import Owner
from m4a.domain.records import AuditEvent, Change, CommitResult, Page, Pending, Receipt, Trace
from m4a.domain.search import IndexAnswer, IndexQuery
from m4a.ports import Embedder, Log, MemoryStore, Outbox, Purpose, SearchIndex

Stage = Literal["embed", "outbox", "search", "read", "commit", "trace"]


class Span:
    """One run of a stage, from now on until ``ended`` is set."""

    def __init__(self, stage: Stage) -> None:
        self.stage: Stage = stage
        self.began = perf_counter()
        self.ended: float | None = None


class Stopwatch:
    """The stages of one operation. Threads may share it."""

    def __init__(self) -> None:
        self._spans: list[Span] = []

    def start(self, stage: Stage) -> Span:
        span = Span(stage)
        self._spans.append(span)
        return span

    def milliseconds(self) -> Mapping[Stage, float]:
        """Of each stage that ran; one that ran more than once adds up, one that still runs counts up to now."""
        now = perf_counter()
        total: dict[Stage, float] = {}
        for span in list(self._spans):
            ended = now if span.ended is None else span.ended
            total[span.stage] = total.get(span.stage, 0.0) + 1000 * (ended - span.began)
        return total


_STOPWATCH: ContextVar[Stopwatch | None] = ContextVar("m4a_stopwatch", default=None)


@contextmanager
def measuring() -> Generator[Stopwatch]:
    """A stopwatch that the timed ports report to, in this context and where the pool carries it."""
    watch = Stopwatch()
    token = _STOPWATCH.set(watch)
    try:
        yield watch
    finally:
        _STOPWATCH.reset(token)


@contextmanager
def _timed(stage: Stage) -> Generator[None]:
    watch = _STOPWATCH.get()
    span = watch.start(stage) if watch else None
    try:
        yield
    finally:
        if span:
            span.ended = perf_counter()


class TimedEmbedder:
    """``embed``."""

    def __init__(self, real: Embedder) -> None:
        self._real = real

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
        with _timed("embed"):
            return self._real.embed(texts, purpose)


class TimedOutbox:
    """``outbox``: reading it."""

    def __init__(self, real: Outbox) -> None:
        self._real = real

    def pending(self, owner: Owner, limit: int) -> Sequence[Pending]:
        with _timed("outbox"):
            return self._real.pending(owner, limit)

    def settle(self, owner: Owner, entry: Pending) -> None:
        self._real.settle(owner, entry)


class TimedIndex:
    """``search``."""

    def __init__(self, real: SearchIndex) -> None:
        self._real = real

    def search(self, owner: Owner, query: IndexQuery) -> IndexAnswer:
        with _timed("search"):
            return self._real.search(owner, query)


class TimedStore:
    """``read``: memories, listings and histories; ``commit``: every write."""

    def __init__(self, real: MemoryStore) -> None:
        self._real = real

    def get(self, owner: Owner, memory_ids: Sequence[str]) -> Mapping[str, Memory]:
        with _timed("read"):
            return self._real.get(owner, memory_ids)

    def commit(self, owner: Owner, change: Change) -> CommitResult:
        with _timed("commit"):
            return self._real.commit(owner, change)

    def list(self, owner: Owner, filters: Filters, now: datetime, cursor: str | None, limit: int) -> Page[Memory]:
        with _timed("read"):
            return self._real.list(owner, filters, now, cursor, limit)

    def history(self, owner: Owner, memory_id: str) -> Sequence[Version]:
        with _timed("read"):
            return self._real.history(owner, memory_id)

    def snapshot(self) -> AbstractContextManager[None]:
        return self._real.snapshot()


class TimedLog:
    """``trace``: storing an audit event, and with it the trace of a recall."""

    def __init__(self, real: Log) -> None:
        self._real = real

    def append(self, owner: Owner, event: AuditEvent, trace: Trace | None = None) -> None:
        with _timed("trace"):
            self._real.append(owner, event, trace)

    def audit(self, owner: Owner, cursor: str | None, limit: int) -> Page[AuditEvent]:
        return self._real.audit(owner, cursor, limit)

    def trace(self, owner: Owner, recall_id: str) -> Trace | None:
        return self._real.trace(owner, recall_id)

    def erase_traces(self, owner: Owner, limit: int, until: datetime | None = None) -> bool:
        return self._real.erase_traces(owner, limit, until)

    def receipts(self, owner: Owner, memory_ids: Sequence[str]) -> Mapping[str, Receipt]:
        return self._real.receipts(owner, memory_ids)
