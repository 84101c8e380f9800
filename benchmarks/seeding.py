"""A store with any number of made-up memories, filled without embedding each of them."""

from collections.abc import Callable
from datetime import timedelta

import numpy as np
from numpy.typing import NDArray

from benchmarks.sentences import Sentences
from m4a.application.remember import Remember, new_memory
from m4a.application.service import Service
from m4a.application.writing import audit_event
from m4a.domain.memory import Embedding
from m4a.domain.owner import Caller, Owner
from m4a.domain.records import Change, Committed

CALLER = Caller(owner=Owner("default", "benchmark"), actor="benchmark", entry_point="benchmark", request_id="benchmark")
EMBEDDED = 500
NOISE = 0.6
"""Length of the noise added to a unit vector: the result has a cosine of about 0.86 to it."""
_AGE_STEP = timedelta(minutes=7)


class Seeder:
    """Commits a caller's memories, whose vectors are drawn around those of ``EMBEDDED`` really embedded sentences."""

    def __init__(self, service: Service, sentences: Sentences, caller: Caller = CALLER) -> None:
        self._service = service
        self._sentences = sentences
        self._caller = caller
        self._noise = np.random.default_rng(7)
        texts = [sentences.statement(topic) for topic in range(EMBEDDED)]
        embedded = service.embedder.embed(texts, "document")
        self._centres = np.stack([np.frombuffer(one.data, "<f2").astype(np.float64) for one in embedded])

    def vectors(self, count: int) -> NDArray[np.float32]:
        """(count, dimensions): unit vectors such as the memories have."""
        dimensions = self._centres.shape[1]
        noise = self._noise.standard_normal((count, dimensions)) * (NOISE / dimensions**0.5)
        vectors: NDArray[np.float64] = self._centres[np.arange(count) % EMBEDDED] + noise
        lengths: NDArray[np.float64] = np.linalg.norm(vectors, axis=1, keepdims=True)
        return np.divide(vectors, lengths).astype(np.float32)

    def add(self, count: int, added: Callable[[], None]) -> None:
        """Commits ``count`` new memories, one by one as the product does; ``added`` is called after each."""
        now = self._service.clock.now()
        for topic, vector in enumerate(self.vectors(count)):
            content = Remember(content=self._sentences.statement(topic))
            embedding = Embedding(self._service.embedder.model, vector.astype("<f2").tobytes())
            created = now - topic * _AGE_STEP
            memory = new_memory(content, created, embedding)
            event = audit_event(self._caller, created, "import", "created", memory_id=memory.memory_id, version=1)
            change = Change(change_id=event.change_id, before=None, after=memory, audit=event)
            if not isinstance(self._service.store.commit(self._caller.owner, change), Committed):
                raise RuntimeError("a new memory was refused")
            added()
