"""A process that writes until it is killed, and says of each write when it was answered."""

import random
from dataclasses import replace
from datetime import UTC, datetime
from multiprocessing.connection import Connection
from pathlib import Path

from m4a.adapters.sqlite.database import Database
from m4a.adapters.sqlite.store import SqliteStore
from m4a.application.remember import Remember, new_memory
from m4a.application.writing import audit_event
from m4a.domain.memory import Embedding, IdempotencyKey, Memory, Version
from m4a.domain.owner import Caller, Owner
from m4a.domain.records import Change, Committed, Receipt
from m4a.domain.text import analyse
from m4a.domain.times import to_millisecond
from m4a.domain.vectors import pack

DIMENSIONS = 384
_WORDS = "amber basin cedar delta ember fjord grove heron inlet jetty kelp lagoon marsh night orchard pebble".split()

Answered = tuple[str, str, int]
"""What was answered: ``written`` or ``forgotten``, the memory's id, its rev."""


def owner_of(seed: int) -> Owner:
    """Whose memories the writer of this seed writes."""
    return Owner("default", f"writer-{seed}")


def write_until_killed(path: Path, seed: int, answered: Connection) -> None:
    """Remembers, updates and forgets at random; sends an ``Answered`` after each commit."""
    writer = Writer(SqliteStore(Database.open(path)), seed)
    while True:
        answered.send(writer.write())


class Writer:
    """Makes up one write after the other."""

    def __init__(self, store: SqliteStore, seed: int) -> None:
        self._store = store
        self._chance = random.Random(seed)
        self._caller = Caller(owner=owner_of(seed), actor="writer", entry_point="benchmark", request_id="benchmark")
        self._living: list[Memory] = []
        self._count = 0

    def write(self) -> Answered:
        """One write, answered."""
        kind = self._chance.random()
        if kind < 0.5 or len(self._living) < 3:
            return self._remember()
        memory = self._living.pop(self._chance.randrange(len(self._living)))
        return self._update(memory) if kind < 0.8 else self._forget(memory)

    def _remember(self) -> Answered:
        content = self._text()
        memory = new_memory(Remember(content=content, tags=("benchmark",)), _now(), self._embedding())
        key = IdempotencyKey.of(str(self._count), content)
        event = audit_event(
            self._caller, memory.created_at, "remember", "created", memory_id=memory.memory_id, version=1
        )
        self._commit(Change(change_id=event.change_id, before=None, after=memory, audit=event, key=key))
        return self._written(memory)

    def _update(self, before: Memory) -> Answered:
        now, content = _now(), self._text()
        after = replace(
            before,
            content=content,
            terms=analyse(content),
            embedding=self._embedding(),
            version=before.version + 1,
            rev=before.rev + 1,
            updated_at=now,
        )
        event = audit_event(self._caller, now, "update_memory", "updated", memory_id=before.memory_id)
        archive = (Version.of(before, now),)
        self._commit(Change(change_id=event.change_id, before=before, after=after, audit=event, archive=archive))
        return self._written(after)

    def _forget(self, memory: Memory) -> Answered:
        now = _now()
        event = audit_event(self._caller, now, "forget", "forgotten", memory_id=memory.memory_id)
        receipt = Receipt(
            memory_id=memory.memory_id,
            change_id=event.change_id,
            forgotten_at=now,
            reason="benchmark",
            actor="writer",
            version=memory.version,
            versions_erased=0,
        )
        self._commit(Change(change_id=event.change_id, before=memory, after=None, audit=event, receipt=receipt))
        return "forgotten", memory.memory_id, memory.rev

    def _written(self, memory: Memory) -> Answered:
        self._living.append(memory)
        return "written", memory.memory_id, memory.rev

    def _commit(self, change: Change) -> None:
        result = self._store.commit(self._caller.owner, change)
        if not isinstance(result, Committed):
            raise RuntimeError(f"the write was refused: {type(result).__name__}")

    def _text(self) -> str:
        self._count += 1
        words = self._chance.choices(_WORDS, k=self._chance.choice((3, 12, 40, 300)))
        return f"Note {self._count}: {' '.join(words)}."

    def _embedding(self) -> Embedding:
        return Embedding("benchmark", pack([self._chance.gauss(0, 1) for _ in range(DIMENSIONS)]))


def _now() -> datetime:
    return to_millisecond(datetime.now(UTC))
