"""Audit events, traces and receipts in the store's file."""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import count

from m4a.adapters.cursors import read_cursor, write_cursor
from m4a.adapters.sqlite.connection import Connection
from m4a.adapters.sqlite.database import Database
from m4a.adapters.sqlite.events import EVENT_COLUMNS, event_of, insert_event
from m4a.adapters.sqlite.owners import OWNER_NO, ensure_owner
from m4a.adapters.sqlite.receipts import read_receipts
from m4a.adapters.sqlite.residue import OTHER_PATIENCE_S
from m4a.adapters.sqlite.rows import from_millis, to_json, to_millis
from m4a.domain.owner import Owner
from m4a.domain.records import AuditEvent, Page, Receipt, Trace
from m4a.ports import Clock

_CLEANED_EVERY = 50
"""Appends. Looking for what to clean costs a fifth of one."""
_CLEANED_AT_ONCE = 1_000
_AFTER_ALL = str(2**63 - 1)


class SqliteLog:
    """Implements ``Log``. What has outlived its time is invisible at once, and deleted by later appends."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        *,
        audit_retention: timedelta = timedelta(days=365),
        trace_retention: timedelta = timedelta(days=30),
        asked_retention: timedelta = timedelta(days=7),
    ) -> None:
        self._database = database
        self._clock = clock
        self._appends = count()
        self._retention = {"audit": audit_retention, "traces": trace_retention, "asked": asked_retention}

    def append(self, owner: Owner, event: AuditEvent, trace: Trace | None = None) -> None:
        with self._database.writing(durable=False) as connection:
            number = ensure_owner(connection, owner)
            insert_event(connection, number, event)
            if trace is not None:
                _insert_trace(connection, number, trace)
            if next(self._appends) % _CLEANED_EVERY == 0:
                self._clean(connection, event.at)
        self._database.clear_residue(OTHER_PATIENCE_S)

    def audit(self, owner: Owner, cursor: str | None, limit: int) -> Page[AuditEvent]:
        key = self._database.key
        before = int(read_cursor(key, "audit", owner, cursor) if cursor else _AFTER_ALL)
        sql = (
            f"SELECT {EVENT_COLUMNS}, no FROM audit WHERE owner_no = {OWNER_NO} AND no < ? AND at > ? "
            "ORDER BY no DESC LIMIT ?"
        )
        with self._database.reading() as connection:
            rows = connection.execute(sql, (owner.key, before, self._oldest("audit"), limit + 1)).fetchall()
        events = tuple(event_of(row) for row in rows[:limit])
        more = len(rows) > limit
        return Page(events, write_cursor(key, "audit", owner, str(rows[limit - 1][-1])) if more else None)

    def trace(self, owner: Owner, recall_id: str) -> Trace | None:
        sql = (
            "SELECT traces.at, body, question FROM traces "
            "LEFT JOIN asked ON asked.trace = traces.no AND asked.at > ? "
            f"WHERE owner_no = {OWNER_NO} AND recall_id = ? AND traces.at > ?"
        )
        values = (self._oldest("asked"), owner.key, recall_id, self._oldest("traces"))
        with self._database.reading() as connection:
            row = connection.execute(sql, values).fetchone()
        if row is None:
            return None
        at, body, question = row
        return Trace(recall_id=recall_id, at=from_millis(at), body=json.loads(body), asked=json.loads(question or "{}"))

    def erase_traces(self, owner: Owner, limit: int, until: datetime | None = None) -> bool:
        sql = f"SELECT no FROM traces WHERE owner_no = {OWNER_NO} AND at <= ? ORDER BY no LIMIT ?"
        values = (owner.key, to_millis(until or datetime.max.replace(tzinfo=UTC)), limit + 1)
        with self._database.writing() as connection:
            found = connection.execute(sql, values).fetchall()
            connection.executemany("DELETE FROM asked WHERE trace = ?", found[:limit])
            connection.executemany("DELETE FROM traces WHERE no = ?", found[:limit])
        return len(found) <= limit

    def receipts(self, owner: Owner, memory_ids: Sequence[str]) -> Mapping[str, Receipt]:
        with self._database.reading() as connection:
            return read_receipts(connection, owner, memory_ids)

    def _oldest(self, table: str) -> int:
        return to_millis(self._clock.now() - self._retention[table])

    def _clean(self, connection: Connection, now: datetime) -> None:
        for table, column in (("audit", "no"), ("traces", "no"), ("asked", "trace")):
            connection.execute(
                f"DELETE FROM {table} WHERE {column} IN (SELECT {column} FROM {table} WHERE at <= ? LIMIT ?)",
                (to_millis(now - self._retention[table]), _CLEANED_AT_ONCE),
            )


def _insert_trace(connection: Connection, number: int, trace: Trace) -> None:
    sql = "INSERT INTO traces (owner_no, recall_id, at, body) VALUES (?, ?, ?, ?) RETURNING no"
    at = to_millis(trace.at)
    no = connection.execute(sql, (number, trace.recall_id, at, to_json(trace.body))).get
    connection.execute("INSERT INTO asked VALUES (?, ?, ?)", (no, at, to_json(trace.asked)))
