"""When the disk is full, the file damaged or busy, the store closed: a plain error, and nothing lost or half done."""

import threading
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from benchmarks.consistency import half_written
from m4a.adapters.sqlite.database import Database
from m4a.adapters.sqlite.index import SqliteIndex
from m4a.adapters.sqlite.log import SqliteLog
from m4a.adapters.sqlite.maintenance import SqliteMaintenance
from m4a.adapters.sqlite.store import SqliteStore
from m4a.domain.errors import M4AError, Throttled, Unavailable
from m4a.domain.memory import Filters, Memory
from m4a.domain.search import IndexQuery
from tests.contract.building import ANN, START, Scribe, event, insertion
from tests.support.doubles import SettableClock

UNLIMITED = 1_000_000


def limit_pages(database: Database, more: int) -> None:
    with database.writing() as connection:
        connection.pragma("max_page_count", connection.pragma("page_count") + more)


def remember_until_full(ann: Scribe) -> list[Memory]:
    answered: list[Memory] = []
    with pytest.raises(Unavailable):
        while True:
            answered.append(ann.remember(f"Note {len(answered)}: " + "some words " * 40))
    return answered


def test_a_full_disk_refuses_the_write_and_loses_nothing(database: Database, store: SqliteStore, ann: Scribe) -> None:
    ann.remember("Before.")
    limit_pages(database, 12)
    answered = remember_until_full(ann)
    assert len(answered) > 3
    assert list(store.get(ANN, [memory.memory_id for memory in answered]).values()) == answered
    assert half_written(database) == []
    limit_pages(database, UNLIMITED)
    assert ann.remember("After.").memory_id in {one.memory_id for one in listed(store)}


def test_a_forget_works_on_a_full_disk(database: Database, store: SqliteStore, ann: Scribe) -> None:
    limit_pages(database, 12)
    memory, *_ = remember_until_full(ann)
    assert ann.forget(memory).residue_cleared
    assert store.get(ANN, [memory.memory_id]) == {}
    assert half_written(database) == []


def test_an_error_within_a_transaction_undoes_it(database: Database, store: SqliteStore, ann: Scribe) -> None:
    memory = ann.remember("One.")
    with pytest.raises(RuntimeError), database.writing() as connection:
        connection.execute("DELETE FROM memories")
        raise RuntimeError("midway")
    assert store.get(ANN, [memory.memory_id]) == {memory.memory_id: memory}


def damage(path: Path, pages: Sequence[int]) -> None:
    with path.open("r+b") as file:
        for page in pages:
            file.seek((page - 1) * 4096)
            file.write(b"\xff" * 4096)


def test_damage_that_is_met_later_is_unavailable_without_details(path: Path) -> None:
    with closing(Database.open(path)) as database:
        scribe = Scribe(SqliteStore(database))
        for number in range(60):
            scribe.remember(f"Note {number}: " + "secret " * 60)
        with database.reading() as connection:
            pages = [page for (page,) in connection.execute("SELECT pageno FROM dbstat WHERE name = 'cells'")]
    damage(path, pages)
    with closing(Database.open(path)) as database:
        with pytest.raises(Unavailable) as failure:
            listed(SqliteStore(database))
        assert "secret" not in failure.value.message and str(path) not in failure.value.message
        with pytest.raises(Unavailable), database.snapshot():
            SqliteIndex(database).search(ANN, QUERY)
        with pytest.raises(Unavailable):
            Scribe(SqliteStore(database)).remember("One more.")


def test_a_writer_that_never_ends_throttles_the_others(path: Path, database: Database) -> None:
    with closing(Database.open(path, busy_timeout_s=0.05)) as other:
        scribe = Scribe(SqliteStore(other))
        with database.writing(), pytest.raises(Throttled):
            scribe.remember("One.")
        assert scribe.remember("One.")


def test_a_thread_that_never_ends_its_write_throttles_the_others(path: Path) -> None:
    with closing(Database.open(path, busy_timeout_s=0.05)) as database:
        change = insertion(Scribe(SqliteStore(database)).memory("One."))
        failures: list[M4AError] = []

        def commit() -> None:
            try:
                SqliteStore(database).commit(ANN, change)
            except M4AError as error:
                failures.append(error)

        with database.writing():
            thread = threading.Thread(target=commit)
            thread.start()
            thread.join()
        assert [type(failure) for failure in failures] == [Throttled]


def test_readers_do_not_wait_for_a_writer(database: Database, store: SqliteStore, ann: Scribe) -> None:
    memory = ann.remember("One.")
    with database.writing() as connection:
        connection.execute("DELETE FROM memories")
        assert store.get(ANN, [memory.memory_id]) == {memory.memory_id: memory}
        connection.execute("ROLLBACK; BEGIN")


QUERY = IndexQuery(embedding=None, terms=("tea",), filters=Filters(), now=START, k=50)

USES: dict[str, Callable[[Database], object]] = {
    "get": lambda database: SqliteStore(database).get(ANN, ["x"]),
    "commit": lambda database: Scribe(SqliteStore(database)).remember("One."),
    "append": lambda database: SqliteLog(database, SettableClock()).append(ANN, event(START)),
    "search": lambda database: SqliteIndex(database).search(ANN, QUERY),
    "owners": lambda database: list(SqliteMaintenance(database).owners()),
}


@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_a_closed_store_is_unavailable(path: Path, use: Callable[[Database], object]) -> None:
    database = Database.open(path)
    database.close()
    database.close()
    with pytest.raises(Unavailable):
        use(database)


def listed(store: SqliteStore) -> tuple[Memory, ...]:
    return store.list(ANN, Filters(), START, None, 50).items
