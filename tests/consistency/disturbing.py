"""Ports of the indexer that can be slowed, held and killed between any two of their steps, and a hesitant service."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from threading import Event

from m4a.application.indexing import Indexing
from m4a.application.service import Service
from m4a.domain.owner import Owner
from m4a.domain.records import Pending
from m4a.domain.search import IndexAnswer, IndexQuery
from m4a.ports import Outbox, SearchIndex
from m4a.ports.indexing import (
    IndexEntry,
    IndexWriter,
    MemoryRef,
    OutboxRef,
    Overdue,
    Truth,
    TruthRead,
    Unsettled,
    WriteResult,
)

_HESITATES = 0.04
_HESITATION_S = 1.0


class Killed(Exception):
    """The indexer ends here, whatever it was about to do."""


class Gate:
    """What an indexer passes before and after each of its steps. ``delay``: seconds that it is held there each time."""

    def __init__(self) -> None:
        self.delay = 0.0
        self._open = Event()
        self._open.set()
        self._killed = Event()

    @property
    def killed(self) -> bool:
        return self._killed.is_set()

    def hold(self) -> None:
        self._open.clear()

    def release(self) -> None:
        self._open.set()

    def kill(self) -> None:
        """Whoever comes by from now on, or is held, raises Killed."""
        self._killed.set()
        self._open.set()

    def step(self) -> None:
        self._open.wait()
        if self.delay:
            self._killed.wait(self.delay)
        if self.killed:
            raise Killed


def disturbed(indexing: Indexing, gate: Gate) -> Indexing:
    """The same with every step behind the gate."""
    return replace(indexing, truth=_SteppedTruth(indexing.truth, gate), writer=_SteppedWriter(indexing.writer, gate))


def all_due(indexing: Indexing) -> Indexing:
    """The same for a sweep that takes every outbox entry for one that the stream has missed."""
    return replace(indexing, outbox=_AllDue(indexing.outbox))


def hesitant(service: Service, chance: random.Random) -> Service:
    """The same, whose operations sometimes pause when they have read the outbox, and when they have searched."""
    both = _Hesitant(service.outbox, service.index, chance)
    return replace(service, outbox=both, index=both)


class _Hesitant:
    def __init__(self, outbox: Outbox, index: SearchIndex, chance: random.Random) -> None:
        self._outbox = outbox
        self._index = index
        self._chance = chance

    def pending(self, owner: Owner, limit: int) -> Sequence[Pending]:
        found = self._outbox.pending(owner, limit)
        self._hesitate()
        return found

    def settle(self, owner: Owner, entry: Pending) -> None:
        self._outbox.settle(owner, entry)

    def search(self, owner: Owner, query: IndexQuery) -> IndexAnswer:
        answer = self._index.search(owner, query)
        self._hesitate()
        return answer

    def _hesitate(self) -> None:
        if self._chance.random() < _HESITATES:
            Event().wait(self._chance.uniform(0, _HESITATION_S))


class _SteppedTruth:
    def __init__(self, truth: Truth, gate: Gate) -> None:
        self._truth = truth
        self._gate = gate

    def read(self, refs: Sequence[MemoryRef]) -> TruthRead:
        self._gate.step()
        found = self._truth.read(refs)
        self._gate.step()
        return found

    def settle(self, refs: Sequence[OutboxRef]) -> frozenset[OutboxRef]:
        """One after the other, so that some may be settled and others not."""
        kept = frozenset[OutboxRef]()
        for ref in refs:
            if self._gate.killed:
                raise Killed
            kept |= self._truth.settle([ref])
        return kept


class _SteppedWriter:
    def __init__(self, writer: IndexWriter, gate: Gate) -> None:
        self._writer = writer
        self._gate = gate

    def write(self, entries: Sequence[IndexEntry]) -> list[WriteResult]:
        self._gate.step()
        results = self._writer.write(entries)
        self._gate.step()
        return results

    def searchable(self, entries: Sequence[IndexEntry]) -> list[bool]:
        return self._writer.searchable(entries)


class _AllDue:
    def __init__(self, outbox: Unsettled) -> None:
        self._outbox = outbox

    def unsettled(self, now: datetime, after: timedelta) -> Iterator[Overdue]:
        return self._outbox.unsettled(now, timedelta(0))
