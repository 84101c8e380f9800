"""What is forgotten is gone from the bytes of the file, and the receipt says when it is not yet."""

import threading
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from m4a.adapters.sqlite.database import Database
from m4a.adapters.sqlite.index import SqliteIndex
from m4a.adapters.sqlite.log import SqliteLog
from m4a.adapters.sqlite.store import SqliteStore
from m4a.domain.memory import Filters
from m4a.domain.search import IndexQuery
from tests.contract.building import ANN, BOB, START, Scribe, embedding, event
from tests.integration.life import Life
from tests.integration.raw_bytes import found_vectors, found_words, raw_bytes
from tests.support.doubles import SettableClock

FORGETS = 240


def test_forgotten_memories_leave_no_bytes_in_the_file(path: Path, log: SqliteLog, ann: Scribe) -> None:
    life = Life(ann, 1)
    for forgets in range(FORGETS // 6, FORGETS + 1, FORGETS // 6):
        life.run_until(forgets)
        found = found_words(path)
        assert found & life.forgotten_words == set()
        assert len(found & life.living_words) > 0.95 * len(life.living_words)  # some words lie across two pages
    assert found_vectors(path, life.forgotten_vectors) == 0
    assert all(receipt.residue_cleared for receipt in log.receipts(ANN, life.forgotten).values())


def reader_of(database: Database) -> Callable[[], None]:
    """Recalls in a read transaction, as the use case does."""
    index, store = SqliteIndex(database), SqliteStore(database)
    query = IndexQuery(embedding=embedding("q"), terms=("boiler", "tea"), filters=Filters(), now=START, k=50)

    def read() -> None:
        with store.snapshot():
            answer = index.search(ANN, query)
            store.get(ANN, [*answer.dense, *answer.lexical])

    return read


def while_reading(read: Callable[[], None], work: Callable[[], None], readers: int = 2) -> None:
    """Runs ``work`` while threads read without a pause."""
    done = threading.Event()

    def keep_reading() -> None:
        while not done.is_set():
            read()

    threads = [threading.Thread(target=keep_reading) for _ in range(readers)]
    for thread in threads:
        thread.start()
    try:
        work()
    finally:
        done.set()
        for thread in threads:
            thread.join()


def test_forgotten_memories_leave_no_bytes_while_others_read(
    database: Database, path: Path, log: SqliteLog, ann: Scribe
) -> None:
    life = Life(ann, 2)
    while_reading(reader_of(database), lambda: life.run_until(FORGETS // 6))
    log.append(ANN, event(START))
    receipts = log.receipts(ANN, life.forgotten)
    assert len(receipts) == FORGETS // 6
    assert all(receipt.residue_cleared for receipt in receipts.values())
    assert found_words(path) & life.forgotten_words == set()


def test_a_reader_of_the_older_state_delays_the_wiping_and_the_receipt_says_so(
    path: Path, store: SqliteStore, log: SqliteLog, ann: Scribe
) -> None:
    memory = ann.remember("The safe opens with zq000001xv.")
    with store.snapshot():
        receipt = ann.forget(memory)
        assert not receipt.residue_cleared
        assert found_words(path) == {"zq000001xv"}
        assert memory.memory_id in store.get(ANN, [memory.memory_id])  # the snapshot still has it
    assert not log.receipts(ANN, [memory.memory_id])[memory.memory_id].residue_cleared
    log.append(BOB, event(START))
    assert log.receipts(ANN, [memory.memory_id]) == {memory.memory_id: replace(receipt, residue_cleared=True)}
    assert found_words(path) == set()


def test_repeating_a_forget_wipes_what_the_first_could_not(path: Path, store: SqliteStore, ann: Scribe) -> None:
    memory = ann.remember("The safe opens with zq000001xv.")
    other = ann.remember("Other.")
    with store.snapshot():
        assert not ann.forget(memory).residue_cleared
        assert not ann.forget(other).residue_cleared
    ann.remember("Next.")
    assert found_words(path) == set()


def test_opening_the_store_wipes_what_a_forget_could_not(path: Path) -> None:
    with closing(Database.open(path)) as reading:
        with closing(Database.open(path)) as writing, reading.snapshot():
            scribe = Scribe(SqliteStore(writing))
            memory = scribe.remember("The safe opens with zq000001xv.")
            with reading.newest():
                assert not scribe.forget(memory).residue_cleared
        assert found_words(path) == {"zq000001xv"}
        with closing(Database.open(path)) as opened:
            assert found_words(path) == set()
            receipts = SqliteLog(opened, SettableClock()).receipts(ANN, [memory.memory_id])
            assert receipts[memory.memory_id].residue_cleared


def test_the_mark_in_a_receipt_is_in_the_file_as_long_as_the_memory(
    database: Database, path: Path, ann: Scribe
) -> None:
    memory = ann.remember("One.")
    with database.reading() as connection:
        mark: bytes = connection.execute("SELECT mark FROM memories JOIN cells ON cells.no = statement").get
    ann.update(memory, "Two.")
    assert raw_bytes(path).count(mark) >= 3  # statement, vector, history
    ann.forget(ann.changed(memory, "Two."))
    assert mark not in raw_bytes(path)
    with database.reading() as connection:
        assert connection.execute("SELECT mark FROM receipts").get == mark.hex()


def test_cells_stay_where_they_are_whatever_happens_to_their_memories(database: Database, ann: Scribe) -> None:
    def sizes() -> dict[int, int]:
        with database.reading() as connection:
            return dict(connection.execute("SELECT no, length(body) FROM cells").fetchall())

    life, before = Life(ann, 3), dict[int, int]()
    for forgets in range(4, 40, 4):
        life.run_until(forgets)
        after = sizes()
        assert before.items() <= after.items()
        assert min(after.keys() - before.keys(), default=10**9) > max(before, default=0)
        before = after


def test_the_space_of_forgotten_memories_is_used_again(database: Database, ann: Scribe) -> None:
    def pages() -> int:
        with database.reading() as connection:
            return connection.execute("SELECT count(*) FROM dbstat WHERE name = 'cells'").get

    memories = [ann.remember(f"Note {number:03} " + "x" * 500) for number in range(40)]
    full = pages()
    for memory in memories:
        ann.forget(memory)
        ann.remember(memory.content.replace("x", "y"))
    assert pages() == full
