"""Snapshots, long listings, what fades from the log, and the backup of the SQLite store."""

import stat
import threading
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from m4a.adapters.sqlite.database import Database, StoreUnusable
from m4a.adapters.sqlite.log import SqliteLog
from m4a.adapters.sqlite.store import MAX_EXAMINED, SqliteStore
from m4a.domain.ids import new_ulid
from m4a.domain.memory import Filters
from m4a.domain.records import Trace
from tests.contract.building import ANN, START, Scribe, event, insertion
from tests.integration.bulk import commit_all
from tests.integration.raw_bytes import found_words
from tests.support.doubles import SettableClock


def test_reads_inside_a_snapshot_see_one_state(store: SqliteStore, log: SqliteLog, ann: Scribe) -> None:
    memory = ann.remember("One.")
    with store.snapshot():
        after = ann.update(memory, "Two.")
        with store.snapshot():
            assert store.get(ANN, [memory.memory_id]) == {memory.memory_id: memory}
        assert store.history(ANN, memory.memory_id) == []
        assert len(log.audit(ANN, None, 10).items) == 1
    assert store.get(ANN, [memory.memory_id]) == {memory.memory_id: after}


def test_a_snapshot_is_its_threads_own(store: SqliteStore, ann: Scribe) -> None:
    memory = ann.remember("One.")
    seen: list[str] = []
    with store.snapshot():
        ann.update(memory, "Two.")
        thread = threading.Thread(
            target=lambda: seen.append(store.get(ANN, [memory.memory_id])[memory.memory_id].content)
        )
        thread.start()
        thread.join()
    assert seen == ["Two."]


def test_a_snapshot_ends_with_an_error_inside_it(store: SqliteStore, ann: Scribe) -> None:
    memory = ann.remember("One.")
    with pytest.raises(RuntimeError), store.snapshot():
        raise RuntimeError("inside")
    after = ann.update(memory, "Two.")
    assert store.get(ANN, [memory.memory_id]) == {memory.memory_id: after}


def test_a_listing_that_finds_nothing_for_long_gives_an_empty_page_and_goes_on(
    database: Database, store: SqliteStore, ann: Scribe
) -> None:
    oldest = ann.remember("The one.", importance="high")
    commit_all(database, ANN, [insertion(ann.memory(f"{number}.", embedding=None)) for number in range(MAX_EXAMINED)])
    first = store.list(ANN, Filters(importance="high"), START, None, 10)
    assert (first.items, first.next is not None) == ((), True)
    second = store.list(ANN, Filters(importance="high"), START, first.next, 10)
    assert (second.items, second.next) == ((oldest,), None)


def test_what_has_faded_from_the_log_is_deleted_in_passing(database: Database, path: Path) -> None:
    clock = SettableClock(START)

    def append(at: datetime) -> None:
        """The first append of a log cleans, later ones now and then."""
        SqliteLog(database, clock, audit_retention=timedelta(days=9)).append(ANN, event(at))

    log = SqliteLog(database, clock)
    for number in range(3):
        trace = Trace(recall_id=new_ulid(START), at=START, body={"n": number}, asked={"query": f"zq00000{number}xv"})
        log.append(ANN, event(START), trace)
    assert left_in(database) == {"audit": 3, "traces": 3, "asked": 3}
    append(START + timedelta(days=7))
    assert left_in(database) == {"audit": 4, "traces": 3, "asked": 0}
    append(START + timedelta(days=9))
    assert left_in(database) == {"audit": 2, "traces": 3, "asked": 0}
    append(START + timedelta(days=30))
    assert left_in(database) == {"audit": 1, "traces": 0, "asked": 0}
    database.close()
    assert found_words(path) == set()


def left_in(database: Database) -> dict[str, int]:
    with database.reading() as connection:
        tables = ("audit", "traces", "asked")
        return {table: connection.execute(f"SELECT count(*) FROM {table}").get for table in tables}


def test_a_backup_is_a_private_store_of_the_moment_it_began(
    database: Database, store: SqliteStore, ann: Scribe, tmp_path: Path
) -> None:
    memories = [ann.remember(f"Note {number}: " + "word " * 700) for number in range(300)]
    steps: list[tuple[int, int]] = []

    def write_meanwhile(done: int, total: int) -> None:
        steps.append((done, total))
        ann.remember(f"Meanwhile {done}.")

    target = tmp_path / "copy.db"
    database.backup(target, write_meanwhile)
    assert len(steps) > 1
    assert steps[-1][0] == steps[-1][1]
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    with closing(Database.open(target)) as copy:
        listed = SqliteStore(copy).list(ANN, Filters(), START, None, 1_000).items
    assert listed == tuple(memories[::-1])
    assert len(store.list(ANN, Filters(), START, None, 1_000).items) == 300 + len(steps)


def test_a_backup_does_not_overwrite_a_file(database: Database, tmp_path: Path) -> None:
    target = tmp_path / "copy.db"
    target.write_text("mine")
    with pytest.raises(StoreUnusable):
        database.backup(target, lambda _done, _total: None)
    assert target.read_text() == "mine"


def test_a_backup_that_fails_leaves_no_file(database: Database, ann: Scribe, tmp_path: Path) -> None:
    ann.remember("One.")

    def give_up(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        database.backup(tmp_path / "copy.db", give_up)
    assert not (tmp_path / "copy.db").exists()
    assert ann.remember("Two.")
