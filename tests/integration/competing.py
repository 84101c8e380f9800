"""What competing processes do to one store. Each reports what it did through its queue."""

from dataclasses import replace
from multiprocessing.queues import SimpleQueue
from multiprocessing.synchronize import Barrier
from pathlib import Path

from m4a.adapters.sqlite.database import Database
from m4a.adapters.sqlite.log import SqliteLog
from m4a.adapters.sqlite.store import SqliteStore
from m4a.domain.records import Committed, GuardHeld, Moved
from m4a.domain.text import analyse
from tests.contract.building import ANN, Scribe, event, insertion, replacement
from tests.support.doubles import SettableClock

Report = SimpleQueue[tuple[str, object]]


def count_up(path: Path, memory_id: str, times: int, start: Barrier, report: Report) -> None:
    """Raises the number in a memory's text, reading it again whenever another process was faster."""
    database = Database.open(path)
    store, log, scribe = SqliteStore(database), SqliteLog(database, SettableClock()), Scribe(SqliteStore(database))
    start.wait()
    moved = 0
    for _ in range(times):
        while True:
            before = store.get(ANN, [memory_id])[memory_id]
            content = f"Counted to {int(before.content.split()[-1]) + 1}"
            after = scribe.changed(before, content)
            result = store.commit(ANN, replacement(before, after))
            log.append(ANN, event(scribe.tick()))
            if isinstance(result, Committed):
                break
            assert isinstance(result, Moved)
            moved += 1
    database.close()
    report.put(("moved", moved))


def remember_same(path: Path, number: int, texts: int, start: Barrier, report: Report) -> None:
    """Remembers texts that the other processes remember too; reports the id that each text has."""
    database = Database.open(path)
    store, scribe = SqliteStore(database), Scribe(SqliteStore(database))
    start.wait()
    created = 0
    ids: list[str] = []
    for text in range(texts):
        content = f"The same text {text}."
        memory = replace(scribe.memory(content), source=f"process {number}", terms=analyse(content))
        result = store.commit(ANN, insertion(memory))
        assert isinstance(result, Committed | GuardHeld)
        created += isinstance(result, Committed)
        ids.append(result.memory_id if isinstance(result, GuardHeld) else memory.memory_id)
    database.close()
    report.put(("created", created))
    report.put(("ids", ids))


def open_new(path: Path, start: Barrier, report: Report) -> None:
    """Opens a store that does not exist yet, and writes in it."""
    start.wait()
    database = Database.open(path)
    report.put(("key", database.key))
    database.close()
