"""Index entries of any number of owners, without storing or embedding each memory."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from itertools import cycle

from benchmarks.seeding import Seeder
from benchmarks.sentences import Sentences
from m4a.application.remember import Remember, new_memory
from m4a.application.service import Service
from m4a.domain.ids import new_ulid
from m4a.domain.memory import Embedding, Memory
from m4a.domain.owner import Owner
from m4a.ports.indexing import IndexEntry

OWNER_SIZE = 1_000
TEXTS = 20_000
"""Statements that the owners share; each entry has a vector of its own."""
_AGE_STEP = timedelta(minutes=7)


class Crowd:
    """An endless supply of owners with ``OWNER_SIZE`` memories each."""

    def __init__(self, service: Service, seeder: Seeder, sentences: Sentences) -> None:
        self._model = service.embedder.model
        self._now = service.clock.now()
        self._seeder = seeder
        commands = (Remember(content=sentences.statement(topic)) for topic in range(TEXTS))
        self._memories = cycle([new_memory(command, self._now, None) for command in commands])
        self._owners = 0

    def entries(self, count: int) -> Iterator[IndexEntry]:
        """The next ones, which begin with a new owner."""
        for start in range(0, count, OWNER_SIZE):
            self._owners += 1
            owner = Owner("default", f"crowd-{self._owners}")
            for number, vector in enumerate(self._seeder.vectors(min(OWNER_SIZE, count - start))):
                embedding = Embedding(self._model, vector.astype("<f2").tobytes())
                yield entry(owner, self._memory(number, embedding))

    def _memory(self, number: int, embedding: Embedding) -> Memory:
        at = self._now - number * _AGE_STEP
        memory_id = new_ulid(at)
        return replace(next(self._memories), memory_id=memory_id, created_at=at, updated_at=at, embedding=embedding)


def entry(owner: Owner, memory: Memory) -> IndexEntry:
    """What the indexer writes of it."""
    return IndexEntry(owner_key=owner.key, memory_id=memory.memory_id, rev=memory.rev, memory=memory)
