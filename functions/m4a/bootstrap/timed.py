"""A service whose ports tell how long they take."""

from collections.abc import Callable
from dataclasses import replace

from m4a.adapters.timing import TimedEmbedder, TimedIndex, TimedLog, TimedOutbox, TimedStore
from m4a.application.service import Service
from m4a.ports import Embedder, Log, MemoryStore, Outbox, SearchIndex


def timed(service: Service) -> Service:
    """The same service; its times go to the stopwatch of the operation."""
    ask = service.query_embedder
    store: MemoryStore = TimedStore(service.store)  # named, for the types of replace() are not checked
    outbox: Outbox = TimedOutbox(service.outbox)
    log: Log = TimedLog(service.log)
    index: SearchIndex = TimedIndex(service.index)
    embedder: Embedder = TimedEmbedder(service.embedder)
    query_embedder: Callable[[], Embedder] | None = (lambda: TimedEmbedder(ask())) if ask else None
    return replace(
        service,
        store=store,
        outbox=outbox,
        log=log,
        index=index,
        embedder=embedder,
        query_embedder=query_embedder,
    )
