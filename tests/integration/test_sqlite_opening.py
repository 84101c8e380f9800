"""Opening the SQLite store: private files, one store for all, and older stores lifted."""

import stat
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from m4a.adapters.sqlite.connection import Connection
from m4a.adapters.sqlite.database import Database
from m4a.adapters.sqlite.schema import STEPS
from m4a.adapters.sqlite.store import SqliteStore
from tests.contract.building import ANN, Scribe


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_every_file_of_a_store_is_private(database: Database, path: Path, ann: Scribe) -> None:
    ann.remember("One.")
    files = sorted(path.parent.iterdir())
    assert [file.name for file in files] == ["memories.db", "memories.db-shm", "memories.db-wal"]
    assert {mode_of(file) for file in files} == {0o600}


def test_a_commit_waits_for_the_disk_and_a_trace_does_not(database: Database) -> None:
    full, normal = 2, 1  # https://www.sqlite.org/pragma.html#pragma_synchronous
    with database.writing() as connection:
        assert connection.pragma("synchronous") == full
    with database.writing(durable=False) as connection:
        assert connection.pragma("synchronous") == normal


def test_missing_folders_are_made_for_their_owner_alone(tmp_path: Path) -> None:
    Database.open(tmp_path / "one" / "two" / "memories.db").close()
    assert {mode_of(tmp_path / "one"), mode_of(tmp_path / "one" / "two")} == {0o700}


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604, 0o660])
def test_a_store_that_others_could_read_becomes_private(path: Path, mode: int) -> None:
    Database.open(path).close()
    path.chmod(mode)
    Database.open(path).close()
    assert mode_of(path) == 0o600


def test_an_empty_file_becomes_a_store(path: Path) -> None:
    path.touch()
    with closing(Database.open(path)) as database:
        assert Scribe(SqliteStore(database)).remember("One.")


def test_a_store_keeps_its_memories_from_one_opening_to_the_next(path: Path) -> None:
    with closing(Database.open(path)) as database:
        memory = Scribe(SqliteStore(database)).remember("One.")
    with closing(Database.open(path)) as database:
        assert SqliteStore(database).get(ANN, [memory.memory_id]) == {memory.memory_id: memory}


def test_many_that_open_a_new_store_at_once_open_the_same(path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        opened = list(pool.map(Database.open, [path] * 8))
    assert len({database.key for database in opened}) == 1
    for database in opened:
        database.close()


def test_two_stores_have_different_secrets(tmp_path: Path) -> None:
    with closing(Database.open(tmp_path / "a.db")) as one, closing(Database.open(tmp_path / "b.db")) as other:
        assert one.key != other.key


def add_colour(connection: Connection) -> None:
    connection.execute("ALTER TABLE owners ADD COLUMN colour TEXT; UPDATE owners SET colour = 'green'")


def break_off(connection: Connection) -> None:
    connection.execute("DROP TABLE memories")
    raise RuntimeError("the step fails")


def test_an_older_store_is_lifted_and_keeps_its_memories(path: Path) -> None:
    with closing(Database.open(path)) as database:
        memory = Scribe(SqliteStore(database)).remember("One.")
    with closing(Database.open(path, steps=(*STEPS, add_colour))) as database, database.reading() as connection:
        assert connection.execute("SELECT colour FROM owners").get == "green"
        assert connection.pragma("user_version") == len(STEPS) + 1
        assert SqliteStore(database).get(ANN, [memory.memory_id]) == {memory.memory_id: memory}


def test_a_step_that_fails_leaves_the_store_as_it_was(path: Path) -> None:
    with closing(Database.open(path)) as database:
        memory = Scribe(SqliteStore(database)).remember("One.")
    with pytest.raises(RuntimeError):
        Database.open(path, steps=(*STEPS, break_off))
    with closing(Database.open(path)) as database:
        assert SqliteStore(database).get(ANN, [memory.memory_id]) == {memory.memory_id: memory}
