"""A search index that is filled from scratch, and what it takes up."""

import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from opensearchpy import OpenSearch

from m4a.adapters.opensearch.client import connect
from m4a.adapters.opensearch.deployment import local_node
from m4a.adapters.opensearch.generations import OpenSearchGenerations
from m4a.adapters.opensearch.index import OpenSearchIndex
from m4a.adapters.opensearch.names import Names
from m4a.adapters.opensearch.writer import OpenSearchWriter
from m4a.domain.errors import Throttled
from m4a.domain.text import RULES
from m4a.ports.indexing import ExpectedState, IndexEntry, Marker, WriteResult

_BATCH = 500
_WRITERS = 2
_BULK = replace(local_node(refresh_interval="5s"), waits_for_refresh=False)
"""Without waiting for each bulk to become searchable, which is what a running system does and a first load need not."""
_PATIENCE_S = 60.0


@dataclass(frozen=True, slots=True)
class Size:
    """What an index and its node take up. Memory and disk in MB; ``heap``: used at this moment."""

    entries: int
    segments: int
    disk: float
    resident: float
    heap: float


class FilledIndex:
    """One generation under a prefix of its own, on a node that may hold others."""

    def __init__(self, address: str, prefix: str, model: str, dimensions: int) -> None:
        self._loading = connect(address, timeout_s=_PATIENCE_S)
        self._model = model
        self._name = Names(prefix).index(1)
        self._admin = OpenSearchGenerations(self._loading, prefix, _BULK)
        self._writer = OpenSearchWriter(self._loading, prefix, _BULK)
        self._admin.create_generation(1, model, dimensions)
        self.index = OpenSearchIndex(connect(address), prefix, local_node(), expected=lambda: ExpectedState(1, 1))

    def add(self, entries: Iterable[IndexEntry], advance: Callable[[int], object]) -> float:
        """Writes them and returns when all are searchable and merged; answers entries a second."""
        start, iterator, count = time.perf_counter(), iter(entries), 0
        with ThreadPoolExecutor(_WRITERS) as pool:
            while rounds := [batch for _ in range(_WRITERS) if (batch := list(islice(iterator, _BATCH)))]:
                for written in pool.map(self._write, rounds):
                    advance(written)
                    count += written
        self._admin.set_marker(Marker(generation=1, rules=RULES, model=self._model, complete=True, beat=1))
        self._admin.promote(1)
        self._loading.indices.refresh(index=self._name)
        rate = count / (time.perf_counter() - start)
        self._settle()
        return rate

    def size(self) -> Size:
        stats: Any = self._loading.indices.stats(index=self._name)["_all"]["primaries"]
        return Size(
            entries=stats["docs"]["count"] - 1,  # the marker
            segments=stats["segments"]["count"],
            disk=stats["store"]["size_in_bytes"] / 1e6,
            resident=_resident(self._loading),
            heap=_heap(self._loading),
        )

    def _write(self, batch: Sequence[IndexEntry]) -> int:
        while True:
            try:
                results = self._writer.write(batch)
            except Throttled:
                time.sleep(1)
                continue
            if set(results) != {WriteResult.ACCEPTED}:
                raise RuntimeError("the index did not take all entries")
            return len(batch)

    def _settle(self) -> None:
        """Waits until nothing is merged any more: merges take the processor from what is measured."""
        quiet = 0
        while quiet < 3:
            merges: Any = self._loading.indices.stats(index=self._name, metric="merge")["_all"]["primaries"]["merges"]
            quiet = quiet + 1 if merges["current"] == 0 else 0
            time.sleep(0.5)


def _resident(client: OpenSearch) -> float:
    """MB of memory of the node's process, mapped files that are in memory included."""
    pid = int(client.info()["name"].rpartition("-")[2])
    line = next(one for one in Path(f"/proc/{pid}/status").read_text().splitlines() if one.startswith("VmRSS:"))
    return int(line.split()[1]) / 1e3


def _heap(client: OpenSearch) -> float:
    (node,) = client.nodes.stats(metric="jvm")["nodes"].values()
    return node["jvm"]["mem"]["heap_used_in_bytes"] / 1e6
