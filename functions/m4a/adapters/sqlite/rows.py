"""Memories and versions as rows, and back.

The words of a memory or version are one JSON text, its statement, in a cell: content, tags, source, event time, the
terms that occur once (joined by spaces, which is quicker to read than an object), and the counts of the others.
Everything else has a column.
"""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any

from m4a.adapters.sqlite.cells import padded
from m4a.domain.memory import Embedding, Memory, Terms, Version
from m4a.domain.times import EventTime

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)

SELECT_MEMORY = """
SELECT memory_id, words.body, type, importance, created_at, updated_at, expires_at, version, rev, length,
    distinct_terms, model, numbers.body
FROM memories JOIN cells AS words ON words.no = statement LEFT JOIN cells AS numbers ON numbers.no = vector
"""
SELECT_VERSION = """
SELECT memory_id, version, cells.body, type, importance, expires_at, updated_at, replaced_at
FROM history JOIN cells ON cells.no = statement
"""


def to_millis(moment: datetime) -> int:
    """Milliseconds since 1970."""
    return (moment - _EPOCH) // _MILLISECOND


def from_millis(millis: int) -> datetime:
    return _EPOCH + timedelta(0, 0, 0, millis)


def to_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def statement_of(one: Memory | Version) -> bytes:
    """The words of a memory or version, for a cell."""
    counts: Mapping[str, int] = one.terms.counts if isinstance(one, Memory) else {}
    event_time = one.event_time and one.event_time.text
    once = " ".join(term for term, count in counts.items() if count == 1)
    often = {term: count for term, count in counts.items() if count != 1}
    return padded(to_json([one.content, one.tags, one.source, event_time, once, often]))


def memory_values(memory: Memory) -> dict[str, Any]:
    """A memory's columns, without owner, seq and cells."""
    when = memory.event_time
    begins, ends = (when.start, when.end) if when else (memory.created_at, memory.created_at)
    return {
        **_shared_values(memory),
        "rev": memory.rev,
        "guard": memory.guard,
        "created_at": to_millis(memory.created_at),
        "begins_at": to_millis(begins),
        "ends_at": to_millis(ends),
        "length": memory.terms.length,
        "distinct_terms": memory.terms.distinct,
        "model": memory.embedding and memory.embedding.model,
    }


def version_values(version: Version) -> dict[str, Any]:
    """A version's columns, without owner and cell."""
    return {**_shared_values(version), "replaced_at": to_millis(version.replaced_at)}


def memory_of(row: Sequence[Any]) -> Memory:
    """The memory in a row of ``SELECT_MEMORY``."""
    memory_id, body, type_, importance, created_at, updated_at, expires_at, version, rev, length, distinct = row[:11]
    created = from_millis(created_at)
    content, tags, source, event_time, once, often = json.loads(body.decode())
    return Memory(
        memory_id=memory_id,
        content=content,
        type=type_,
        importance=importance,
        tags=tuple(tags),
        source=source,
        created_at=created,
        updated_at=created if updated_at == created_at else from_millis(updated_at),
        event_time=None if event_time is None else _event_time(event_time),
        expires_at=None if expires_at is None else from_millis(expires_at),
        version=version,
        rev=rev,
        terms=Terms(_counts(once, often), length, distinct),
        embedding=None if row[12] is None else Embedding(row[11], row[12]),
    )


def version_of(row: Sequence[Any]) -> Version:
    """The version in a row of ``SELECT_VERSION``."""
    memory_id, version, body, type_, importance, expires_at, updated_at, replaced_at = row
    content, tags, source, event_time, _, _ = json.loads(body.decode())
    return Version(
        memory_id=memory_id,
        version=version,
        content=content,
        type=type_,
        importance=importance,
        tags=tuple(tags),
        source=source,
        event_time=None if event_time is None else _event_time(event_time),
        expires_at=None if expires_at is None else from_millis(expires_at),
        updated_at=from_millis(updated_at),
        replaced_at=from_millis(replaced_at),
    )


def posted_counts(statement: bytes) -> Mapping[str, int]:
    """What a memory is posted under: its terms with their counts, and its tags."""
    _, tags, _, _, once, often = json.loads(statement.decode())
    return {**_counts(once, often), **{tag_term(tag): 1 for tag in tags}}


def tag_term(tag: str) -> str:
    """A tag's name among the postings; a term has no space."""
    return f"tag {tag}"


def _shared_values(one: Memory | Version) -> dict[str, Any]:
    return {
        "memory_id": one.memory_id,
        "version": one.version,
        "type": one.type,
        "importance": one.importance,
        "expires_at": None if one.expires_at is None else to_millis(one.expires_at),
        "updated_at": to_millis(one.updated_at),
    }


def _counts(once: str, often: Mapping[str, int]) -> Mapping[str, int]:
    return {**dict.fromkeys(once.split(), 1), **often}


@lru_cache(10_000)
def _event_time(text: str) -> EventTime:
    return EventTime.parse(text)
