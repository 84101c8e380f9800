"""Settings to adapters to service. Each adapter can be replaced by keyword: tests and server call the same function.

What a profile is made of stands in modules of its own, imported when it is chosen: so the packages of the others stay
optional, and a function starts with what it needs.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache

from m4a.application.indexing import Indexing
from m4a.application.service import Limits, Service
from m4a.bootstrap.backends import Backends
from m4a.bootstrap.embedders import QueryEmbedder, lazy_embedder, load_embedder
from m4a.domain.times import to_millisecond
from m4a.ports import Clock, Cosines, Embedder, Log, MemoryStore, Outbox, SearchIndex
from m4a.ports.deadline import LimitedPool
from m4a.ports.maintenance import Forgotten, Maintenance
from m4a.settings import Settings

__all__ = [
    "Operator",
    "SystemClock",
    "build_operator",
    "load_embedder",
    "operator",
    "service",
    "settings",
    "sparing_service",
]

POOL_THREADS = 16


class SystemClock:
    """The machine's time."""

    def now(self) -> datetime:
        return to_millisecond(datetime.now(UTC))


@dataclass(frozen=True, slots=True)
class Operator:
    """A service together with what reaches across owners: for the sweep, the indexer and operator commands.

    ``indexing`` is None where store and index are one.
    """

    service: Service
    maintenance: Maintenance
    forgotten: Forgotten
    indexing: Indexing | None = None


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
    sparing: bool = False,
) -> Operator:
    """The profile that the settings name, except for what is given by keyword. Raises Unusable for a backend that can't
    be used as it is.

    ``sparing``: model and search index are loaded when they are first used, if at all, and there is no ``indexing``.
    """
    clock = clock or SystemClock()
    replaced = embedder is not None
    embedder = embedder or (lazy_embedder(settings) if sparing else load_embedder(settings))
    backends = _backends(settings, clock, sparing)
    pool = LimitedPool(POOL_THREADS, thread_name_prefix="m4a")

    def close() -> None:
        pool.shutdown(wait=True, cancel_futures=True)
        backends.close()

    service = Service(
        store=store or backends.store,
        outbox=outbox or backends.outbox,
        log=log or backends.log,
        index=index or backends.index,
        embedder=embedder,
        clock=clock,
        cosines=cosines or backends.cosines,
        pool=pool,
        close=close,
        limits=limits or Limits(),
        tenant_claim=settings.tenant_claim,
        query_embedder=None if replaced else QueryEmbedder(settings, embedder, backends.indexed_model),
        issuer=settings.issuer,
        resource_url=settings.resource_url,
        metrics_namespace=settings.metrics_namespace,
    )
    return Operator(_watched(service), backends.maintenance, backends.forgotten, backends.indexing)


def _backends(settings: Settings, clock: Clock, sparing: bool) -> Backends:
    if settings.profile == "aws":
        from m4a.bootstrap.aws import aws_backends

        return aws_backends(settings, clock, sparing=sparing)
    from m4a.bootstrap.embedded import embedded_backends

    return embedded_backends(settings, clock)


def _watched(service: Service) -> Service:
    """The service, with ports that tell their times where there are metrics to tell them to."""
    if not service.metrics_namespace:
        return service
    from m4a.bootstrap.timed import timed

    return timed(service)


@lru_cache(1)
def settings() -> Settings:
    """The settings of this process, read from its environment on first use. Raises SettingsError."""
    return Settings.load()


@lru_cache(1)
def operator() -> Operator:
    """The service of this process with what reaches across owners, made from its settings on first use."""
    return build_operator(settings())


def service() -> Service:
    """The service of this process, made from its settings on first use."""
    return operator().service


@lru_cache(1)
def sparing_service() -> Service:
    """The same for a function that needs neither model nor search index: they would take half the time of its start."""
    return build_operator(settings(), sparing=True).service
