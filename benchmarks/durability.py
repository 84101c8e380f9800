"""Kills a writing process again and again, and looks for answered writes that are lost and changes left in part.

    python -m benchmarks.durability [--runs 20] [--writes 1000]

Each run starts a process that remembers, updates and forgets in one SQLite store, kills it by SIGKILL at a random
moment of about ``--writes`` writes, and opens the store again. All runs share the store. The exit status is 1 if
anything was lost or half written. What a loss of power does is not measured: that would need the machine's power.
"""

import argparse
import random
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path

from benchmarks.consistency import half_written
from benchmarks.durable_writer import Answered, owner_of, write_until_killed
from benchmarks.report import console, progress, write_results
from m4a.adapters.sqlite.database import Database
from m4a.adapters.sqlite.store import SqliteStore
from m4a.domain.owner import Owner

_START_TIMEOUT_S = 60
_MOMENT_S = 0.005
"""The kill comes within this time after an answer, so that it meets every part of the next write."""


@dataclass(slots=True)
class Toll:
    """What the runs found so far."""

    runs: int = 0
    answered: int = 0
    lost: int = 0
    half_written: int = 0

    def __str__(self) -> str:
        return (
            f"durability: runs={self.runs} answered={self.answered} lost={self.lost} half_written={self.half_written}"
        )


def kill_a_writer(path: Path, seed: int, writes: int) -> list[Answered]:
    """Runs a writer, kills it after at most about ``writes`` writes, and returns what it had answered."""
    chance = random.Random(seed)
    receiver, sender = get_context("spawn").Pipe(duplex=False)
    process = get_context("spawn").Process(target=write_until_killed, args=(path, seed, sender))
    process.start()
    sender.close()
    answered: list[Answered] = []
    if receiver.poll(_START_TIMEOUT_S):
        answered += [receiver.recv() for _ in range(chance.randrange(1, writes))]
    time.sleep(chance.uniform(0, _MOMENT_S))
    process.kill()
    answered += _rest(receiver)
    process.join()
    process.close()
    return answered


def _rest(receiver: Connection) -> list[Answered]:
    """What was sent before the end."""
    rest: list[Answered] = []
    with receiver:
        while True:
            try:
                rest.append(receiver.recv())
            except (EOFError, OSError):
                return rest


def lost_writes(database: Database, owner: Owner, answered: list[Answered]) -> list[str]:
    """Ids of memories whose last answered write does not show."""
    last = {memory_id: (kind, rev) for kind, memory_id, rev in answered}
    stored = SqliteStore(database).get(owner, list(last))
    gone = {memory_id for memory_id in last if memory_id not in stored}
    with database.reading() as connection:
        forgotten = {memory_id for (memory_id,) in connection.execute("SELECT memory_id FROM receipts")}
    # The write after the last answer may show or not: it may have raised the rev, or forgotten a memory.
    return [
        memory_id
        for memory_id, (kind, rev) in last.items()
        if (memory_id in gone and memory_id not in forgotten)
        or (memory_id in stored and (kind == "forgotten" or stored[memory_id].rev < rev))
    ]


def run_once(path: Path, seed: int, writes: int, toll: Toll) -> None:
    """One writer, killed, and the store looked over."""
    answered = kill_a_writer(path, seed, writes)
    database = Database.open(path)
    try:
        toll.runs += 1
        toll.answered += len(answered)
        toll.lost += len(lost_writes(database, owner_of(seed), answered))
        toll.half_written += len(half_written(database))
    finally:
        database.close()


def main() -> int:
    """Returns the exit status."""
    parser = argparse.ArgumentParser(description="Kill writers and look for lost writes.")
    parser.add_argument("--runs", type=int, default=20, help="writers to kill (default 20)")
    parser.add_argument("--writes", type=int, default=1_000, help="writes of one at most, about (default 1000)")
    arguments = parser.parse_args()
    toll = Toll()
    with tempfile.TemporaryDirectory() as folder, progress() as bar:
        task = bar.add_task("killing writers", total=arguments.runs)
        for seed in range(arguments.runs):
            run_once(Path(folder) / "memories.db", seed, arguments.writes, toll)
            bar.advance(task)
    write_results("durability", asdict(toll))
    console.print(str(toll), highlight=False)
    return 1 if toll.lost or toll.half_written else 0


if __name__ == "__main__":
    sys.exit(main())
