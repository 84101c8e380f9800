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
"""When an outbox entry is due. The age at which it is taken up is the deployment's; see ``Unsettled``."""

BARE_SINCE = "bare_since"
"""Attribute of a memory without a vector whose due time is another: when it was stored so."""


class Work(IntEnum):
    """Kinds of work. Each has partitions of its own, so that a backlog of one hides nothing of another."""

    SETTLE = 0
    EXPIRE = 1
    """A memory with a vector by when it expires; one without that was put off by when it is to be looked at, at the
    latest when it expires."""
    EMBED = 2
    EMBED_OR_EXPIRE = 3
    """A memory that has no vector and will expire, by when it does: whoever looks for either finds it in time."""


def partitions(work: Work) -> range:
    """The partitions (attribute ``wb``) of one kind of work."""
    return range(work * BUCKETS, (work + 1) * BUCKETS)


def due(work: Work, identifier: str, moment: datetime) -> Mapping[str, int | str]:
    """The attributes that put an item into the index."""
    return {"wb": work * BUCKETS + crc32(identifier.encode()) % BUCKETS, "due": format_instant(moment)}


def memory_due(memory: Memory, committed_at: datetime) -> Mapping[str, int | str]:
    """When what has to be done to a memory; no attributes if nothing will be due."""
    if memory.expires_at and memory.embedding:
        return due(Work.EXPIRE, memory.memory_id, memory.expires_at)
    if memory.expires_at:
        since = {BARE_SINCE: format_instant(committed_at)}
        return {**due(Work.EMBED_OR_EXPIRE, memory.memory_id, memory.expires_at), **since}
    return {} if memory.embedding else due(Work.EMBED, memory.memory_id, committed_at)


def put_off(memory: Memory, until: datetime) -> Mapping[str, int | str]:
    """For a memory without a vector that is not to be looked at before then, or before it expires."""
    if memory.expires_at:
        return due(Work.EXPIRE, memory.memory_id, min(until, memory.expires_at))
    return due(Work.EMBED, memory.memory_id, until)
