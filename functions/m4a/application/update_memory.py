"""Changes named fields of one memory; the version before goes to its history."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from m4a.application.embedding import CONTENT_NOT_EMBEDDED, embed_document
from m4a.application.service import Service
from m4a.application.writing import audit_event, gave_up, holder_lives, read_living, version_conflict
from m4a.domain.errors import Conflict, InvalidInput
from m4a.domain.memory import Embedding, Memory, Version
from m4a.domain.owner import Caller
from m4a.domain.records import Change, Committed, GuardHeld
from m4a.domain.search import Degraded
from m4a.domain.text import analyse


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateMemory:
    """``changes`` maps names of ``Memory`` fields to their new values; None clears a time."""

    memory_id: str
    changes: Mapping[str, Any]
    expected_version: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Updated:
    """The memory as it is now; ``updated`` is False where nothing differed."""

    memory: Memory
    updated: bool
    degraded: tuple[Degraded, ...] = ()


def update_memory(service: Service, caller: Caller, command: UpdateMemory) -> Updated:
    """Applies the changes to whatever the memory is now, so that updates of other fields survive.

    Raises NotFound; Conflict when ``expected_version`` no longer holds or another memory has that text already.
    """
    now = service.clock.now()
    expires_at = command.changes.get("expires_at")
    if expires_at and expires_at <= now:
        raise InvalidInput.of("expires_at", "lies in the past", 'a time in the future, or "clear"')
    embedding = _Embedding(service)
    for _ in range(service.attempts):
        before = read_living(service, caller.owner, command.memory_id, now)
        if command.expected_version not in (None, before.version):
            raise version_conflict("The memory has another version by now; its current state is attached.", before)
        changed = {name: value for name, value in command.changes.items() if value != getattr(before, name)}
        if not changed:
            event = audit_event(
                caller, now, "update_memory", "unchanged", memory_id=before.memory_id, version=before.version
            )
            service.log.append(caller.owner, event)
            return Updated(memory=before, updated=False)
        after = next_version(before, changed, now, embedding.of(before, changed))
        if _committed(service, caller, before, after, now):
            return Updated(memory=after, updated=True, degraded=() if after.embedding else (CONTENT_NOT_EMBEDDED,))
    raise gave_up()


def next_version(before: Memory, changed: Mapping[str, Any], now: datetime, embedding: Embedding | None) -> Memory:
    """The memory with the changed fields, one version on."""
    after = replace(
        before, **changed, updated_at=now, version=before.version + 1, rev=before.rev + 1, embedding=embedding
    )
    return replace(after, terms=analyse(after.content, after.event_time))


class _Embedding:
    """Embeds changed content once, however often the commit is tried."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._made: dict[str, Embedding | None] = {}

    def of(self, before: Memory, changed: Mapping[str, Any]) -> Embedding | None:
        content = changed.get("content")
        if content is None:
            return before.embedding
        if content not in self._made:
            self._made[content] = embed_document(self._service, content)
        return self._made[content]


def _committed(service: Service, caller: Caller, before: Memory, after: Memory, now: datetime) -> bool:
    event = audit_event(caller, now, "update_memory", "updated", memory_id=after.memory_id, version=after.version)
    archive = (Version.of(before, now),)
    change = Change(change_id=event.change_id, before=before, after=after, audit=event, archive=archive)
    match service.store.commit(caller.owner, change):
        case Committed():
            return True
        case GuardHeld(memory_id=held):
            holder = holder_lives(service, caller, held, now)
            if holder:
                raise Conflict("Another memory has this text already.", "duplicate", holder, holder.memory_id)
            return False
        case _:
            return False
