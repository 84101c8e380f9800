"""Stores one memory, once."""

import json
import logging
from concurrent.futures import CancelledError, Future
from concurrent.futures import TimeoutError as FutureTimeoutError
from dataclasses import asdict, dataclass
from datetime import datetime

from m4a.application.embedding import CONTENT_NOT_EMBEDDED, embed_document
from m4a.application.service import Service
from m4a.application.similar import SIMILAR_UNAVAILABLE, Similar, find_similar
from m4a.application.writing import audit_event, gave_up, holder_lives, touched
from m4a.domain.errors import Conflict, InvalidInput, M4AError, place_of
from m4a.domain.ids import new_ulid
from m4a.domain.memory import Embedding, IdempotencyKey, Importance, Memory, MemoryType
from m4a.domain.owner import Caller
from m4a.domain.records import Change, Committed, GuardHeld, KeyUsed
from m4a.domain.search import Degraded
from m4a.domain.text import analyse
from m4a.domain.times import EventTime
from m4a.ports.deadline import share

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Remember:
    """What is to be remembered. ``sent`` names the fields that the caller gave, for ``differs``."""

    content: str
    type: MemoryType = "fact"
    importance: Importance = "medium"
    tags: tuple[str, ...] = ()
    event_time: EventTime | None = None
    expires_at: datetime | None = None
    source: str | None = None
    idempotency_key: str | None = None
    sent: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """The memory as stored; ``created`` is False where it was there already."""

    memory: Memory
    created: bool
    differs: tuple[str, ...] = ()
    similar: tuple[Similar, ...] = ()
    degraded: tuple[Degraded, ...] = ()


def remember(service: Service, caller: Caller, command: Remember) -> Remembered:
    """Stores the memory, or finds that the owner has it already (same text and type).

    Raises Conflict for an idempotency key that was used with another body, or whose memory was forgotten since.
    """
    now = service.clock.now()
    if command.expires_at and command.expires_at <= now:
        raise InvalidInput.of("expires_at", "lies in the past", "a time in the future")
    embedding = embed_document(service, command.content)
    memory = new_memory(command, now, embedding)
    key = _key(command)
    similar = service.pool.submit(find_similar, service, caller.owner, memory, now) if embedding else None
    for _ in range(service.attempts):
        event = audit_event(caller, now, "remember", "created", memory_id=memory.memory_id, version=1)
        change = Change(change_id=event.change_id, before=None, after=memory, audit=event, key=key)
        match service.store.commit(caller.owner, change):
            case Committed():
                return _created(service, memory, similar)
            case GuardHeld(memory_id=held):
                existing = holder_lives(service, caller, held, now)
                if existing and _note_existing(service, caller, existing, key, now):
                    return Remembered(memory=existing, created=False, differs=_differs(command, existing))
            case KeyUsed(memory_id=used, fingerprint=fingerprint):
                existing = _answered_before(service, caller, key, used, fingerprint, now)
                return Remembered(memory=existing, created=False, differs=_differs(command, existing))
            case _:
                continue
    raise gave_up()


def new_memory(command: Remember, now: datetime, embedding: Embedding | None) -> Memory:
    """The first version of a memory."""
    return Memory(
        memory_id=new_ulid(now),
        content=command.content,
        type=command.type,
        importance=command.importance,
        tags=command.tags,
        source=command.source,
        created_at=now,
        updated_at=now,
        event_time=command.event_time,
        expires_at=command.expires_at,
        version=1,
        rev=1,
        terms=analyse(command.content, command.event_time),
        embedding=embedding,
    )


def _created(service: Service, memory: Memory, similar: Future[tuple[Similar, ...]] | None) -> Remembered:
    if similar is None:
        return Remembered(memory=memory, created=True, degraded=(CONTENT_NOT_EMBEDDED,))
    without = Remembered(memory=memory, created=True, degraded=(SIMILAR_UNAVAILABLE,))
    try:
        failure = similar.exception(share(service.limits.similar_s))
    except (FutureTimeoutError, CancelledError):
        return without
    if failure is None:
        return Remembered(memory=memory, created=True, similar=similar.result())
    if not isinstance(failure, M4AError):
        # a fault of ours, but the memory is stored: an error would say that it is not
        logger.error("%s at %s, looking up similar memories", type(failure).__name__, place_of(failure))
    return without


def _note_existing(
    service: Service, caller: Caller, existing: Memory, key: IdempotencyKey | None, now: datetime
) -> bool:
    """Records the operation; with a key, in one commit that binds the key to the memory. False: it moved, try again."""
    event = audit_event(caller, now, "remember", "existing", memory_id=existing.memory_id, version=existing.version)
    if key is None:
        service.log.append(caller.owner, event)
        return True
    change = Change(change_id=event.change_id, before=existing, after=touched(existing), audit=event, key=key)
    return isinstance(service.store.commit(caller.owner, change), Committed)


def _answered_before(
    service: Service, caller: Caller, key: IdempotencyKey | None, memory_id: str, fingerprint: bytes, now: datetime
) -> Memory:
    if key is None or key.fingerprint != fingerprint:
        raise Conflict("This idempotency key was used with another body.", "idempotency", memory_id=memory_id)
    memory = service.store.get(caller.owner, [memory_id]).get(memory_id)
    if memory is None or not memory.lives_at(now):
        message = "The memory that this idempotency key stored was forgotten since; nothing was stored again."
        raise Conflict(message, "forgotten", memory_id=memory_id)
    event = audit_event(caller, now, "remember", "existing", memory_id=memory_id, version=memory.version)
    service.log.append(caller.owner, event)
    return memory


def _key(command: Remember) -> IdempotencyKey | None:
    if command.idempotency_key is None:
        return None
    body = {name: value for name, value in asdict(command).items() if name not in ("idempotency_key", "sent")}
    return IdempotencyKey.of(command.idempotency_key, json.dumps(body, default=str, sort_keys=True))


def _differs(command: Remember, existing: Memory) -> tuple[str, ...]:
    fields = ("content", "importance", "tags", "event_time", "expires_at", "source")
    return tuple(name for name in fields if name in command.sent and getattr(command, name) != getattr(existing, name))
