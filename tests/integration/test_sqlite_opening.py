"""Opening the SQLite store: private files, migrations, and what is refused and left as it is."""

import os
import sqlite3
import stat
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from m4a.adapters.sqlite.connection import Connection
from m4a.adapters.sqlite.database import Database, StoreUnusable
from m4a.adapters.sqlite.schema import APPLICATION_ID, STEPS
from m4a.adapters.sqlite.store import SqliteStore
from tests.contract.building import ANN, Scribe

NOBODY = 65534


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_every_file_of_a_store_is_private(database: Database, path: Path, ann: Scribe) -> None:
    ann.remember("One.")
    files = sorted(path.parent.iterdir())
    assert [file.name for file in files] == ["memories.db", "memories.db-shm", "memories.db-wal"]
    assert {mode_of(file) for file in files} == {0o600}


def test_missing_folders_are_made_for_their_owner_alone(tmp_path: Path) -> None:
    Database.open(tmp_path / "one" / "two" / "memories.db").close()
    assert {mode_of(tmp_path / "one"), mode_of(tmp_path / "one" / "two")} == {0o700}


def test_a_store_that_others_could_read_becomes_private(path: Path) -> None:
    Database.open(path).close()
    path.chmod(0o644)
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


def text_file(path: Path) -> None:
    path.write_text("Shopping list: " + "milk, " * 40)


def short_file(path: Path) -> None:
    path.write_bytes(b"SQLite format 3\0")


def other_program(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript("CREATE TABLE notes (text TEXT); INSERT INTO notes VALUES ('mine')")


def other_program_with_an_id(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            "PRAGMA application_id = 77; PRAGMA journal_mode = WAL; CREATE TABLE notes (text TEXT)"
        )


def newer_schema(path: Path) -> None:
    Database.open(path, steps=(*STEPS, add_colour)).close()


def truncated(path: Path) -> None:
    Database.open(path).close()
    os.truncate(path, path.stat().st_size // 2)


def overwritten_after_the_header(path: Path) -> None:
    Database.open(path).close()
    with path.open("r+b") as file:
        file.seek(100)
        file.write(b"\xff" * 20_000)


def ours_by_name_only(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(f"PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {len(STEPS)}")
        connection.executescript("CREATE TABLE notes (text TEXT)")


FOREIGN = [text_file, short_file, other_program, other_program_with_an_id]
UNUSABLE = [*FOREIGN, newer_schema, truncated, overwritten_after_the_header]


@pytest.mark.parametrize("make", UNUSABLE)
def test_what_is_no_usable_store_is_refused_and_left_as_it_is(path: Path, make: Callable[[Path], None]) -> None:
    make(path)
    before, bytes_before = path.stat(), path.read_bytes()
    with pytest.raises(StoreUnusable) as refusal:
        Database.open(path)
    assert str(path) in str(refusal.value)
    after = path.stat()
    assert (path.read_bytes(), after.st_mtime_ns, after.st_mode) == (bytes_before, before.st_mtime_ns, before.st_mode)


@pytest.mark.parametrize("make", FOREIGN)
def test_nothing_is_put_beside_a_foreign_file(path: Path, make: Callable[[Path], None]) -> None:
    make(path)
    with pytest.raises(StoreUnusable):
        Database.open(path)
    assert list(path.parent.iterdir()) == [path]


def test_a_store_without_its_tables_is_refused(path: Path) -> None:
    ours_by_name_only(path)
    with pytest.raises(StoreUnusable):
        Database.open(path)


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StoreUnusable):
        Database.open(tmp_path)


def test_a_folder_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreUnusable):
        Database.open(tmp_path / "file" / "memories.db")


@pytest.mark.parametrize("exists", [True, False])
def test_a_store_that_may_not_be_opened_is_refused(path: Path, exists: bool) -> None:
    if exists:
        Database.open(path).close()
        path.chmod(0)
    path.parent.chmod(0o500)
    user = os.geteuid()
    if user == 0:
        os.seteuid(NOBODY)
    try:
        with pytest.raises(StoreUnusable):
            Database.open(path)
    finally:
        os.seteuid(user)
        path.parent.chmod(0o700)
