"""Settings to adapters to service. Each adapter can be replaced by keyword: tests and server call the same function."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING

from m4a.application.indexing import Indexing
from m4a.application.service import Limits, Service
from m4a.domain.times import to_millisecond
from m4a.ports import Clock, Cosines, Embedder, Log, MemoryStore, Outbox, SearchIndex
from m4a.ports.deadline import LimitedPool
from m4a.ports.maintenance import Forgotten, Maintenance
from m4a.settings import Settings, SettingsError

if TYPE_CHECKING:
    from m4a.adapters.opensearch.client import Signing
    from m4a.adapters.opensearch.deployment import Deployment

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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Backends:
    store: MemoryStore
    outbox: Outbox
    log: Log
    index: SearchIndex
    cosines: Cosines
    maintenance: Maintenance
    forgotten: Forgotten
    indexing: Indexing | None = None
    close: Callable[[], None] = field(default=lambda: None)
    indexed_model: Callable[[], str | None] = field(default=lambda: None)


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
    """The profile that the settings name, except for what is given by keyword. Raises Unusable for a backend that can't
    be used as it is."""
    clock = clock or SystemClock()
    replaced = embedder is not None
    embedder = embedder or load_embedder(settings)
    backends = _aws(settings, clock) if settings.profile == "aws" else _embedded(settings, clock)
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
        query_embedder=None if replaced else _QueryEmbedder(settings, embedder, backends.indexed_model),
        metrics_namespace=settings.metrics_namespace,
    )
    watched = _timed(service) if settings.metrics_namespace else service
    return Operator(watched, backends.maintenance, backends.forgotten, backends.indexing)


def _timed(service: Service) -> Service:
    """The same service, whose ports tell how long they take."""
    from m4a.adapters.timing import TimedEmbedder, TimedIndex, TimedLog, TimedOutbox, TimedStore

    ask = service.query_embedder
    return replace(
        service,
        store=TimedStore(service.store),
        outbox=TimedOutbox(service.outbox),
        log=TimedLog(service.log),
        index=TimedIndex(service.index),
        embedder=TimedEmbedder(service.embedder),
        query_embedder=(lambda: TimedEmbedder(ask())) if ask else None,
    )


def load_embedder(settings: Settings) -> Embedder:
    """The model of the profile; of the embedded one, in memory. Raises ModelUnusable or SettingsError."""
    if settings.profile == "aws":
        from m4a.adapters.bedrock.client import bedrock_client
        from m4a.adapters.bedrock.embedder import BedrockEmbedder
        from m4a.adapters.bedrock.models import MODELS

        model = MODELS.get(settings.embedding_model)
        if model is None:
            raise SettingsError(f"M4A_EMBEDDING_MODEL: is not one of {', '.join(MODELS)}")
        return BedrockEmbedder(bedrock_client(settings.region or "", settings.bedrock_url), model)
    from m4a.adapters.onnx import OnnxEmbedder

    return OnnxEmbedder.load()


class _QueryEmbedder:
    """The embedder of the model whose vectors the index holds: another than the configured one until a reindex."""

    def __init__(self, settings: Settings, configured: Embedder, indexed_model: Callable[[], str | None]) -> None:
        self._settings = settings
        self._configured = configured
        self._indexed_model = indexed_model
        self._by_model = {configured.model: configured}

    def __call__(self) -> Embedder:
        model = self._indexed_model()
        if model is not None and model not in self._by_model:
            self._by_model[model] = self._load(model)
        return self._by_model.get(model or "", self._configured)

    def _load(self, model: str) -> Embedder:
        from m4a.adapters.bedrock.models import BY_NAME

        known = BY_NAME.get(model)
        if known is None:
            return self._configured
        return load_embedder(self._settings.model_copy(update={"embedding_model": known.invoke_id}))


def _embedded(settings: Settings, clock: Clock) -> _Backends:
    from m4a.adapters.numpy_cosines import cosines
    from m4a.adapters.sqlite.database import Database
    from m4a.adapters.sqlite.forgotten import SqliteForgotten
    from m4a.adapters.sqlite.index import SqliteIndex
    from m4a.adapters.sqlite.log import SqliteLog
    from m4a.adapters.sqlite.maintenance import SqliteMaintenance
    from m4a.adapters.sqlite.outbox import EmptyOutbox
    from m4a.adapters.sqlite.store import SqliteStore

    database = Database.open(settings.db_path)
    return _Backends(
        store=SqliteStore(database),
        outbox=EmptyOutbox(),
        log=SqliteLog(database, clock),
        index=SqliteIndex(database),
        cosines=cosines,
        maintenance=SqliteMaintenance(database),
        forgotten=SqliteForgotten(database),
        close=database.close,
    )


def _aws(settings: Settings, clock: Clock) -> _Backends:
    from m4a.adapters.bedrock.models import MODELS
    from m4a.adapters.dynamodb.client import client_from
    from m4a.adapters.dynamodb.forgotten import DynamoForgotten
    from m4a.adapters.dynamodb.index_state import DynamoIndexState
    from m4a.adapters.dynamodb.log import DynamoLog
    from m4a.adapters.dynamodb.maintenance import DynamoMaintenance
    from m4a.adapters.dynamodb.outbox import DynamoOutbox
    from m4a.adapters.dynamodb.store import DynamoStore
    from m4a.adapters.dynamodb.table import Table
    from m4a.adapters.dynamodb.truth import DynamoTruth
    from m4a.adapters.opensearch.client import connect
    from m4a.adapters.opensearch.generations import OpenSearchGenerations
    from m4a.adapters.opensearch.index import OpenSearchIndex
    from m4a.adapters.opensearch.writer import OpenSearchWriter
    from m4a.domain.vectors import cosines

    table = Table(client_from(settings.region or "", settings.dynamodb_url), settings.table or "", clock=clock)
    deployment = _deployment(settings)
    search = connect(settings.search_url or "", _signing(settings, deployment))
    state = DynamoIndexState(table)
    maintenance = DynamoMaintenance(table)
    indexing = Indexing(
        truth=DynamoTruth(table),
        writer=OpenSearchWriter(search, settings.index_prefix, deployment),
        filler=lambda number: OpenSearchWriter(search, settings.index_prefix, deployment, filling=number),
        admin=OpenSearchGenerations(search, settings.index_prefix, deployment),
        state=state,
        outbox=maintenance,
        dimensions=MODELS[settings.embedding_model].dimensions,
    )
    index = OpenSearchIndex(search, settings.index_prefix, deployment, expected=state.recent)
    return _Backends(
        store=DynamoStore(table),
        outbox=DynamoOutbox(table),
        log=DynamoLog(table),
        index=index,
        cosines=cosines,
        maintenance=maintenance,
        forgotten=DynamoForgotten(table),
        indexing=indexing,
        indexed_model=lambda: index.model,
    )


def _deployment(settings: Settings) -> "Deployment":
    from m4a.adapters.opensearch.deployment import local_node, managed_domain, serverless

    if settings.search_service == "serverless":
        from m4a.adapters.opensearch.collections import refuse_classic_at

        refuse_classic_at(settings.search_url or "", settings.region or "")
        return serverless()
    if settings.search_service == "node":
        return local_node()
    return managed_domain(
        engine=settings.search_engine,
        shards=settings.search_shards,
        replicas=settings.search_replicas,
        segment_replication=settings.segment_replication,
    )


def _signing(settings: Settings, deployment: "Deployment") -> "Signing | None":
    from m4a.adapters.aws_credentials import credentials
    from m4a.adapters.opensearch.client import Signing

    if settings.search_service == "node":
        return None
    return Signing(credentials(), settings.region or "", deployment.service)


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
