"""Runs one history: users at work, the indexer disturbed all the while."""

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from threading import Barrier

from m4a.application.index_upkeep import sweep_outbox
from m4a.domain.errors import Throttled, Unavailable
from m4a.domain.owner import Owner
from tests.consistency.bench import Bench, Place, bench
from tests.consistency.disturbances import Disturber
from tests.consistency.disturbing import all_due, hesitant
from tests.consistency.history import Operation, Recorder
from tests.consistency.indexer import Indexer
from tests.consistency.workload import WHOLE, Known, Thread, Words, recall

USERS = 4
THREADS = 2
"""For each user."""
_CATCH_UP_ROUNDS = 20
_HALF_TIME_S = 120.0


@dataclass(frozen=True, slots=True)
class Run:
    """What happened. ``disturbances``: how often each. ``proposed``: memories that ``index`` and ``outbox`` brought."""

    history: Sequence[Operation]
    disturbances: Counter[str]
    proposed: Mapping[str, int]


def run_history(at: Place, seed: int, operations: int) -> Run:
    """About ``operations`` of them; then the indexer catches up, and each user recalls once from the index alone."""
    with bench(at) as one:
        indexer = Indexer(at.streams, one.table, one.indexing)
        disturber = Disturber(one, indexer, random.Random(seed))
        recorder = Recorder(hesitant(one.operator.service, random.Random(seed)))
        users = [Known(f"user-{number}") for number in range(USERS)]
        words = Words()
        threads = [
            Thread(recorder, users[number % USERS], users[(number + 1) % USERS], words, 1_000 * seed + number)
            for number in range(USERS * THREADS)
        ]
        half_time = Barrier(len(threads), partial(_catch_up, one, users), _HALF_TIME_S)
        with ThreadPoolExecutor(len(threads) + 1) as pool:
            disturbing = pool.submit(disturber.run)
            try:
                for done in [pool.submit(thread.run, operations // len(threads), half_time) for thread in threads]:
                    done.result()
            finally:
                disturber.stop()
                disturbing.result()
                indexer.end()
        _catch_up(one, users)
        for each in users:
            recall(recorder, each.user, words.new(), WHOLE)
        return Run(recorder.operations, disturber.counted, one.proposed)


def _catch_up(one: Bench, users: Sequence[Known]) -> None:
    """Settles what waits, by the sweep: what the indexer was killed over must not be lost to it."""
    service = one.operator.service
    owners = [Owner("default", each.user) for each in users]
    for _ in range(_CATCH_UP_ROUNDS):
        with suppress(Throttled, Unavailable):
            for _ in sweep_outbox(all_due(one.indexing), service.clock.now()):
                pass
            if not any(service.outbox.pending(owner, 1) for owner in owners):
                return
    raise AssertionError("the outbox does not get empty")
