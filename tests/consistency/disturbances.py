"""What happens to the indexer, the index, the sweep and the embedder while users are at work."""

import random
from collections import Counter
from collections.abc import Mapping
from threading import Event

from m4a.application.index_upkeep import rebuild
from m4a.application.sweeping import sweep_pass
from m4a.domain.errors import Throttled, Unavailable
from tests.consistency.bench import Bench
from tests.consistency.disturbing import Gate, all_due, disturbed
from tests.consistency.indexer import Indexer

_WEIGHTS: Mapping[str, int] = {
    "slow": 3,
    "pause": 3,
    "kill_and_rewind": 2,
    "kill_and_go_on": 3,
    "overlap": 2,
    "sweep": 3,
    "slow_sweep": 2,
    "embedder_down": 1,
    "reindex": 1,
}
_SWEEP_S = 0.5


class Disturber:
    """One after the other at random, with a moment of peace between, until ``stop``. ``counted``: how often each."""

    def __init__(self, bench: Bench, indexer: Indexer, chance: random.Random) -> None:
        self.counted: Counter[str] = Counter()
        self._bench = bench
        self._indexer = indexer
        self._chance = chance
        self._stopped = Event()

    def run(self) -> None:
        while not self._stopped.is_set():
            self._wait()
            (kind,) = self._chance.choices(list(_WEIGHTS), list(_WEIGHTS.values()))
            try:
                getattr(self, f"_{kind}")()
            except (Throttled, Unavailable):
                continue  # other writers came first; what is undone the next one does
            self.counted[kind] += 1

    def stop(self) -> None:
        self._stopped.set()

    def _wait(self, most: float = 0.4) -> None:
        self._stopped.wait(self._chance.uniform(0.05, most))

    def _slow(self) -> None:
        gate = self._indexer.life.gate
        gate.delay = self._chance.uniform(0.01, 0.1)
        self._wait()
        gate.delay = 0.0

    def _pause(self) -> None:
        gate = self._indexer.life.gate
        gate.hold()
        self._wait()
        gate.release()

    def _kill_and_rewind(self) -> None:
        self._indexer.restart(from_beginning=True)

    def _kill_and_go_on(self) -> None:
        self._indexer.restart(from_beginning=False)

    def _overlap(self) -> None:
        self._indexer.overlap()
        self._wait()
        self._indexer.release_former()
        self._wait()
        self._indexer.end_former()

    def _sweep(self) -> None:
        self._sweep_behind(Gate())

    def _slow_sweep(self) -> None:
        gate = Gate()
        gate.delay = self._chance.uniform(0.01, 0.1)
        self._sweep_behind(gate)

    def _sweep_behind(self, gate: Gate) -> None:
        operator = self._bench.operator
        sweep_pass(operator.service, operator.maintenance, all_due(disturbed(self._bench.indexing, gate)), _SWEEP_S)

    def _embedder_down(self) -> None:
        self._bench.embedder.mode = "down"
        self._wait()
        self._bench.embedder.mode = "up"

    def _reindex(self) -> None:
        operator = self._bench.operator
        for _ in rebuild(operator.service, self._bench.indexing, operator.maintenance):
            pass
