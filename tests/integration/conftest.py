"""One SQLite store in a folder of its own, and hands to write in it."""

from collections.abc import Generator
from pathlib import Path

import pytest

from m4a.adapters.sqlite.database import Database
from m4a.adapters.sqlite.log import SqliteLog
from m4a.adapters.sqlite.store import SqliteStore
from tests.contract.building import START, Scribe
from tests.support.doubles import SettableClock


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memories.db"


@pytest.fixture
def database(path: Path) -> Generator[Database]:
    opened = Database.open(path)
    yield opened
    opened.close()


@pytest.fixture
def store(database: Database) -> SqliteStore:
    return SqliteStore(database)


@pytest.fixture
def clock() -> SettableClock:
    return SettableClock(START)


@pytest.fixture
def log(database: Database, clock: SettableClock) -> SqliteLog:
    return SqliteLog(database, clock)


@pytest.fixture
def ann(store: SqliteStore) -> Scribe:
    return Scribe(store)
