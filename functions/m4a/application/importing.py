"""Stores memories that come from elsewhere, with their ids, times and histories where they have them."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import accumulate
from time import monotonic

from m4a.application.embedding import PendingEmbedding
from m4a.application.service import PAGE_SHARE, Service
from m4a.application.writing import audit_event, gave_up, holder_lives
from m4a.domain.ids import new_ulid
from m4a.domain.memory import Embedding, Importance, Memory, MemoryType, Version
from m4a.domain.owner import Caller
from m4a.domain.records import Change, Committed, GuardHeld, IdTaken
from m4a.domain.text import analyse
from m4a.domain.times import EventTime
from m4a.ports.deadline import share

BATCH_ENTRIES = 32
BATCH_CHARS = 16_000
"""What is embedded at once is bounded, for an embedder that is too slow can be left but not stopped."""
BATCH_GRACE_S = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportMemory:
    """One memory to import. Without an id it gets one; without times, the present."""

    content: str
    type: MemoryType = "fact"
    importance: Importance = "medium"
    tags: tuple[str, ...] = ()
    source: str | None = None
    event_time: EventTime | None = None
    expires_at: datetime | None = None
    memory_id: str | None = None
    created_at: datetime | None = None
    updated_at: datetime | None = None
    version: int = 1
    history: tuple[Version, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """Counts of one call, in the order of its input; ``done`` is how many entries were looked at before time ran out.

    ``expired`` had expired before they came; ``renamed`` were stored under a new id, for theirs was taken or forgotten.
    """

    done: int
    created: int = 0
    existing: int = 0
    expired: int = 0
    renamed: int = 0
    not_embedded: int = 0


def import_memories(service: Service, caller: Caller, entries: Sequence[ImportMemory]) -> Imported:
    """Stores entry after entry, each in one commit, for as long as one call may take. An entry whose text and type the
    owner has already is left as it is."""
    stop = monotonic() + share(service.limits.page_s, PAGE_SHARE)
    total = Imported(done=0)
    while total.done < len(entries) and (total.done == 0 or monotonic() < stop):
        batch = _batch(entries[total.done : total.done + BATCH_ENTRIES])
        patience = min(max(0.0, stop - monotonic()) + BATCH_GRACE_S, share())
        embeddings = PendingEmbedding(service, [one.content for one in batch], "document", patience).wait()
        for entry, embedding in zip(batch, embeddings or [None] * len(batch), strict=True):
            if total.done and monotonic() > stop:
                break
            total = _import_one(service, caller, entry, embedding, total)
    return total


def _batch(entries: Sequence[ImportMemory]) -> Sequence[ImportMemory]:
    """The first of the entries, as many as have ``BATCH_CHARS`` characters, at least one."""
    chars = list(accumulate(len(entry.content) for entry in entries))
    return entries[: max(1, bisect_right(chars, BATCH_CHARS))]


def _import_one(
    service: Service, caller: Caller, entry: ImportMemory, embedding: Embedding | None, total: Imported
) -> Imported:
    now = service.clock.now()
    total = replace(total, done=total.done + 1)
    if entry.expires_at and entry.expires_at <= now:
        return replace(total, expired=total.expired + 1)
    keeps_id = entry.memory_id is not None
    for _ in range(service.attempts):
        memory = _memory(entry, embedding, now, keeps_id=keeps_id)
        event = audit_event(caller, now, "import", "created", memory_id=memory.memory_id, version=memory.version)
        archive = tuple(replace(version, memory_id=memory.memory_id) for version in entry.history)
        change = Change(
            change_id=event.change_id, before=None, after=memory, audit=event, archive=archive, keeps_id=keeps_id
        )
        match service.store.commit(caller.owner, change):
            case Committed():
                renamed = entry.memory_id is not None and not keeps_id
                return replace(
                    total,
                    created=total.created + 1,
                    renamed=total.renamed + renamed,
                    not_embedded=total.not_embedded + (embedding is None),
                )
            case GuardHeld(memory_id=held):
                holder = holder_lives(service, caller, held, now)
                if holder:
                    event = audit_event(
                        caller, now, "import", "existing", memory_id=holder.memory_id, version=holder.version
                    )
                    service.log.append(caller.owner, event)
                    return replace(total, existing=total.existing + 1)
            case IdTaken():
                keeps_id = False
            case _:
                continue
    raise gave_up()


def _memory(entry: ImportMemory, embedding: Embedding | None, now: datetime, *, keeps_id: bool) -> Memory:
    created_at = entry.created_at or now
    return Memory(
        memory_id=entry.memory_id if entry.memory_id and keeps_id else new_ulid(created_at),
        content=entry.content,
        type=entry.type,
        importance=entry.importance,
        tags=entry.tags,
        source=entry.source,
        created_at=created_at,
        updated_at=entry.updated_at or created_at,
        event_time=entry.event_time,
        expires_at=entry.expires_at,
        version=entry.version,
        rev=1,
        terms=analyse(entry.content, entry.event_time),
        embedding=embedding,
    )
