"""A memory, its earlier versions, and the filters that select memories."""

import hashlib
import hmac
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from m4a.domain.times import EventTime, TimeRange

MemoryType = Literal["fact", "preference", "event", "task"]
Importance = Literal["low", "medium", "high"]
MEMORY_TYPES: tuple[MemoryType, ...] = ("fact", "preference", "event", "task")
IMPORTANCES: tuple[Importance, ...] = ("low", "medium", "high")

MAX_CONTENT_CHARS = 8_000
MAX_QUERY_CHARS = 2_000
MAX_TAGS = 20
MAX_TAG_CHARS = 64
MAX_SOURCE_CHARS = 200
MAX_REASON_CHARS = 200
MAX_HISTORY = 50
"""Earlier versions kept of one memory: the newest."""


@dataclass(frozen=True, slots=True)
class Embedding:
    """A unit vector as little-endian float16, and the id of the model that made it."""

    model: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Terms:
    """What the word search knows of a text, made by ``domain.text.analyse``.

    ``counts`` holds each term's frequency; whole identifiers are in it but count neither in ``length`` (all terms, date
    words too) nor in ``distinct`` (different terms of the text alone).
    """

    counts: Mapping[str, int]
    length: int
    distinct: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """One statement with its metadata, as the store keeps it.

    ``version`` counts what a user changed; ``rev`` counts every write, re-embedding too, and is what a commit is
    conditional on. ``embedding`` is None until the embedder has answered.
    """

    memory_id: str
    content: str
    type: MemoryType
    importance: Importance
    tags: tuple[str, ...]
    source: str | None
    created_at: datetime
    updated_at: datetime
    event_time: EventTime | None
    expires_at: datetime | None
    version: int
    rev: int
    terms: Terms
    embedding: Embedding | None

    def lives_at(self, now: datetime) -> bool:
        """Whether it has not expired."""
        return self.expires_at is None or self.expires_at > now

    @property
    def guard(self) -> bytes:
        """What may exist once per owner: see ``guard_digest``."""
        return guard_digest(self.content, self.type)


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """An earlier state of a memory, as its history keeps it; ``replaced_at`` is when the next version took over."""

    memory_id: str
    version: int
    content: str
    type: MemoryType
    importance: Importance
    tags: tuple[str, ...]
    source: str | None
    event_time: EventTime | None
    expires_at: datetime | None
    updated_at: datetime
    replaced_at: datetime

    @classmethod
    def of(cls, memory: Memory, replaced_at: datetime) -> "Version":
        return cls(
            memory_id=memory.memory_id,
            version=memory.version,
            content=memory.content,
            type=memory.type,
            importance=memory.importance,
            tags=memory.tags,
            source=memory.source,
            event_time=memory.event_time,
            expires_at=memory.expires_at,
            updated_at=memory.updated_at,
            replaced_at=replaced_at,
        )


@dataclass(frozen=True, slots=True)
class Filters:
    """Which memories are asked for. ``tags``: all of them must be carried. None or empty: no condition."""

    type: MemoryType | None = None
    importance: Importance | None = None
    tags: tuple[str, ...] = ()
    time_range: TimeRange = field(default_factory=TimeRange)

    def match(self, memory: Memory) -> bool:
        """``time_range`` looks at ``event_time`` where set, else at ``created_at``."""
        when = memory.event_time
        start, end = (when.start, when.end) if when else (memory.created_at, memory.created_at)
        return (
            self.type in (None, memory.type)
            and self.importance in (None, memory.importance)
            and set(self.tags) <= set(memory.tags)
            and self.time_range.overlaps(start, end)
        )


def normalise_tags(tags: Iterable[str]) -> tuple[str, ...]:
    """Trimmed, case-folded, blanks dropped, duplicates dropped, order kept: one rule for writing and filtering."""
    folded = (unicodedata.normalize("NFC", tag).strip().casefold() for tag in tags)
    return tuple(dict.fromkeys(tag for tag in folded if not is_blank(tag)))


def is_blank(text: str) -> bool:
    """Whether nothing in the text can be seen: white space, controls and format characters (zero-width ones) only."""
    return all(char.isspace() or unicodedata.category(char) in ("Cc", "Cf") or char in _FILLERS for char in text)


# Letters and marks that draw nothing.
_FILLERS = "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u2800\u3164\uffa0\ufe0e\ufe0f"


def guard_digest(content: str, type: MemoryType) -> bytes:
    """SHA-256 over the type and the text after NFC and white-space folding: equal for texts that count as the same."""
    folded = " ".join(unicodedata.normalize("NFC", content).split())
    return hashlib.sha256(f"{type}\0{folded}".encode("utf-8", "surrogatepass")).digest()


@dataclass(frozen=True, slots=True)
class IdempotencyKey:
    """A client's key for one write: digests only, the raw key is not kept.

    ``fingerprint`` is an HMAC of the body under the raw key, so that nothing of the body can be guessed from it.
    """

    digest: bytes
    fingerprint: bytes

    @classmethod
    def of(cls, raw_key: str, body: str) -> "IdempotencyKey":
        secret, text = (part.encode("utf-8", "surrogatepass") for part in (raw_key, body))
        return cls(hashlib.sha256(secret).digest(), hmac.new(secret, text, hashlib.sha256).digest())
