"""What store and index hold at one moment, read past the faults and without the API."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from m4a.application.service import Service
from m4a.bootstrap import Operator
from m4a.domain.memory import Embedding, Filters, Memory, Version
from m4a.domain.owner import Owner
from m4a.domain.search import IndexAnswer, IndexQuery
from m4a.domain.text import analyse
from m4a.ports import Embedder

ALL = 1_000
PAGE = 200


@dataclass(frozen=True, slots=True)
class OwnerState:
    """One owner's living memories, and what the index knows of them.

    ``indexed``: ids that it proposes, one that it proposes twice in a leg twice; ``counted``: how many it counts;
    ``stale``: ids that it proposes for words of an earlier text that the memory no longer has.
    """

    owner: Owner
    memories: Mapping[str, Memory]
    indexed: tuple[str, ...]
    counted: int
    stale: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class State:
    """All owners."""

    owners: tuple[OwnerState, ...]

    @property
    def memories(self) -> list[Memory]:
        return [memory for owner in self.owners for memory in owner.memories.values()]

    @property
    def indexed(self) -> list[str]:
        return [memory_id for owner in self.owners for memory_id in owner.indexed]

    @property
    def counted(self) -> int:
        return sum(owner.counted for owner in self.owners)


def look(operator: Operator, embedder: Embedder) -> State:
    """The state now. What has expired no longer counts as stored."""
    now = operator.service.clock.now()
    present = embedder.embed(["anything"], "query")
    return State(tuple(_look_at(operator.service, owner, now, present) for owner in operator.maintenance.owners()))


def _look_at(service: Service, owner: Owner, now: datetime, present: Sequence[Embedding]) -> OwnerState:
    memories = {memory.memory_id: memory for memory in _memories(service, owner, now)}
    history = {one: service.store.history(owner, one) for one in memories}
    terms = {term for memory in memories.values() for term in memory.terms.counts}
    old_terms = {one: _old_terms(memory, history[one]) for one, memory in memories.items()}
    vectors = _one_of_each_model([*present, *(one.embedding for one in memories.values() if one.embedding)])
    found = _search(service, owner, now, vectors, terms.union(*old_terms.values()))
    stale = [one for one, old in old_terms.items() if old and one in _search(service, owner, now, [], old).lexical]
    return OwnerState(
        owner=owner,
        memories=memories,
        indexed=(*found.dense, *(one for one in found.lexical if one not in found.dense)),
        counted=found.statistics.memories if found.statistics else 0,
        stale=tuple(stale),
    )


def _memories(service: Service, owner: Owner, now: datetime) -> Iterable[Memory]:
    cursor: str | None = None
    while True:
        page = service.store.list(owner, Filters(), now, cursor, PAGE)
        yield from page.items
        cursor = page.next
        if cursor is None:
            return


def _old_terms(memory: Memory, versions: Sequence[Version]) -> set[str]:
    """Words that an earlier version had and the present one has not."""
    counts = [analyse(one.content, one.event_time).counts for one in versions]
    return {term for count in counts for term in count} - memory.terms.counts.keys()


def _one_of_each_model(embeddings: Sequence[Embedding]) -> list[Embedding]:
    """Any vector of a model will do to be told of all that the index has of it."""
    return list({embedding.model: embedding for embedding in embeddings}.values())


def _search(
    service: Service, owner: Owner, now: datetime, vectors: Sequence[Embedding], terms: Iterable[str]
) -> IndexAnswer:
    """All that the index proposes for these terms, and for each of the vectors."""
    answers = [
        service.index.search(owner, IndexQuery(embedding=one, terms=words, filters=Filters(), now=now, k=ALL))
        for one, words in [(None, tuple(sorted(terms))), *((vector, ()) for vector in vectors)]
    ]
    dense = tuple(one for answer in answers for one in answer.dense)
    return IndexAnswer(dense=dense, lexical=answers[0].lexical, statistics=answers[0].statistics)
