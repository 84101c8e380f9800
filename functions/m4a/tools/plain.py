"""What is stored, as plain JSON values."""

from datetime import datetime
from typing import Any

from m4a.domain.memory import Memory, Version
from m4a.domain.records import AuditEvent
from m4a.domain.times import EventTime, format_instant


def memory_fields(memory: Memory) -> dict[str, Any]:
    """A memory as JSON values."""
    return {
        "memory_id": memory.memory_id,
        "content": memory.content,
        "type": memory.type,
        "importance": memory.importance,
        "tags": list(memory.tags),
        "source": memory.source,
        "created_at": format_instant(memory.created_at),
        "updated_at": format_instant(memory.updated_at),
        "event_time": event_text(memory.event_time),
        "expires_at": instant_text(memory.expires_at),
        "version": memory.version,
    }


def version_fields(version: Version) -> dict[str, Any]:
    """An earlier version as JSON values."""
    return {
        "version": version.version,
        "content": version.content,
        "type": version.type,
        "importance": version.importance,
        "tags": list(version.tags),
        "source": version.source,
        "event_time": event_text(version.event_time),
        "expires_at": instant_text(version.expires_at),
        "updated_at": format_instant(version.updated_at),
        "replaced_at": format_instant(version.replaced_at),
    }


def audit_fields(event: AuditEvent) -> dict[str, Any]:
    """An audit event as JSON values."""
    names = ("change_id", "operation", "outcome", "actor", "entry_point", "request_id", "memory_id", "version")
    fields = {name: getattr(event, name) for name in (*names, "reason", "recall_id")}
    return {"at": format_instant(event.at), **{name: value for name, value in fields.items() if value is not None}}


def event_text(when: EventTime | None) -> str | None:
    return when.text if when else None


def instant_text(moment: datetime | None) -> str | None:
    return format_instant(moment) if moment else None
