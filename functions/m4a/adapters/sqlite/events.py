"""Audit events as rows."""

from collections.abc import Sequence
from typing import Any

from m4a.adapters.sqlite.connection import Connection
from m4a.adapters.sqlite.rows import from_millis, to_millis
from m4a.domain.records import AuditEvent

EVENT_COLUMNS = (
    "change_id, at, operation, outcome, actor, entry_point, request_id, memory_id, version, reason, recall_id"
)


def insert_event(connection: Connection, owner_no: int, event: AuditEvent) -> None:
    """Stores an event. One of the same change id stays as it is."""
    connection.execute(
        f"INSERT INTO audit (owner_no, {EVENT_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
        "ON CONFLICT (owner_no, change_id) DO NOTHING",
        (
            owner_no,
            event.change_id,
            to_millis(event.at),
            event.operation,
            event.outcome,
            event.actor,
            event.entry_point,
            event.request_id,
            event.memory_id,
            event.version,
            event.reason,
            event.recall_id,
        ),
    )


def event_of(row: Sequence[Any]) -> AuditEvent:
    """The event in a row of ``EVENT_COLUMNS``."""
    return AuditEvent(
        change_id=row[0],
        at=from_millis(row[1]),
        operation=row[2],
        outcome=row[3],
        actor=row[4],
        entry_point=row[5],
        request_id=row[6],
        memory_id=row[7],
        version=row[8],
        reason=row[9],
        recall_id=row[10],
    )
