"""The truth in one DynamoDB table."""

from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from itertools import islice

from m4a.adapters.cursors import read_cursor, write_cursor
from m4a.adapters.dynamodb.changes import CORE_TYPES, actions_of, result_of
from m4a.adapters.dynamodb.keys import CORE, GUARD, MEMORY, RECEIPT, Key, keys_of, read_version_key, versions_of
from m4a.adapters.dynamodb.memories import memory_of, version_of
from m4a.adapters.dynamodb.records import Retention, receipt_of
from m4a.adapters.dynamodb.table import MAX_KEYS, Table
from m4a.domain.errors import PartlyRead, Throttled, Unavailable
from m4a.domain.ids import is_ulid
from m4a.domain.memory import MAX_HISTORY, Filters, Memory, Version
from m4a.domain.owner import Owner
from m4a.domain.records import Change, CommitResult, Committed, Page, Receipt

COMMIT_ATTEMPTS = 5
MAX_EXAMINED = 2_000
"""Memories that one page of a listing looks at."""
_FILTERED_PAGE_FACTOR = 4
_NOT_NOW = "Other writes to the same memory came first, or the store is overrun. Nothing was changed; try again."
_NOT_KNOWN = "Whether the change was made is not known."


class DynamoStore:
    """Implements ``MemoryStore``."""

    def __init__(self, table: Table, retention: Retention | None = None) -> None:
        """``retention``: of the audit events that commits write."""
        self._table = table
        self._retention = retention or Retention()

    def get(self, owner: Owner, memory_ids: Sequence[str]) -> Mapping[str, Memory]:
        read = self._table.get_many(keys_of(owner.key, MEMORY, memory_ids))
        found = {memory.memory_id: memory for memory in map(memory_of, read.items.values())}
        if read.unread:
            unread = frozenset(key.sk.removeprefix(MEMORY) for key in read.unread)
            raise PartlyRead("The store's database is overrun: not all memories could be read.", found, unread)
        return found

    def commit(self, owner: Owner, change: Change) -> CommitResult:
        stored = self._stored_versions(owner, change)
        if change.receipt and not change.replays:
            change = replace(change, receipt=replace(change.receipt, versions_erased=len(stored) + 1))
        holds_guard = self._holds_guard(owner, change)
        actions = actions_of(owner, change, stored, self._retention, holds_guard=holds_guard)
        failure: Throttled | Unavailable = Throttled(_NOT_NOW)
        for _ in self._table.attempts(COMMIT_ATTEMPTS):
            try:
                reasons = self._table.transact(owner.key, actions)
            except Unavailable as error:
                # applied or not: sent again, the condition on the audit event tells
                failure = Unavailable(f"{error.message} {_NOT_KNOWN}", error.retry_after)
                continue
            except Throttled:
                continue
            result = result_of(change, actions, reasons) if reasons else Committed(change.receipt)
            if result == Committed() and change.receipt:
                return Committed(self._stored_receipt(owner, change.receipt.memory_id))
            if result is not None:
                return result
        raise failure

    def list(self, owner: Owner, filters: Filters, now: datetime, cursor: str | None, limit: int) -> Page[Memory]:
        key = self._table.cursor_key
        first = last = read_cursor(key, "list", owner, cursor) if cursor else None
        found: list[Memory] = []
        try:
            for examined, (memory_id, memory) in enumerate(self._newest_first(owner, filters, last, limit + 1)):
                if last is not None and (len(found) == limit or examined == MAX_EXAMINED):
                    return Page(tuple(found), write_cursor(key, "list", owner, last))
                last = memory_id
                if memory and memory.lives_at(now) and filters.match(memory):
                    found.append(memory)
        except (Throttled, Unavailable):
            if last is None or last == first:
                raise
            return Page(tuple(found), write_cursor(key, "list", owner, last))  # what was read, and where to go on
        return Page(tuple(found))

    def history(self, owner: Owner, memory_id: str) -> Sequence[Version]:
        if not is_ulid(memory_id):
            return []
        rows = self._table.query(owner.key, versions_of(memory_id), newest_first=True)
        return [version_of(row) for row in rows]

    @contextmanager
    def snapshot(self) -> Generator[None]:
        """DynamoDB has none across requests."""
        yield

    def _newest_first(
        self, owner: Owner, filters: Filters, last: str | None, wanted: int
    ) -> Iterator[tuple[str, Memory | None]]:
        page = wanted if filters == Filters() else wanted * _FILTERED_PAGE_FACTOR
        if filters.importance == "high" and filters.type in CORE_TYPES:
            yield from self._core_newest_first(owner, filters.type, last, min(page, MAX_KEYS))
            return
        for row in self._table.query(
            owner.key, MEMORY, after=last and MEMORY + last, newest_first=True, page=min(page, MAX_EXAMINED)
        ):
            memory = memory_of(row)
            yield memory.memory_id, memory

    def _core_newest_first(
        self, owner: Owner, kind: str, last: str | None, page: int
    ) -> Iterator[tuple[str, Memory | None]]:
        """By the pointers of the core block, so that no other memory is read."""
        rows = self._table.query(owner.key, CORE, after=last and CORE + last, newest_first=True, page=page)
        ids = (row["sk"].removeprefix(CORE) for row in rows if row["type"] == kind)
        while batch := list(islice(ids, page)):
            found = self.get(owner, batch)
            yield from ((memory_id, found.get(memory_id)) for memory_id in batch)

    def _stored_versions(self, owner: Owner, change: Change) -> Sequence[int]:
        """Numbers of the earlier versions in the table, where the change may delete some of them. They are numbered
        from 1 and below their memory's own, so there can't be more than that."""
        before = change.before
        if before is None or (change.after and not (change.archive and before.version > MAX_HISTORY)):
            return ()
        rows = self._table.query(owner.key, versions_of(before.memory_id), keys_only=True)
        return [read_version_key(row["sk"])[1] for row in rows]

    def _holds_guard(self, owner: Owner, change: Change) -> bool:
        """Only in a restored table, whose items need not be of one moment, another memory may have its text by now."""
        if change.before is None or not change.replays:
            return True
        guard = self._table.get(Key(owner.key, GUARD + change.before.guard.hex()))
        return guard is not None and guard["memory_id"] == change.memory_id

    def _stored_receipt(self, owner: Owner, memory_id: str) -> Receipt | None:
        item = self._table.get(Key(owner.key, RECEIPT + memory_id))
        return receipt_of(item) if item else None
