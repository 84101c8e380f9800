"""What is refused as a SQLite store, and left as it is."""

import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from m4a.adapters.sqlite.connection import Connection
from m4a.adapters.sqlite.database import Database, StoreUnusable
from m4a.adapters.sqlite.schema import APPLICATION_ID, STEPS

NOBODY = 65534


def add_colour(connection: Connection) -> None:
    connection.execute("ALTER TABLE owners ADD COLUMN colour TEXT")


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


def test_a_newer_store_that_was_not_closed_keeps_its_log(tmp_path: Path) -> None:
    path, copy = tmp_path / "memories.db", tmp_path / "copy.db"
    Database.open(path).close()
    with closing(Database.open(path, steps=(*STEPS, add_colour))):
        for end in ("", "-wal"):
            shutil.copy(f"{path}{end}", f"{copy}{end}")
    log = copy.with_name("copy.db-wal")
    before = (copy.read_bytes(), log.read_bytes())
    assert before[1]
    with pytest.raises(StoreUnusable):
        Database.open(copy)
    assert (copy.read_bytes(), log.read_bytes()) == before


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
