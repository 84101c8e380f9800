"""Embedding with a time limit: a failure is a reason to go on without, never to fail."""

from collections.abc import Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeoutError
from time import monotonic

from m4a.application.service import Service
from m4a.domain.errors import Throttled, Unavailable
from m4a.domain.memory import Embedding
from m4a.domain.search import Degraded
from m4a.ports import Embedder, Purpose
from m4a.ports.deadline import share, time_limit

QUERY_NOT_EMBEDDED = Degraded(
    "embedder_unavailable", "The embedding model did not answer: memories were searched by words alone."
)
CONTENT_NOT_EMBEDDED = Degraded(
    "embedding_pending",
    "The embedding model did not answer: the memory is stored and found by words now, by meaning once it is embedded.",
)
PROBE = "memory"
"""A text that every model takes: what refuses this too is down."""


class PendingEmbedding:
    """An embedding under way in the pool, for at most so many seconds from now."""

    def __init__(
        self,
        service: Service,
        texts: Sequence[str],
        purpose: Purpose,
        seconds: float,
        embedder: Embedder | None = None,
    ) -> None:
        embed = (embedder or service.embedder).embed
        self._stop = monotonic() + seconds
        with time_limit(seconds):
            self._future: Future[list[Embedding]] = service.pool.submit(embed, texts, purpose)

    def wait(self) -> list[Embedding] | None:
        """The embeddings, or None if the embedder failed or took longer."""
        try:
            return self._future.result(timeout=max(0.0, self._stop - monotonic()))
        except (FutureTimeoutError, Unavailable, Throttled):
            self._future.cancel()
            return None


def embed_document(service: Service, text: str) -> Embedding | None:
    """The embedding of one memory's text, or None if the embedder failed or was too slow."""
    longest = share(service.limits.document_embedding_s)
    embeddings = PendingEmbedding(service, [text], "document", longest).wait()
    return embeddings[0] if embeddings else None


def embed_documents(embedder: Embedder, texts: Sequence[str]) -> Sequence[Embedding | None] | None:
    """The embedding of each text, None for one that the model does not take though it takes others; None instead of all
    if it takes nothing now, or none any more. No time limit: for work in the background."""
    try:
        return embedder.embed(texts, "document")
    except Throttled:
        return None
    except Unavailable:
        return _one_by_one(embedder, texts)


def _one_by_one(embedder: Embedder, texts: Sequence[str]) -> Sequence[Embedding | None] | None:
    """Asks for the probe where a first text fails, so that not each of them is asked for in vain; and at the end once
    more, for a model that goes down meanwhile has refused none of the rest."""
    found: list[Embedding | None] = []
    for text in texts:
        try:
            found += embedder.embed([text], "document")
        except Throttled:
            return None
        except Unavailable:
            if None not in found and not _takes(embedder, PROBE):
                return None
            found.append(None)
    if found and found[-1] is None and not _takes(embedder, PROBE):
        return None
    return found


def _takes(embedder: Embedder, text: str) -> bool:
    try:
        embedder.embed([text], "document")
    except (Throttled, Unavailable):
        return False
    return True
