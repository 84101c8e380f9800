"""The ports that the use cases work with, gathered once by ``bootstrap``."""

from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass

from m4a.ports import Clock, Cosines, Embedder, Log, MemoryStore, Outbox, SearchIndex

PAGE_SHARE = 0.75
"""The part of the time that is left in which a long operation begins new work; the rest is for what it has begun."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How long the parts of an operation may take, in seconds, and how much a bounded scan may read."""

    query_embedding_s: float = 2.0
    document_embedding_s: float = 5.0
    similar_s: float = 0.3
    trace_s: float = 2.0
    page_s: float = 20.0
    scan_memories: int = 1_000
    outbox_entries: int = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """Everything a use case needs. ``pool`` runs what has a time limit; ``close`` ends it all."""

    store: MemoryStore
    outbox: Outbox
    log: Log
    index: SearchIndex
    embedder: Embedder
    clock: Clock
    cosines: Cosines
    pool: Executor
    close: Callable[[], None]
    limits: Limits = Limits()
    tenant_claim: str | None = None
    query_embedder: Callable[[], Embedder] | None = None
    """The embedder of the model whose vectors the index holds, where that can be another than the configured one."""
    issuer: str | None = None
    resource_url: str | None = None
    metrics_namespace: str | None = None
    attempts: int = 5
    """How often a write is tried again when another one came between."""
