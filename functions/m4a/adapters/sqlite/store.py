"""The truth in one SQLite file."""

from collections.abc import Generator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import datetime

from m4a.adapters.cursors import read_cursor, write_cursor
from m4a.adapters.sqlite.database import Database
from m4a.adapters.sqlite.memories import Memories
from m4a.adapters.sqlite.owners import OWNER_NO
from m4a.adapters.sqlite.residue import FORGET_PATIENCE_S, OTHER_PATIENCE_S
from m4a.adapters.sqlite.rows import SELECT_MEMORY, SELECT_VERSION, memory_of, version_of
from m4a.adapters.sqlite.transaction import apply_change
from m4a.domain.memory import Filters, Memory, Version
from m4a.domain.owner import Owner
from m4a.domain.records import Change, CommitResult, Committed, Page

MAX_EXAMINED = 2_000
"""Memories that one page of a listing looks at."""
_AFTER_ALL_IDS = "~"


class SqliteStore:
    """Implements ``MemoryStore``. A commit outlives a loss of power once it is answered."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._memories = Memories()

    def get(self, owner: Owner, memory_ids: Sequence[str]) -> Mapping[str, Memory]:
        with self._database.snapshot() as connection:
            return self._memories.read(connection, owner, memory_ids)

    def commit(self, owner: Owner, change: Change) -> CommitResult:
        with self._database.writing() as connection:
            result = apply_change(connection, self._database.key, owner, change)
        if change.before and not change.after:
            self._memories.drop(owner, change.before.memory_id)
        cleared = self._database.clear_residue(OTHER_PATIENCE_S if change.after else FORGET_PATIENCE_S)
        if isinstance(result, Committed) and result.receipt and cleared:
            return Committed(replace(result.receipt, residue_cleared=True))
        return result

    def list(self, owner: Owner, filters: Filters, now: datetime, cursor: str | None, limit: int) -> Page[Memory]:
        key = self._database.key
        last = read_cursor(key, "list", owner, cursor) if cursor else _AFTER_ALL_IDS
        found: list[Memory] = []
        examined = 0
        with closing(self._newest_first(owner, last)) as memories:
            for memory in memories:
                if len(found) == limit or examined == MAX_EXAMINED:
                    return Page(tuple(found), write_cursor(key, "list", owner, last))
                examined += 1
                last = memory.memory_id
                if memory.lives_at(now) and filters.match(memory):
                    found.append(memory)
        return Page(tuple(found))

    def history(self, owner: Owner, memory_id: str) -> Sequence[Version]:
        sql = f"{SELECT_VERSION} WHERE owner_no = {OWNER_NO} AND memory_id = ? ORDER BY version DESC"
        with self._database.reading() as connection:
            return [version_of(row) for row in connection.execute(sql, (owner.key, memory_id))]

    @contextmanager
    def snapshot(self) -> Generator[None]:
        with self._database.snapshot():
            yield

    def _newest_first(self, owner: Owner, before: str) -> Generator[Memory]:
        sql = f"{SELECT_MEMORY} WHERE owner_no = {OWNER_NO} AND memory_id < ? ORDER BY memory_id DESC"
        with self._database.reading() as connection, closing(connection.execute(sql, (owner.key, before))) as rows:
            for row in rows:
                yield memory_of(row)
