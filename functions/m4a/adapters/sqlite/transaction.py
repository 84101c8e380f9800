"""Whether a change may be committed, and what then happens, inside the write transaction."""

from m4a.adapters.sqlite.connection import Connection
from m4a.adapters.sqlite.events import insert_event
from m4a.adapters.sqlite.owners import ensure_owner, owner_no, raise_revision
from m4a.adapters.sqlite.receipts import read_receipts
from m4a.adapters.sqlite.rows import to_millis
from m4a.adapters.sqlite.writer import KEY_LIFETIME, ChangeWriter
from m4a.domain.owner import Owner
from m4a.domain.records import Change, CommitResult, Committed, GuardHeld, IdTaken, KeyUsed, Moved


def apply_change(connection: Connection, key: bytes, owner: Owner, change: Change) -> CommitResult:
    """Applies the change, or says why not and writes nothing. ``key``: the store's secret."""
    number = owner_no(connection, owner)
    if number is not None:
        found = _already_applied(connection, owner, number, change) or _refusal(connection, number, change)
        if found is not None:
            return found
    elif change.before is not None:
        return Moved()
    number = ensure_owner(connection, owner)
    seq = raise_revision(connection, number)
    receipt = ChangeWriter(connection, key, number, seq).write(change)
    insert_event(connection, number, change.audit)
    return Committed(receipt)


def _already_applied(connection: Connection, owner: Owner, number: int, change: Change) -> Committed | None:
    sql = "SELECT 1 FROM audit WHERE owner_no = ? AND change_id = ?"
    if not connection.execute(sql, (number, change.change_id)).get:
        return None
    memory_id = change.receipt.memory_id if change.receipt else ""
    return Committed(read_receipts(connection, owner, [memory_id]).get(memory_id))


def _refusal(connection: Connection, number: int, change: Change) -> CommitResult | None:
    return (
        _used_key(connection, number, change)
        or _moved(connection, number, change)
        or _taken_id(connection, number, change)
        or _held_guard(connection, number, change)
    )


def _used_key(connection: Connection, number: int, change: Change) -> KeyUsed | None:
    if change.key is None:
        return None
    oldest = to_millis(change.audit.at - KEY_LIFETIME)
    sql = "SELECT memory_id, fingerprint FROM keys WHERE owner_no = ? AND digest = ? AND at > ?"
    row = connection.execute(sql, (number, change.key.digest, oldest)).fetchone()
    return KeyUsed(row[0], row[1]) if row else None


def _moved(connection: Connection, number: int, change: Change) -> Moved | None:
    if change.before is None:
        return None
    sql = "SELECT rev FROM memories WHERE owner_no = ? AND memory_id = ?"
    rev = connection.execute(sql, (number, change.before.memory_id)).get
    return None if rev == change.before.rev else Moved()


def _taken_id(connection: Connection, number: int, change: Change) -> IdTaken | None:
    if change.before is not None:
        return None
    tables = ("memories", "receipts") if change.keeps_id or change.receipt else ("memories",)
    queries = (f"SELECT 1 FROM {table} WHERE owner_no = ? AND memory_id = ?" for table in tables)
    taken = any(connection.execute(sql, (number, change.memory_id)).get for sql in queries)
    return IdTaken() if taken else None


def _held_guard(connection: Connection, number: int, change: Change) -> GuardHeld | None:
    if change.after is None:
        return None
    sql = "SELECT memory_id FROM memories WHERE owner_no = ? AND guard = ? AND memory_id <> ?"
    holder = connection.execute(sql, (number, change.after.guard, change.after.memory_id)).get
    return GuardHeld(holder) if holder else None
