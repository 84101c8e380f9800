"""What the table says of the search index."""

import threading
import time
from collections.abc import Callable

from m4a.adapters.dynamodb.keys import INDEX_STATE
from m4a.adapters.dynamodb.table import Table
from m4a.ports.indexing import ExpectedState

COPY_S = 60.0


class DynamoIndexState:
    """Implements ``IndexState``. ``clock``: seconds that never go back."""

    def __init__(self, table: Table, clock: Callable[[], float] = time.monotonic) -> None:
        self._table = table
        self._clock = clock
        self._lock = threading.Lock()
        self._copy: tuple[float, ExpectedState] | None = None

    def read(self) -> ExpectedState | None:
        item = self._table.get(INDEX_STATE) or {}
        return ExpectedState(item["generation"], item["beat"]) if "generation" in item else None

    def write(self, state: ExpectedState) -> None:
        self._table.update(INDEX_STATE, {"generation": state.generation, "beat": state.beat})

    def recent(self) -> ExpectedState | None:
        with self._lock:
            if self._copy and self._clock() - self._copy[0] < COPY_S:
                return self._copy[1]
        state = self.read()
        with self._lock:
            self._copy = (self._clock(), state) if state else None
        return state
