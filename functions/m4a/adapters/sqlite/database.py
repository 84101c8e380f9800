"""One SQLite file, opened once in a process and shared by its threads."""

import threading
from collections import deque
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

from m4a.adapters.sqlite.connection import Connection, connect, open_file
from m4a.adapters.sqlite.errors import StoreUnusable, translate_errors
from m4a.adapters.sqlite.files import create_private
from m4a.adapters.sqlite.opening import open_store
from m4a.adapters.sqlite.residue import OTHER_PATIENCE_S, clear_residue
from m4a.adapters.sqlite.schema import STEPS, Step
from m4a.domain.errors import Throttled, Unavailable

__all__ = ["Database", "StoreUnusable"]

_IDLE_READERS = 8
_BACKUP_PAGES = 256


class _Snapshot(threading.local):
    """The read transaction that this thread is in."""

    connection: Connection | None = None


class Database:
    """Connections to one store: many for reading, one for writing. Safe to use from several threads and processes."""

    def __init__(self, path: Path, writer: Connection, busy_timeout_s: float) -> None:
        self.path = path
        self.key = bytes(writer.execute("SELECT value FROM meta WHERE name = 'key'").get)
        """Secret of this store, for digests of terms and for cursors (32 bytes)."""
        self._busy_timeout_s = busy_timeout_s
        self._writer = writer
        self._write_lock = threading.Lock()
        self._idle: deque[Connection] = deque()
        self._snapshot = _Snapshot()
        self._closed = False

    @classmethod
    def open(cls, path: Path, *, busy_timeout_s: float = 10.0, steps: Sequence[Step] = STEPS) -> "Database":
        """Opens the store, creating it (mode 0600) or lifting it to the present schema. Raises StoreUnusable."""
        writer = open_store(path, steps, busy_timeout_s)
        with translate_errors():
            database = cls(path, writer, busy_timeout_s)
        database.clear_residue(OTHER_PATIENCE_S)
        return database

    def close(self) -> None:
        """Closes the file. Reads under way finish first."""
        with self._write_lock:
            self._closed = True
            self._writer.close()
        while self._idle:
            self._idle.pop().close()

    @contextmanager
    def reading(self) -> Generator[Connection]:
        """A connection for single statements; inside ``snapshot`` that of the snapshot."""
        with translate_errors():
            if self._snapshot.connection is not None:
                yield self._snapshot.connection
            else:
                with self._reader() as connection:
                    yield connection

    @contextmanager
    def snapshot(self) -> Generator[Connection]:
        """Holds one read transaction for all reads of this thread. May be nested: the outermost decides."""
        if self._snapshot.connection is not None:
            with translate_errors():
                yield self._snapshot.connection
            return
        with self.newest() as connection:
            self._snapshot.connection = connection
            try:
                yield connection
            finally:
                self._snapshot.connection = None

    @contextmanager
    def newest(self) -> Generator[Connection]:
        """A read transaction that starts now, whatever snapshot this thread is in."""
        with translate_errors(), self._reader() as connection:
            connection.execute("BEGIN")
            try:
                connection.execute("SELECT 1 FROM meta LIMIT 1").fetchone()  # the first read is what fixes the snapshot
                yield connection
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")

    @contextmanager
    def writing(self, *, durable: bool = True) -> Generator[Connection]:
        """A write transaction, committed at the end and rolled back by an error.

        ``durable``: it outlives a loss of power once committed; otherwise only the end of the process. Raises Throttled
        if other writers keep the file for longer than the busy timeout.
        """
        with translate_errors(), self._locked_writer() as connection:
            connection.pragma("synchronous", "FULL" if durable else "NORMAL")
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")

    def clear_residue(self, patience_s: float) -> bool:
        """Tries to wipe what forgotten memories left in the log. False if that failed, or was held up for that long."""
        try:
            with translate_errors(), self._locked_writer() as connection:
                try:
                    return clear_residue(connection, patience_s)
                finally:
                    connection.set_busy_timeout(round(self._busy_timeout_s * 1000))
        except (Throttled, Unavailable):  # what was committed before stays committed, and a later write tries again
            return False

    def backup(self, target: Path, progress: Callable[[int, int], None]) -> None:
        """Copies the store as it is now into a new file of mode 0600, while others go on writing.

        ``progress`` is told pages done and pages in all. Raises StoreUnusable if ``target`` exists; a copy that
        fails is removed.
        """
        create_private(target)
        try:
            with self.newest() as source:
                _copy(source, target, progress)
        except BaseException:
            target.unlink(missing_ok=True)
            raise

    @contextmanager
    def _reader(self) -> Generator[Connection]:
        if self._closed:
            raise Unavailable("The store is closed.")
        try:
            connection = self._idle.pop()
        except IndexError:
            connection = connect(self.path, self._busy_timeout_s)
        try:
            yield connection
        finally:
            if self._closed or len(self._idle) >= _IDLE_READERS:
                connection.close()
            else:
                self._idle.append(connection)

    @contextmanager
    def _locked_writer(self) -> Generator[Connection]:
        if not self._write_lock.acquire(timeout=self._busy_timeout_s):
            raise Throttled("Other writers kept the store busy. Try again.")
        try:
            if self._closed:
                raise Unavailable("The store is closed.")
            yield self._writer
        finally:
            self._write_lock.release()


def _copy(source: Connection, target: Path, progress: Callable[[int, int], None]) -> None:
    copy = open_file(target)
    try:
        with copy.backup("main", source, "main") as backup:
            while not backup.done:
                backup.step(_BACKUP_PAGES)
                progress(backup.page_count - backup.remaining, backup.page_count)
    finally:
        copy.close()
