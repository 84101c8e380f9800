"""A service whose ports tell how long they take."""

from dataclasses import replace

from m4a.adapters.timing import TimedEmbedder, TimedIndex, TimedLog, TimedOutbox, TimedStore
from m4a.application.service import Service


def timed(service: Service) -> Service:
    """The same service; its times go to the stopwatch of the operation."""
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
