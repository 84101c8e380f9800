"""The adapters that the contract suites run on: to add one, add its opener to ``BACKENDS``."""

from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from m4a.adapters.sqlite.database import Database
from m4a.adapters.sqlite.forgotten import SqliteForgotten
from m4a.adapters.sqlite.index import SqliteIndex
from m4a.adapters.sqlite.log import SqliteLog
from m4a.adapters.sqlite.maintenance import SqliteMaintenance
from m4a.adapters.sqlite.outbox import EmptyOutbox
from m4a.adapters.sqlite.store import SqliteStore
from m4a.domain.owner import Owner
from m4a.domain.records import Change, CommitResult
from m4a.domain.search import IndexAnswer, IndexQuery
from m4a.ports import Log, MemoryStore, Outbox, SearchIndex
from m4a.ports.maintenance import Forgotten, Maintenance
from tests.contract.building import ANN, BOB, START, Scribe
from tests.support.doubles import SettableClock
from tests.support.dynamodb import open_dynamo


@dataclass(frozen=True)
class Backend:
    """One profile's adapters over one empty store. ``make_searchable`` brings the index up to the store."""

    store: MemoryStore
    outbox: Outbox
    log: Log
    index: SearchIndex
    maintenance: Maintenance
    forgotten: Forgotten
    clock: SettableClock
    make_searchable: Callable[[], None]


@contextmanager
def sqlite_backend(folder: Path) -> Generator[Backend]:
    database = Database.open(folder / "memories.db")
    clock = SettableClock(START)
    yield Backend(
        store=SqliteStore(database),
        outbox=EmptyOutbox(),
        log=SqliteLog(database, clock),
        index=SqliteIndex(database),
        maintenance=SqliteMaintenance(database),
        forgotten=SqliteForgotten(database),
        clock=clock,
        make_searchable=lambda: None,
    )
    database.close()


@contextmanager
def dynamodb_backend(_folder: Path) -> Generator[Backend]:
    with open_dynamo(SettableClock(START)) as dynamo:

        def settle_all() -> None:
            for owner in (ANN, BOB):
                for entry in dynamo.outbox.pending(owner, 1_000):
                    dynamo.outbox.settle(owner, entry)

        yield Backend(
            store=dynamo.store,
            outbox=dynamo.outbox,
            log=dynamo.log,
            index=NoIndex(),
            maintenance=dynamo.maintenance,
            forgotten=dynamo.forgotten,
            clock=dynamo.clock,
            make_searchable=settle_all,
        )


class NoIndex:
    """A search index of its own goes with this store; it is tested by itself."""

    def search(self, owner: Owner, query: IndexQuery) -> IndexAnswer:
        pytest.skip("this store is not searched")


BACKENDS: dict[str, Callable[[Path], AbstractContextManager[Backend]]] = {
    "sqlite": sqlite_backend,
    "dynamodb": dynamodb_backend,
}


@pytest.fixture(params=BACKENDS)
def backend(request: pytest.FixtureRequest, tmp_path: Path) -> Generator[Backend]:
    with BACKENDS[request.param](tmp_path) as opened:
        yield opened


@pytest.fixture
def ann(backend: Backend) -> Scribe:
    """Writes the memories of the owner ``ANN``."""
    return Scribe(backend.store)


@pytest.fixture
def bob(backend: Backend) -> Scribe:
    """Writes the memories of the owner ``BOB``."""
    return Scribe(backend.store, BOB)


def _state_of(backend: Backend, memory_id: str) -> tuple[Any, ...]:
    """All that a commit may change of a memory."""
    return (
        dict(backend.store.get(ANN, [memory_id])),
        list(backend.store.history(ANN, memory_id)),
        dict(backend.log.receipts(ANN, [memory_id])),
        backend.log.audit(ANN, None, 50).items,
    )


def refused(backend: Backend, change: Change) -> CommitResult:
    """The answer to a change, after checking that it changed nothing."""
    before = _state_of(backend, change.memory_id)
    result = backend.store.commit(ANN, change)
    assert _state_of(backend, change.memory_id) == before
    return result
