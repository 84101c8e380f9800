"""Adapters around the real ones that fail on request, each until its fault is cleared."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import datetime
from threading import Event
from typing import Any, Protocol

from m4a.domain.errors import Throttled, Unavailable
from m4a.domain.memory import Embedding, Filters, Memory, Version
from m4a.domain.owner import Owner
from m4a.domain.records import AuditEvent, Change, CommitResult, Page, Pending, Receipt, Trace
from m4a.domain.search import Degraded, IndexAnswer, IndexQuery
from m4a.domain.vectors import pack, unpack
from m4a.ports import Embedder, Log, MemoryStore, Outbox, Purpose, SearchIndex

LONG_S = 60.0
NO_FAULT: Mapping[str, Any] = {"mode": "clear"}


class UnknownFault(Exception):
    """There is no such target, or it has no such mode."""


class Breakable(Protocol):
    """A backend whose fault can be set."""

    def set(self, fault: Mapping[str, Any]) -> None:
        """Puts it into the fault's mode, ``clear`` ends it. Raises UnknownFault."""
        ...


class Fault:
    """The mode that a backend is in; ``delay`` holds a call for ``seconds``, or until another mode is set."""

    def __init__(self, modes: Sequence[str]) -> None:
        self._modes = (*modes, "down", "timeout", "throttle_all", "delay", "clear")
        self._ended = Event()
        self.now = NO_FAULT

    def set(self, fault: Mapping[str, Any]) -> None:
        if fault.get("mode") not in self._modes:
            raise UnknownFault(f"unknown mode {fault.get('mode')}; there are {', '.join(self._modes)}")
        self._ended.set()
        self._ended = Event()
        self.now = fault

    def strike(self) -> None:
        """Fails or holds the call as the mode says."""
        match self.now["mode"]:
            case "throttle_all":
                raise Throttled("This backend is made to refuse for now.")
            case "down" | "timeout" | "absent":
                raise Unavailable("This backend is made to fail for now.")
            case "delay":
                self._ended.wait(self.now.get("seconds", LONG_S))
            case _:
                pass


class FaultyEmbedder:
    """``swap`` makes it another model: with vectors of another size, or of the same size in another space."""

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner
        self._fault = Fault(["swap"])
        self.set = self._fault.set

    @property
    def model(self) -> str:
        swapped = self._fault.now["mode"] == "swap"
        return self._fault.now.get("model", "another-model") if swapped else self._inner.model

    @property
    def dense_weight(self) -> float:
        return self._inner.dense_weight

    @property
    def similar_floor(self) -> float:
        return self._inner.similar_floor

    def embed(self, texts: Sequence[str], purpose: Purpose) -> list[Embedding]:
        self._fault.strike()
        made = self._inner.embed(texts, purpose)
        return [self._swapped(one) for one in made] if self._fault.now["mode"] == "swap" else made

    def _swapped(self, embedding: Embedding) -> Embedding:
        values = unpack(embedding.data)
        other = values[: len(values) // 2] if self._fault.now.get("dims") == "other" else values[::-1]
        return Embedding(self.model, pack(other))


class FaultyIndex:
    """``fail_keyword_leg`` and ``fail_vector_leg`` empty one leg and name it, as the port has it."""

    def __init__(self, inner: SearchIndex) -> None:
        self._inner, self._fault = inner, Fault(["absent", "fail_keyword_leg", "fail_vector_leg"])

    def set(self, fault: Mapping[str, Any]) -> None:
        self._fault.set(fault)

    def search(self, owner: Owner, query: IndexQuery) -> IndexAnswer:
        self._fault.strike()
        answer = self._inner.search(owner, query)
        match self._fault.now["mode"]:
            case "fail_keyword_leg":
                failed = Degraded("word_search_unavailable", "The search by words is made to fail.")
                return replace(answer, lexical=(), degraded=(*answer.degraded, failed))
            case "fail_vector_leg":
                failed = Degraded("vector_search_unavailable", "The search by meaning is made to fail.")
                return replace(answer, dense=(), degraded=(*answer.degraded, failed))
            case _:
                return answer


class DeletableIndex(FaultyIndex):
    """An index of its own. ``absent`` deletes it, so that ``clear`` does not bring it back, but a reindex does."""

    def __init__(self, inner: SearchIndex, delete: Callable[[], None]) -> None:
        super().__init__(inner)
        self._delete = delete

    def set(self, fault: Mapping[str, Any]) -> None:
        if fault.get("mode") == "absent":
            self._delete()
            fault = NO_FAULT
        super().set(fault)


class FaultyStore:
    """The store; shares its fault with the log, which lies in the same table."""

    def __init__(self, inner: MemoryStore, strike: Callable[[], None]) -> None:
        self._inner = inner
        self._strike = strike

    def get(self, owner: Owner, memory_ids: Sequence[str]) -> Mapping[str, Memory]:
        self._strike()
        return self._inner.get(owner, memory_ids)

    def commit(self, owner: Owner, change: Change) -> CommitResult:
        self._strike()
        return self._inner.commit(owner, change)

    def list(self, owner: Owner, filters: Filters, now: datetime, cursor: str | None, limit: int) -> Page[Memory]:
        self._strike()
        return self._inner.list(owner, filters, now, cursor, limit)

    def history(self, owner: Owner, memory_id: str) -> Sequence[Version]:
        self._strike()
        return self._inner.history(owner, memory_id)

    def snapshot(self) -> AbstractContextManager[None]:
        self._strike()
        return self._inner.snapshot()


class FaultyLog:
    """Audit events, traces and receipts; see ``FaultyStore``."""

    def __init__(self, inner: Log, strike: Callable[[], None]) -> None:
        self._inner = inner
        self._strike = strike

    def append(self, owner: Owner, event: AuditEvent, trace: Trace | None = None) -> None:
        self._strike()
        self._inner.append(owner, event, trace)

    def audit(self, owner: Owner, cursor: str | None, limit: int) -> Page[AuditEvent]:
        self._strike()
        return self._inner.audit(owner, cursor, limit)

    def trace(self, owner: Owner, recall_id: str) -> Trace | None:
        self._strike()
        return self._inner.trace(owner, recall_id)

    def erase_traces(self, owner: Owner, limit: int, until: datetime | None = None) -> bool:
        self._strike()
        return self._inner.erase_traces(owner, limit, until)

    def receipts(self, owner: Owner, memory_ids: Sequence[str]) -> Mapping[str, Receipt]:
        self._strike()
        return self._inner.receipts(owner, memory_ids)


class FaultyOutbox:
    """The outbox, where it lies in the table; see ``FaultyStore``."""

    def __init__(self, inner: Outbox, strike: Callable[[], None]) -> None:
        self._inner = inner
        self._strike = strike

    def pending(self, owner: Owner, limit: int) -> Sequence[Pending]:
        self._strike()
        return self._inner.pending(owner, limit)

    def settle(self, owner: Owner, entry: Pending) -> None:
        self._strike()
        self._inner.settle(owner, entry)
