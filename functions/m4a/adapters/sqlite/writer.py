"""Writes one change that nothing speaks against, inside the write transaction."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from m4a.adapters.sqlite.cells import MARK_BYTES, Cells
from m4a.adapters.sqlite.connection import Connection
from m4a.adapters.sqlite.postings import PostingsWriter
from m4a.adapters.sqlite.receipts import insert_receipt, insert_residue
from m4a.adapters.sqlite.rows import memory_values, posted_counts, statement_of, to_millis, version_values
from m4a.domain.memory import MAX_HISTORY, IdempotencyKey, Memory, Version
from m4a.domain.records import Change, Receipt

KEY_LIFETIME = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class _Stored:
    """What is stored of a memory before the change."""

    no: int
    statement: int
    vector: int | None
    mark: bytes
    posted: Mapping[str, int]


class ChangeWriter:
    """``key``: the store's secret. ``seq``: the owner's revision with this change."""

    def __init__(self, connection: Connection, key: bytes, owner_no: int, seq: int) -> None:
        self._connection = connection
        self._owner_no = owner_no
        self._seq = seq
        self._cells = Cells(connection)
        self._postings = PostingsWriter(connection, key, owner_no)

    def write(self, change: Change) -> Receipt | None:
        """Returns the receipt of an erasure. Raises ValueError for a change that is none."""
        if change.key is not None:
            self._remember_key(change, change.key)
        match change:
            case Change(before=None, after=Memory() as memory):
                return self._insert(memory, change.archive)
            case Change(before=Memory() as before, after=Memory() as memory):
                return self._update(self._stored(before.memory_id), memory, change.archive)
            case Change(before=Memory() as before, after=None, receipt=Receipt() as receipt):
                return self._erase(self._stored(before.memory_id), receipt, keeps_count=change.replays)
            case Change(before=None, after=None, receipt=Receipt() as receipt):
                insert_receipt(self._connection, self._owner_no, self._seq, receipt)
                return receipt
            case _:
                raise ValueError("a change inserts, updates, or erases with a receipt")

    def _stored(self, memory_id: str) -> _Stored:
        sql = (
            "SELECT memories.no, statement, vector, mark, body FROM memories JOIN cells ON cells.no = statement "
            "WHERE owner_no = ? AND memory_id = ?"
        )
        no, statement, vector, mark, body = self._connection.execute(sql, (self._owner_no, memory_id)).get
        return _Stored(no, statement, vector, mark, posted_counts(body))

    def _insert(self, memory: Memory, archive: tuple[Version, ...]) -> None:
        mark = secrets.token_bytes(MARK_BYTES)
        statement = statement_of(memory)
        cells = {
            "statement": self._cells.put(mark, statement),
            "vector": self._cells.put(mark, memory.embedding.data) if memory.embedding else None,
        }
        no = self._insert_row("memories", {**memory_values(memory), **cells, "seq": self._seq})
        self._postings.replace(no, {}, posted_counts(statement))
        self._archive(memory.memory_id, archive, mark)

    def _update(self, stored: _Stored, memory: Memory, archive: tuple[Version, ...]) -> None:
        statement = statement_of(memory)
        cells = {
            "statement": self._cells.replace(stored.statement, stored.mark, statement),
            "vector": self._vector_cell(stored, memory),
        }
        values = {**memory_values(memory), **cells, "seq": self._seq}
        columns = ", ".join(f"{column} = :{column}" for column in values)
        self._connection.execute(f"UPDATE memories SET {columns} WHERE no = :no", {**values, "no": stored.no})
        self._postings.replace(stored.no, stored.posted, posted_counts(statement))
        self._archive(memory.memory_id, archive, stored.mark)

    def _vector_cell(self, stored: _Stored, memory: Memory) -> int | None:
        data = memory.embedding.data if memory.embedding else None
        if stored.vector is None:
            return None if data is None else self._cells.put(stored.mark, data)
        if data is None:
            return self._cells.erase(stored.vector)
        return self._cells.replace(stored.vector, stored.mark, data)

    def _archive(self, memory_id: str, versions: tuple[Version, ...], mark: bytes) -> None:
        for version in versions:
            cell = self._cells.put(mark, statement_of(version))
            self._insert_row("history", {**version_values(version), "statement": cell})
        if versions:
            self._erase_history(memory_id, keep=MAX_HISTORY)

    def _erase_history(self, memory_id: str, keep: int) -> int:
        sql = (
            "DELETE FROM history WHERE no IN (SELECT no FROM history WHERE owner_no = ? AND memory_id = ? "
            "ORDER BY version DESC LIMIT -1 OFFSET ?) RETURNING statement"
        )
        erased = self._connection.execute(sql, (self._owner_no, memory_id, keep)).fetchall()
        for (cell,) in erased:
            self._cells.erase(cell)
        return len(erased)

    def _erase(self, stored: _Stored, receipt: Receipt, *, keeps_count: bool) -> Receipt:
        erased = self._erase_history(receipt.memory_id, keep=0) + 1
        for cell in (stored.statement, stored.vector):
            if cell is not None:
                self._cells.erase(cell)
        self._postings.erase(stored.no)
        self._connection.execute("DELETE FROM memories WHERE no = ?", (stored.no,))
        count = receipt.versions_erased if keeps_count else erased
        receipt = replace(receipt, versions_erased=count, residue_cleared=False)
        insert_receipt(self._connection, self._owner_no, self._seq, receipt, stored.mark)
        insert_residue(self._connection, self._owner_no, receipt.memory_id)
        return receipt

    def _remember_key(self, change: Change, key: IdempotencyKey) -> None:
        oldest = to_millis(change.audit.at - KEY_LIFETIME)
        self._connection.execute("DELETE FROM keys WHERE at <= ?", (oldest,))
        row = {"digest": key.digest, "fingerprint": key.fingerprint, "memory_id": change.memory_id}
        self._insert_row("keys", {**row, "at": to_millis(change.audit.at)})

    def _insert_row(self, table: str, values: Mapping[str, Any]) -> int:
        row = {"owner_no": self._owner_no, **values}
        names, marks = ", ".join(row), ", ".join(f":{name}" for name in row)
        return self._connection.execute(f"INSERT INTO {table} ({names}) VALUES ({marks}) RETURNING no", row).get
