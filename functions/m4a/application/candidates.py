"""Collects what a recall ranks: candidates of the index, what is pending, and the owner's statistics."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from m4a.application.embedding import QUERY_NOT_EMBEDDED, PendingEmbedding
from m4a.application.service import Service
from m4a.domain.errors import PartlyRead, Throttled, Unavailable
from m4a.domain.memory import Embedding, Filters, Memory
from m4a.domain.owner import Owner
from m4a.domain.ranking import Statistics
from m4a.domain.records import Pending
from m4a.domain.search import Degraded, IndexAnswer, IndexQuery, candidates_per_leg
from m4a.domain.text import query_terms

INDEX_BEHIND = Degraded(
    "index_behind", "So many changes wait for the search index that the latest of them may be missing."
)
MAX_NAMED = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidates:
    """Living memories that match the filters, with all that is needed to rank and to explain them."""

    memories: tuple[Memory, ...]
    terms: tuple[str, ...]
    embedding: Embedding | None
    statistics: Statistics
    answer: IndexAnswer
    pending: int
    read: int
    degraded: tuple[Degraded, ...] = field(default=())


def collect(service: Service, owner: Owner, query: str, filters: Filters, limit: int, now: datetime) -> Candidates:
    """The outbox is read before the search starts: a change that has left it by then is searchable already, and one
    that is in it is read from the store. So nothing falls between."""
    embedding_under_way = PendingEmbedding(service, [query], "query")
    terms = query_terms(query)
    pending = service.outbox.pending(owner, service.limits.outbox_entries + 1)
    embeddings = embedding_under_way.wait(service.limits.query_embedding_s)
    embedding = embeddings[0] if embeddings else None
    index_query = IndexQuery(
        embedding=embedding,
        terms=terms,
        filters=filters,
        now=now,
        k=candidates_per_leg(limit),
        exclude=frozenset(entry.memory_id for entry in pending),
    )
    degraded = [
        *([] if embedding else [QUERY_NOT_EMBEDDED]),
        *([INDEX_BEHIND] if len(pending) > service.limits.outbox_entries else []),
    ]
    with service.store.snapshot():
        answer = _search(service, owner, index_query)
        if answer is None:
            return _scan(service, owner, index_query, pending, degraded)
        return _read(service, owner, index_query, answer, pending, degraded)


def _search(service: Service, owner: Owner, query: IndexQuery) -> IndexAnswer | None:
    try:
        return service.index.search(owner, query)
    except (Unavailable, Throttled):
        return None


def _read(
    service: Service,
    owner: Owner,
    query: IndexQuery,
    answer: IndexAnswer,
    pending: Sequence[Pending],
    degraded: Sequence[Degraded],
) -> Candidates:
    pending_ids = list(dict.fromkeys(entry.memory_id for entry in pending))
    ids = list(dict.fromkeys([*answer.dense, *answer.lexical, *pending_ids]))
    found, unread = _get(service, owner, ids)
    unindexed = [found[one] for one in pending_ids if one in found and found[one].lives_at(query.now)]
    statistics = answer.statistics or _statistics([found[one] for one in found if one not in pending_ids], query)
    return Candidates(
        memories=tuple(one for one in found.values() if one.lives_at(query.now) and query.filters.match(one)),
        terms=query.terms,
        embedding=query.embedding,
        statistics=statistics.including(unindexed, query.terms) if unindexed else statistics,
        answer=answer,
        pending=len(pending_ids),
        read=len(found),
        degraded=(*degraded, *answer.degraded, *unread),
    )


def _get(service: Service, owner: Owner, ids: Sequence[str]) -> tuple[Mapping[str, Memory], tuple[Degraded, ...]]:
    """What could be read; what could not is named, and never taken for gone."""
    try:
        return service.store.get(owner, ids), ()
    except PartlyRead as error:
        named = ", ".join(sorted(error.unread)[:MAX_NAMED])
        more = f" and {len(error.unread) - MAX_NAMED} more" if len(error.unread) > MAX_NAMED else ""
        message = f"Some memories could not be read and may be missing from the answer: {named}{more}."
        return error.found, (Degraded("memories_unread", message),)


def _scan(
    service: Service, owner: Owner, query: IndexQuery, pending: Sequence[Pending], degraded: Sequence[Degraded]
) -> Candidates:
    """Without an index: the owner's newest memories from the store, a bounded number, ranked exactly."""
    bound = service.limits.scan_memories
    memories: list[Memory] = []
    cursor: str | None = None
    while len(memories) < bound:
        page = service.store.list(owner, Filters(), query.now, cursor, bound - len(memories))
        memories.extend(page.items)
        cursor = page.next
        if cursor is None:
            break
    message = f"The search index did not answer: the newest {len(memories)} memories were compared one by one" + (
        ", older ones were not looked at." if cursor else ", which are all there are."
    )
    return Candidates(
        memories=tuple(one for one in memories if query.filters.match(one)),
        terms=query.terms,
        embedding=query.embedding,
        statistics=_statistics(memories, query),
        answer=IndexAnswer(),
        pending=len(pending),
        read=len(memories),
        degraded=(*degraded, Degraded("search_unavailable", message)),
    )


def _statistics(memories: Sequence[Memory], query: IndexQuery) -> Statistics:
    return Statistics().including([one for one in memories if one.lives_at(query.now)], query.terms)
