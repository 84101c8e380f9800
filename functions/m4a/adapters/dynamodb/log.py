"""Audit events, traces and receipts in the table."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import islice, takewhile

from m4a.adapters.cursors import read_cursor, write_cursor
from m4a.adapters.dynamodb.batches import deletes, puts
from m4a.adapters.dynamodb.errors import OVERRUN
from m4a.adapters.dynamodb.keys import AUDIT, RECEIPT, TRACE, Key, asked_key, keys_of
from m4a.adapters.dynamodb.records import (
    Retention,
    event_item,
    event_of,
    owner_fields,
    receipt_of,
    trace_items,
    trace_of,
)
from m4a.adapters.dynamodb.table import Table
from m4a.adapters.dynamodb.values import Item
from m4a.domain.errors import Throttled
from m4a.domain.ids import ULID_TIME_CHARS, is_ulid, new_ulid
from m4a.domain.owner import Owner
from m4a.domain.records import AuditEvent, Page, Receipt, Trace


class DynamoLog:
    """Implements ``Log``. What has outlived its time is invisible at once, and deleted by DynamoDB some time later."""

    def __init__(self, table: Table, retention: Retention | None = None) -> None:
        self._table = table
        self._retention = retention or Retention()

    def append(self, owner: Owner, event: AuditEvent, trace: Trace | None = None) -> None:
        traced = trace_items(trace, self._retention) if trace else ()
        item = event_item(event, self._retention)
        if event.operation == "erase":
            item = {**item, **owner_fields(owner)}
        self._table.write_many(puts(owner.key, [item, *traced]))

    def audit(self, owner: Owner, cursor: str | None, limit: int) -> Page[AuditEvent]:
        key = self._table.cursor_key
        last = read_cursor(key, "audit", owner, cursor) if cursor else None
        after = AUDIT + last if last else None
        events: list[AuditEvent] = []
        for row in self._table.query(owner.key, AUDIT, after=after, newest_first=True, page=limit + 1):
            if len(events) == limit:
                return Page(tuple(events), write_cursor(key, "audit", owner, events[-1].change_id))
            events.append(event_of(row))
        return Page(tuple(events))

    def trace(self, owner: Owner, recall_id: str) -> Trace | None:
        if not is_ulid(recall_id):
            return None
        stored, asked = Key(owner.key, TRACE + recall_id), Key(owner.key, asked_key(recall_id))
        found = self._read([stored, asked])
        return trace_of(found[stored], found.get(asked)) if stored in found else None

    def erase_traces(self, owner: Owner, limit: int, until: datetime | None = None) -> bool:
        last = TRACE + new_ulid(until)[:ULID_TIME_CHARS] if until else None
        rows = self._table.query(owner.key, TRACE, page=limit + 1, keys_only=True, expired_too=True)
        those = takewhile(lambda sk: last is None or sk[: len(last)] <= last, (row["sk"] for row in rows))
        found = list(islice(those, limit + 1))
        self._table.write_many(deletes(owner.key, found[:limit]))
        return len(found) <= limit

    def receipts(self, owner: Owner, memory_ids: Sequence[str]) -> Mapping[str, Receipt]:
        found = self._read(keys_of(owner.key, RECEIPT, memory_ids))
        return {receipt.memory_id: receipt for receipt in map(receipt_of, found.values())}

    def _read(self, keys: Sequence[Key]) -> Mapping[Key, Item]:
        read = self._table.get_many(keys)
        if read.unread:
            raise Throttled(OVERRUN)
        return read.items
