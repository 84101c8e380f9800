"""Settings to adapters to service. Each adapter can be replaced by keyword: tests and server call the same function."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache

from m4a.application.service import Limits, Service
from m4a.domain.times import to_millisecond
from m4a.ports import Clock, Cosines, Embedder, Log, MemoryStore, Outbox, SearchIndex
from m4a.ports.maintenance import Maintenance
from m4a.settings import Settings

POOL_THREADS = 16


class SystemClock:
    """The machine's time."""

    def now(self) -> datetime:
        return to_millisecond(datetime.now(UTC))


@dataclass(frozen=True, slots=True)
class Operator:
    """A service together with what reaches across owners: for the sweep and for operator commands."""

    service: Service
    maintenance: Maintenance


def build_operator(
    settings: Settings,
    *,
    store: MemoryStore | None = None,
    outbox: Outbox | None = None,
    log: Log | None = None,
    index: SearchIndex | None = None,
    embedder: Embedder | None = None,
    clock: Clock | None = None,
    cosines: Cosines | None = None,
    limits: Limits | None = None,
) -> Operator:
    """The embedded profile: one SQLite file and the ONNX model, except for what is given by keyword."""
    from m4a.adapters.numpy_cosines import cosines as numpy_cosines
    from m4a.adapters.sqlite.database import Database
    from m4a.adapters.sqlite.index import SqliteIndex
    from m4a.adapters.sqlite.log import SqliteLog
    from m4a.adapters.sqlite.maintenance import SqliteMaintenance
    from m4a.adapters.sqlite.outbox import EmptyOutbox
    from m4a.adapters.sqlite.store import SqliteStore

    embedder = embedder or load_embedder()
    database = Database.open(settings.db_path)
    pool = ThreadPoolExecutor(POOL_THREADS, thread_name_prefix="m4a")

    def close() -> None:
        pool.shutdown(wait=True, cancel_futures=True)
        database.close()

    clock = clock or SystemClock()
    service = Service(
        store=store or SqliteStore(database),
        outbox=outbox or EmptyOutbox(),
        log=log or SqliteLog(database, clock),
        index=index or SqliteIndex(database),
        embedder=embedder,
        clock=clock,
        cosines=cosines or numpy_cosines,
        pool=pool,
        close=close,
        limits=limits or Limits(),
        tenant_claim=settings.tenant_claim,
        issuer=settings.issuer,
        resource_url=settings.resource_url,
    )
    return Operator(service, SqliteMaintenance(database))


def load_embedder() -> Embedder:
    """The model of the embedded profile, in memory. Raises ModelUnusable."""
    from m4a.adapters.onnx import OnnxEmbedder

    return OnnxEmbedder.load()


@lru_cache(1)
def settings() -> Settings:
    """The settings of this process, read from its environment on first use. Raises SettingsError."""
    return Settings.load()


@lru_cache(1)
def service() -> Service:
    """The service of this process, made from its settings on first use."""
    return build_operator(settings()).service
