"""The search index on OpenSearch over a store, for the contract of ``SearchIndex``."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from opensearchpy import OpenSearch

from m4a.adapters.opensearch.deployment import local_node
from m4a.adapters.opensearch.generations import OpenSearchGenerations
from m4a.adapters.opensearch.index import OpenSearchIndex
from m4a.adapters.opensearch.writer import OpenSearchWriter
from m4a.domain.memory import Filters, Memory
from m4a.domain.owner import Owner
from m4a.domain.text import RULES
from m4a.ports import MemoryStore
from m4a.ports.indexing import ExpectedState, IndexEntry, Marker, WriteResult
from tests.contract.building import ANN, BOB, MODEL
from tests.contract.conftest import Backend, sqlite_backend

DEPLOYMENT = local_node(refresh_interval="50ms")
_BEFORE_ANY_EXPIRY = datetime(1970, 1, 1, tzinfo=UTC)
_USUAL_SIZE = 3


@contextmanager
def opensearch_backend(folder: Path, client: OpenSearch, prefix: str) -> Generator[Backend]:
    """The SQLite store, searched through an index of its own on the node."""
    with sqlite_backend(folder) as backend:
        index = OpenSearchIndex(client, prefix, DEPLOYMENT, expected=lambda: ExpectedState(1, 1))
        yield replace(backend, index=index, make_searchable=_Copy(backend.store, client, prefix).update)


class _Copy:
    """Brings the index up to the store: what the indexer does, for two owners."""

    def __init__(self, store: MemoryStore, client: OpenSearch, prefix: str) -> None:
        self._store = store
        self._admin = OpenSearchGenerations(client, prefix, DEPLOYMENT)
        self._writer = OpenSearchWriter(client, prefix, DEPLOYMENT)
        self._copied: dict[tuple[str, str], int] = {}

    def update(self) -> None:
        present = {(owner.key, one.memory_id): one for owner in (ANN, BOB) for one in self._all(owner)}
        if not self._admin.exists():
            self._create(list(present.values()))
        changed = [key for key, memory in present.items() if self._copied.get(key) != memory.rev]
        gone = self._copied.keys() - present.keys()
        entries = [_entry(key, present.get(key)) for key in [*changed, *gone]]
        assert set(self._writer.write(entries)) <= {WriteResult.WRITTEN}
        self._copied = {key: memory.rev for key, memory in present.items()}

    def _create(self, memories: list[Memory]) -> None:
        """For vectors of the size of the oldest memory's."""
        sizes = [len(one.embedding.data) // 2 for one in memories if one.embedding]
        self._admin.create_generation(1, MODEL, sizes[-1] if sizes else _USUAL_SIZE)
        self._admin.set_marker(Marker(generation=1, rules=RULES, model=MODEL, complete=True, beat=1))
        self._admin.promote(1)

    def _all(self, owner: Owner) -> list[Memory]:
        memories: list[Memory] = []
        cursor: str | None = None
        while True:
            page = self._store.list(owner, Filters(), _BEFORE_ANY_EXPIRY, cursor, 500)
            memories += page.items
            cursor = page.next
            if cursor is None:
                return memories


def _entry(key: tuple[str, str], memory: Memory | None) -> IndexEntry:
    return IndexEntry(owner_key=key[0], memory_id=key[1], rev=memory.rev if memory else 0, memory=memory)
