"""Opening a store: refusing what is none, creating, and lifting to the present schema."""

import os
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import apsw

from m4a.adapters.sqlite.connection import Connection, connect
from m4a.adapters.sqlite.errors import StoreUnusable
from m4a.adapters.sqlite.files import make_private, raw_chunks, tighten
from m4a.adapters.sqlite.schema import APPLICATION_ID, Step

_HEADER = 100
_DAMAGED = (apsw.CorruptError, apsw.NotADBError, apsw.SQLError)


def open_store(path: Path, steps: Sequence[Step], busy_timeout_s: float) -> Connection:
    """A connection to the store, which is created or lifted to the schema of ``steps`` first. Raises StoreUnusable."""
    make_private(path)
    try:
        _check_header(path, len(steps))
        connection = connect(path, busy_timeout_s)
        try:
            _prepare(connection, path, steps)
        except BaseException:
            connection.close()
            raise
    except _DAMAGED as error:
        raise StoreUnusable(_damaged(path)) from error
    except apsw.Error as error:
        raise StoreUnusable(f"{path} can't be opened: the disk, its permissions, or a lock prevents it.") from error
    tighten(path)
    return connection


def _check_header(path: Path, newest: int) -> None:
    """A store carries our id in its first bytes from its first commit on, so a foreign file is known without SQLite."""
    if not os.access(path, os.R_OK | os.W_OK):
        raise StoreUnusable(f"{path} can't be read and written: permission denied.")
    with closing(raw_chunks(path, _HEADER)) as chunks:
        header = next(chunks, b"")
    if not header:
        return
    if not header.startswith(b"SQLite format 3\0") or len(header) < _HEADER:
        raise StoreUnusable(f"{path} is not an M4A store: not a SQLite file.")
    if int.from_bytes(header[68:72], "big") != APPLICATION_ID:
        raise StoreUnusable(f"{path} is not an M4A store: it belongs to another program.")
    _refuse_newer(path, int.from_bytes(header[60:64], "big"), newest)


def _prepare(connection: Connection, path: Path, steps: Sequence[Step]) -> None:
    connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)  # a refused file stays as it is, its log too
    version = connection.pragma("user_version")
    _refuse_newer(path, version, len(steps))
    if version < len(steps):
        _lift(connection, path, steps)
    if connection.pragma("journal_mode", "WAL") != "wal":
        raise StoreUnusable(f"{path} lies on a file system without shared memory, which SQLite's log needs.")
    if connection.execute("SELECT value FROM meta WHERE name = 'key'").get is None:
        raise StoreUnusable(_damaged(path))
    connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0)


def _lift(connection: Connection, path: Path, steps: Sequence[Step]) -> None:
    connection.execute("BEGIN IMMEDIATE")
    try:
        version = connection.pragma("user_version")  # another process may have been faster
        _refuse_newer(path, version, len(steps))
        for step in steps[version:]:
            step(connection)
        connection.pragma("application_id", APPLICATION_ID)
        connection.pragma("user_version", len(steps))
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def _damaged(path: Path) -> str:
    return f"{path} is damaged; restore it from a backup."


def _refuse_newer(path: Path, version: int, newest: int) -> None:
    if version > newest:
        raise StoreUnusable(f"{path} was written by a newer M4A (schema {version}, this one knows {newest}): upgrade.")
