"""Memories and changes for tests of the ports, made as the use cases make them."""

import random
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from m4a.domain.ids import new_ulid
from m4a.domain.memory import Embedding, IdempotencyKey, Memory, Version
from m4a.domain.owner import Owner
from m4a.domain.records import AuditEvent, Change, Committed, Operation, Outcome, Receipt
from m4a.domain.text import analyse
from m4a.domain.vectors import pack
from m4a.ports import MemoryStore

ANN = Owner("default", "ann")
BOB = Owner("default", "bob")
MODEL = "test-model"
START = datetime(2026, 6, 1, 12, tzinfo=UTC)
_DIMENSIONS = 16


def embedding(values: Sequence[float] | str, model: str = MODEL) -> Embedding:
    """Of the values as they are, or of a text: random, and the same for the same text."""
    if isinstance(values, str):
        chance = random.Random(values)
        values = [chance.gauss(0, 1) for _ in range(_DIMENSIONS)]
    return Embedding(model, pack(values))


def event(at: datetime, operation: Operation = "recall", outcome: Outcome = "answered", **fields: Any) -> AuditEvent:
    one = AuditEvent(
        change_id=new_ulid(at),
        at=at,
        operation=operation,
        outcome=outcome,
        actor="ann",
        entry_point="test",
        request_id="req-1",
    )
    return replace(one, **fields)


def insertion(memory: Memory, **fields: Any) -> Change:
    audit = event(memory.updated_at, "remember", "created", memory_id=memory.memory_id, version=memory.version)
    return replace(Change(change_id=audit.change_id, before=None, after=memory, audit=audit), **fields)


def replacement(before: Memory, after: Memory, **fields: Any) -> Change:
    audit = event(after.updated_at, "update_memory", "updated", memory_id=after.memory_id, version=after.version)
    archive = (Version.of(before, after.updated_at),) if after.version > before.version else ()
    change = Change(change_id=audit.change_id, before=before, after=after, audit=audit, archive=archive)
    return replace(change, **fields)


def erasure(memory: Memory, at: datetime, reason: str = "no longer true") -> Change:
    audit = event(at, "forget", "forgotten", memory_id=memory.memory_id, version=memory.version, reason=reason)
    receipt = Receipt(
        memory_id=memory.memory_id,
        change_id=audit.change_id,
        forgotten_at=at,
        reason=reason,
        actor="ann",
        version=memory.version,
        versions_erased=0,
    )
    return Change(change_id=audit.change_id, before=memory, after=None, audit=audit, receipt=receipt)


def key_of(raw: str, body: str = "body") -> IdempotencyKey:
    return IdempotencyKey.of(raw, body)


class Scribe:
    """Writes one owner's memories, each a second after the last."""

    def __init__(self, store: MemoryStore, owner: Owner = ANN) -> None:
        self._store = store
        self.owner = owner
        self.moment = START

    def memory(self, content: str, **fields: Any) -> Memory:
        """A memory that is not stored yet."""
        at = self.tick()
        plain = Memory(
            memory_id=new_ulid(at),
            content=content,
            type="fact",
            importance="medium",
            tags=(),
            source=None,
            created_at=at,
            updated_at=at,
            event_time=None,
            expires_at=None,
            version=1,
            rev=1,
            terms=analyse(content, fields.get("event_time")),
            embedding=embedding(content),
        )
        return replace(plain, **fields)

    def remember(self, content: str, **fields: Any) -> Memory:
        memory = self.memory(content, **fields)
        self.commit(insertion(memory))
        return memory

    def changed(self, memory: Memory, content: str | None = None, **fields: Any) -> Memory:
        """The next version of a memory, not stored yet."""
        values: dict[str, Any] = {"version": memory.version + 1, "rev": memory.rev + 1, "updated_at": self.tick()}
        if content is not None:
            values |= {"content": content, "terms": analyse(content), "embedding": embedding(content)}
        return replace(memory, **{**values, **fields})

    def update(self, memory: Memory, content: str | None = None, **fields: Any) -> Memory:
        after = self.changed(memory, content, **fields)
        self.commit(replacement(memory, after))
        return after

    def forget(self, memory: Memory) -> Receipt:
        committed = self.commit(erasure(memory, self.tick()))
        assert committed.receipt is not None
        return committed.receipt

    def commit(self, change: Change) -> Committed:
        """Commits a change that nothing may speak against."""
        result = self._store.commit(self.owner, change)
        assert isinstance(result, Committed), result
        return result

    def tick(self) -> datetime:
        self.moment += timedelta(seconds=1)
        return self.moment
