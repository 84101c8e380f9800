"""Several processes on one file: nothing lost, nothing twice, no caller told that it is busy; also when killed."""

from collections.abc import Callable
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

from benchmarks.consistency import half_written
from benchmarks.durability import Toll, lost_writes, run_once
from m4a.adapters.sqlite.database import Database
from m4a.adapters.sqlite.store import SqliteStore
from m4a.domain.memory import Filters
from tests.contract.building import ANN, START, Scribe
from tests.integration.competing import count_up, open_new, remember_same

PROCESSES = 2
TIMES = 250
KILLS = 5
WRITES = 200


def run_together(target: Callable[..., None], arguments: list[tuple[Any, ...]], reports: int) -> list[tuple[str, Any]]:
    """Starts a process for each tuple of arguments, all at once, and returns what they report."""
    context = get_context("spawn")
    start, report = context.Barrier(len(arguments)), context.SimpleQueue()
    processes = [context.Process(target=target, args=(*one, start, report)) for one in arguments]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0] * len(processes)
    return [report.get() for _ in range(reports)]


def test_no_update_of_two_processes_is_lost(path: Path, database: Database, store: SqliteStore, ann: Scribe) -> None:
    memory = ann.remember("Counted to 0")
    reports = run_together(count_up, [(path, memory.memory_id, TIMES)] * PROCESSES, PROCESSES)
    assert sum(moved for _, moved in reports) > 0  # so they did get into each other's way
    after = store.get(ANN, [memory.memory_id])[memory.memory_id]
    assert after.content == f"Counted to {PROCESSES * TIMES}"
    assert (after.version, after.rev) == (PROCESSES * TIMES + 1,) * 2
    assert half_written(database) == []


def test_a_text_that_two_processes_remember_is_stored_once(path: Path, database: Database, store: SqliteStore) -> None:
    reports = run_together(remember_same, [(path, number, TIMES) for number in range(PROCESSES)], 2 * PROCESSES)
    assert sum(value for name, value in reports if name == "created") == TIMES
    first, *others = [value for name, value in reports if name == "ids"]
    assert all(other == first for other in others)
    stored = store.list(ANN, Filters(), START, None, 2 * TIMES).items
    assert {memory.memory_id for memory in stored} == set(first)
    assert half_written(database) == []


def test_processes_that_open_a_new_store_at_once_open_the_same(path: Path) -> None:
    reports = run_together(open_new, [(path,)] * 4, 4)
    assert len({key for _, key in reports}) == 1


def test_a_killed_writer_loses_no_answered_write_and_leaves_none_in_part(path: Path) -> None:
    toll = Toll()
    for seed in range(KILLS):
        run_once(path, seed, WRITES, toll)
    assert toll.answered > KILLS
    assert (toll.runs, toll.lost, toll.half_written) == (KILLS, 0, 0)


SABOTAGE = {
    "posting gone": "DELETE FROM postings WHERE token = (SELECT min(token) FROM postings)",
    "posting left": "DELETE FROM memories WHERE no = 1",
    "cell gone": "DELETE FROM cells WHERE no = 1",
    "cell not free": "DELETE FROM free_cells",
    "event gone": "DELETE FROM audit",
    "memory back": "UPDATE receipts SET memory_id = (SELECT memory_id FROM memories)",
    "key alone": "INSERT INTO keys SELECT NULL, owner_no, x'00', x'00', 'nothing', 0 FROM memories",
}


@pytest.mark.parametrize("sabotage", SABOTAGE.values(), ids=SABOTAGE)
def test_a_change_in_part_would_be_noticed(database: Database, ann: Scribe, sabotage: str) -> None:
    ann.update(ann.remember("One."), "Two.")
    ann.forget(ann.remember("Three."))
    assert half_written(database) == []
    with database.writing() as connection:
        connection.execute(sabotage)
    assert half_written(database) != []


def test_a_lost_write_would_be_noticed(database: Database, ann: Scribe) -> None:
    memory = ann.remember("One.")
    assert lost_writes(database, ann.owner, [("written", memory.memory_id, 1)]) == []
    assert lost_writes(database, ann.owner, [("written", memory.memory_id, 2)]) == [memory.memory_id]
    assert lost_writes(database, ann.owner, [("forgotten", memory.memory_id, 1)]) == [memory.memory_id]
    assert lost_writes(database, ann.owner, [("written", "01ARZ3NDEKTSV4RRFFQ69G5FAV", 1)]) != []
