"""The part of a SQLite connection that this package uses, and how one is made."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import apsw

Bindings = Sequence[Any] | Mapping[str, Any]


class Rows(Protocol):
    """What a statement answers: an iterator over rows."""

    def __iter__(self) -> Iterator[Sequence[Any]]: ...
    def fetchone(self) -> Any: ...
    def fetchall(self) -> list[Any]: ...
    def close(self, force: bool = False) -> None: ...

    @property
    def get(self) -> Any:
        """All there is with the least structure: one value of one row as itself; None if there is no row."""
        ...


class Connection(Protocol):
    """``apsw.Connection``, typed: its own stubs do not resolve on Python 3.11."""

    def execute(self, statements: str, bindings: Bindings | None = None) -> Rows: ...
    def executemany(self, statements: str, sequenceofbindings: Iterable[Bindings]) -> Rows: ...
    def pragma(self, name: str, value: str | int | None = None) -> Any: ...
    def config(self, op: int, *args: int) -> int: ...
    def set_busy_timeout(self, milliseconds: int) -> None: ...
    def set_busy_handler(self, callable: Callable[[int], bool] | None) -> None: ...
    def wal_checkpoint(self, dbname: str | None = None, mode: int = 0) -> tuple[int, int]: ...
    def backup(self, databasename: str, sourceconnection: Any, sourcedatabasename: str) -> Any: ...
    def close(self, force: bool = False) -> None: ...

    @property
    def in_transaction(self) -> bool: ...


def connect(path: Path, busy_timeout_s: float) -> Connection:
    """A connection to an existing file, with the settings that every connection needs."""
    connection = open_file(path)
    connection.set_busy_timeout(round(busy_timeout_s * 1000))
    connection.pragma("secure_delete", "ON")
    connection.pragma("temp_store", "MEMORY")
    return connection


def open_file(path: Path) -> Connection:
    """A bare connection to an existing file."""
    return apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
