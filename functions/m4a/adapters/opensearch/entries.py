"""A memory as a document of the index: its terms, its vector and what filters look at; no text."""

import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from m4a.domain.memory import Embedding, Memory
from m4a.domain.vectors import unpack

NEVER = 253_402_300_799_999
"""9999-12-31, in milliseconds: when a memory without an end expires."""
OTHER_MODEL = "other"
"""Stands for every space but the generation's own."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
_MAX_TOKEN_CHARS = 200
_VECTOR_DIGITS = 6


@dataclass(frozen=True, slots=True)
class VectorSpace:
    """Which vectors a generation holds: those of one model and size."""

    model: str
    dimensions: int

    @classmethod
    def of(cls, embedding: Embedding) -> "VectorSpace":
        return cls(embedding.model, len(embedding.data) // 2)

    @property
    def key(self) -> str:
        """What two vectors must share to be compared."""
        return f"{self.model}/{self.dimensions}"


def document(owner_key: str, memory: Memory, space: VectorSpace) -> dict[str, Any]:
    """The document of one memory. A vector of another space is left out, so it can't be compared."""
    when = memory.event_time
    start, end = (when.start, when.end) if when else (memory.created_at, memory.created_at)
    fields: dict[str, Any] = {
        "owner": owner_key,
        "memory_id": memory.memory_id,
        "type": memory.type,
        "importance": memory.importance,
        "tags": list(memory.tags),
        "start": millis(start),
        "end": millis(end),
        "created": millis(memory.created_at),
        "expires": millis(memory.expires_at) if memory.expires_at else NEVER,
        "tokens": " ".join(token for term, count in memory.terms.counts.items() for token in [token_of(term)] * count),
        "length": memory.terms.length,
    }
    if memory.embedding:
        held = VectorSpace.of(memory.embedding) == space
        fields |= {"model": space.key, "vector": vector(memory.embedding)} if held else {"model": OTHER_MODEL}
    return fields


def token_of(term: str) -> str:
    """The term as the index holds it: as it is, unless the index's analyzer would cut it."""
    if len(term) <= _MAX_TOKEN_CHARS and term.split() == [term]:
        return term
    return hashlib.sha256(term.encode("utf-8", "surrogatepass")).hexdigest()


def vector(embedding: Embedding) -> list[float]:
    """The components, with as many digits as a float16 of a unit vector carries."""
    return [round(value, _VECTOR_DIGITS) for value in unpack(embedding.data)]


def millis(moment: datetime) -> int:
    """Milliseconds since 1970."""
    return (moment - _EPOCH) // _MILLISECOND
