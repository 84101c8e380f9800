"""Queries for tests of the search index, and what the ranking says of the same memories."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from m4a.domain.memory import Embedding, Filters, Memory
from m4a.domain.ranking import Ranking, Statistics
from m4a.domain.search import IndexAnswer, IndexQuery
from m4a.domain.text import query_terms
from m4a.domain.vectors import cosines
from tests.contract.building import START, Scribe
from tests.contract.conftest import Backend

NOW = START + timedelta(days=1)
NO_FILTERS = Filters()


def search(
    backend: Backend,
    scribe: Scribe,
    words: str = "",
    near: Embedding | None = None,
    filters: Filters = NO_FILTERS,
    now: datetime = NOW,
    k: int = 50,
    exclude: Sequence[Memory] = (),
) -> IndexAnswer:
    backend.make_searchable()
    query = IndexQuery(
        embedding=near,
        terms=query_terms(words),
        filters=filters,
        now=now,
        k=k,
        exclude=frozenset(memory.memory_id for memory in exclude),
    )
    return backend.index.search(scribe.owner, query)


def ids(memories: Sequence[Memory]) -> tuple[str, ...]:
    return tuple(memory.memory_id for memory in memories)


def statistics_of(memories: Sequence[Memory], words: str) -> Statistics:
    return Statistics(frequencies={}).including(memories, query_terms(words))


def by_words(memories: Sequence[Memory], words: str) -> list[Memory]:
    """Those that share a word with the query, best lexical score first."""
    ranking = Ranking(query_terms(words), statistics_of(memories, words), NOW, has_vector=False, dense_weight=0.0)
    scores = {memory.memory_id: ranking.score(memory, None).lexical for memory in memories}
    found = [memory for memory in memories if scores[memory.memory_id] > 0]
    return sorted(found, key=lambda memory: (-round(scores[memory.memory_id], 9), -memory.created_at.timestamp()))


def by_meaning(memories: Sequence[Memory], near: Embedding) -> list[Memory]:
    """Those with a vector that can be compared, nearest first."""
    pairs = zip(memories, cosines(near, [memory.embedding for memory in memories]), strict=True)
    found = [(memory, cosine) for memory, cosine in pairs if cosine is not None]
    found.sort(key=lambda pair: (-round(pair[1], 6), -pair[0].created_at.timestamp()))
    return [memory for memory, _ in found]
