"""Where texts and vectors lie: rows that never move, so that erasing one leaves no copy of it.

SQLite's ``secure_delete`` overwrites a deleted row where it stands, but not the copies that were left when the row was
moved to another page before, in the course of rebalancing a b-tree after deletions or growth. So rows of ``cells`` are
only ever appended, and overwritten by bytes of the same length, which SQLite does in place. Erased cells are used again
for bodies of their size.
"""

from m4a.adapters.sqlite.connection import Connection

MARK_BYTES = 16
_STEP = 64


def padded(text: str) -> bytes:
    """JSON in UTF-8 with spaces at the end, up to one of few sizes, so that erased cells find another use."""
    body = text.encode()
    step = max(_STEP, 1 << max(0, len(body).bit_length() - 4))
    return body.ljust(-(-len(body) // step) * step)


class Cells:
    """Writes cells inside a write transaction. ``mark``: 16 bytes that tell the memory's cells from all others."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def put(self, mark: bytes, body: bytes) -> int:
        """Stores a body and returns the number of its cell."""
        sql = "SELECT cell FROM free_cells WHERE size = ? LIMIT 1"
        cell: int | None = self._connection.execute(sql, (len(body),)).get
        if cell is None:
            sql = "INSERT INTO cells (mark, body) VALUES (?, ?) RETURNING no"
            return self._connection.execute(sql, (mark, body)).get
        self._connection.execute("DELETE FROM free_cells WHERE size = ? AND cell = ?", (len(body), cell))
        self._overwrite(cell, mark, body)
        return cell

    def replace(self, cell: int, mark: bytes, body: bytes) -> int:
        """Stores another body in place of a cell's, and returns the number of the cell that has it now."""
        if self._connection.execute("SELECT length(body) FROM cells WHERE no = ?", (cell,)).get == len(body):
            self._overwrite(cell, mark, body)
            return cell
        self.erase(cell)
        return self.put(mark, body)

    def erase(self, cell: int) -> None:
        """Overwrites a cell with zeros and sets it free."""
        sql = "UPDATE cells SET mark = zeroblob(?), body = zeroblob(length(body)) WHERE no = ? RETURNING length(body)"
        size = self._connection.execute(sql, (MARK_BYTES, cell)).get
        self._connection.execute("INSERT INTO free_cells VALUES (?, ?)", (size, cell))

    def _overwrite(self, cell: int, mark: bytes, body: bytes) -> None:
        self._connection.execute("UPDATE cells SET mark = ?, body = ? WHERE no = ?", (mark, body, cell))
