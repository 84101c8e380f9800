"""The sparse index ``work``: which item is due when. An item without these attributes is not in it."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from enum import IntEnum
from zlib import crc32

from m4a.domain.memory import Memory
from m4a.domain.times import format_instant

INDEX = "work"
BUCKETS = 16
"""Partitions for each kind of work, so that no one partition takes all writes."""
SETTLE_AFTER = timedelta(minutes=3)
"""An outbox entry as old as that was missed by the stream."""


class Work(IntEnum):
    """Kinds of work. Each has partitions of its own, so that a backlog of one hides nothing of another."""

    SETTLE = 0
    EXPIRE = 1
    EMBED = 2


def partitions(work: Work) -> range:
    """The partitions (attribute ``wb``) of one kind of work."""
    return range(work * BUCKETS, (work + 1) * BUCKETS)


def due(work: Work, identifier: str, moment: datetime) -> Mapping[str, int | str]:
    """The attributes that put an item into the index."""
    return {"wb": work * BUCKETS + crc32(identifier.encode()) % BUCKETS, "due": format_instant(moment)}


def memory_due(memory: Memory, committed_at: datetime) -> Mapping[str, int | str]:
    """A memory has one due time, the earliest reason; no attributes if nothing will be due."""
    expires_at = memory.expires_at
    if memory.embedding is None and (expires_at is None or committed_at <= expires_at):
        return due(Work.EMBED, memory.memory_id, committed_at)
    return {} if expires_at is None else due(Work.EXPIRE, memory.memory_id, expires_at)
