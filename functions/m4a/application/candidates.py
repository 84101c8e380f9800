"""Collects what a recall ranks: candidates of the index, what is pending, and the owner's statistics."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from m4a.application.embedding import QUERY_NOT_EMBEDDED, PendingEmbedding
from m4a.application.reading import get_known, scan
from m4a.application.service import Service
from m4a.domain.errors import Throttled, Unavailable
from m4a.domain.memory import Embedding, Filters, Memory
from m4a.domain.owner import Owner
from m4a.domain.ranking import Statistics
from m4a.domain.search import Degraded, DegradedCode, IndexAnswer, IndexQuery, candidates_per_leg
from m4a.domain.text import query_terms
from m4a.domain.vectors import comparable
from m4a.ports.deadline import share, time_limit
from m4a.ports.indexing import IndexOutdated

INDEX_BEHIND = Degraded(
    "index_behind", "So many changes wait for the search index that the latest of them may be missing."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidates:
    """Living memories that match the filters, with all that is needed to rank and to explain them.

    ``dense_weight`` belongs to the model that embedded the query.
    """

    memories: tuple[Memory, ...]
    terms: tuple[str, ...]
    embedding: Embedding | None
    dense_weight: float
    statistics: Statistics
    answer: IndexAnswer
    pending: int
    read: int
    degraded: tuple[Degraded, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """What is known before the search. ``pending``: ids of the memories whose latest changes the index may not know."""

    owner: Owner
    query: IndexQuery
    pending: Sequence[str]
    dense_weight: float
    degraded: tuple[Degraded, ...]


def collect(service: Service, owner: Owner, query: str, filters: Filters, limit: int, now: datetime) -> Candidates:
    """The outbox is read before the search starts: a change that has left it by then is searchable already, and one
    that is in it is read from the store. So nothing falls between."""
    asked = _ask(service, owner, query, filters, limit, now)
    with service.store.snapshot():
        try:
            with time_limit(share()):
                answer = service.index.search(owner, asked.query)
        except IndexOutdated:
            return _scan(service, asked, "index_outdated", "The search index is not up to date")
        except (Unavailable, Throttled):
            return _scan(service, asked, "search_unavailable", "The search index did not answer")
        return _read(service, asked, answer)


def _ask(service: Service, owner: Owner, query: str, filters: Filters, limit: int, now: datetime) -> _Asked:
    embedder = service.query_embedder() if service.query_embedder else service.embedder
    under_way = PendingEmbedding(service, [query], "query", share(service.limits.query_embedding_s), embedder)
    terms = query_terms(query)
    most = service.limits.outbox_entries
    entries = service.outbox.pending(owner, most + 1)
    pending = list(dict.fromkeys(entry.memory_id for entry in entries))
    embeddings = under_way.wait()
    index_query = IndexQuery(
        embedding=embeddings[0] if embeddings else None,
        terms=terms,
        filters=filters,
        now=now,
        k=candidates_per_leg(limit),
        exclude=frozenset(pending),
    )
    found = {QUERY_NOT_EMBEDDED: not embeddings, INDEX_BEHIND: len(entries) > most}
    degraded = tuple(reason for reason, holds in found.items() if holds)
    return _Asked(
        owner=owner, query=index_query, pending=pending, dense_weight=embedder.dense_weight, degraded=degraded
    )


def _read(service: Service, asked: _Asked, answer: IndexAnswer) -> Candidates:
    query = asked.query
    ids = list(dict.fromkeys([*answer.dense, *answer.lexical, *asked.pending]))
    found, unread = get_known(service, asked.owner, ids)
    unindexed = [found[one] for one in asked.pending if one in found and found[one].lives_at(query.now)]
    statistics = answer.statistics or _statistics([found[one] for one in found if one not in query.exclude], query)
    return Candidates(
        memories=_answering(found.values(), query),
        terms=query.terms,
        embedding=query.embedding,
        dense_weight=asked.dense_weight,
        statistics=statistics.including(unindexed, query.terms) if unindexed else statistics,
        answer=answer,
        pending=len(asked.pending),
        read=len(found),
        degraded=(*asked.degraded, *answer.degraded, *unread, *_left_out(unindexed, query, "Of the latest changes")),
    )


def _scan(service: Service, asked: _Asked, code: DegradedCode, why: str) -> Candidates:
    """Without an index: memories from the store, a bounded number, ranked exactly."""
    query = asked.query
    scanned = scan(service, asked.owner, asked.pending, query.now)
    memories, reason = scanned.memories, Degraded(code, f"{why}: {scanned.extent}.")
    return Candidates(
        memories=_answering(memories, query),
        terms=query.terms,
        embedding=query.embedding,
        dense_weight=asked.dense_weight,
        statistics=_statistics(memories, query),
        answer=IndexAnswer(),
        pending=len(asked.pending),
        read=len(memories),
        degraded=(*asked.degraded, reason, *scanned.unread, *_left_out(memories, query, "Of these")),
    )


def _answering(memories: Iterable[Memory], query: IndexQuery) -> tuple[Memory, ...]:
    """Those that a search of the index would find: living ones that match, by a word or by a vector to compare with."""
    return tuple(
        one
        for one in memories
        if one.lives_at(query.now)
        and query.filters.match(one)
        and (
            (query.embedding is not None and comparable(query.embedding, one.embedding))
            or any(term in one.terms.counts for term in query.terms)
        )
    )


def _left_out(memories: Sequence[Memory], query: IndexQuery, among: str) -> tuple[Degraded, ...]:
    """Names those that match but have no vector to compare the query's with; of its own entries the index tells."""
    if query.embedding is None:
        return ()
    matching = [one for one in memories if query.filters.match(one)]
    without = sum(one.embedding is None for one in matching)
    others = sum(one.embedding is not None and not comparable(query.embedding, one.embedding) for one in matching)
    found = (
        (without, Degraded("not_embedded", f"{among}, without an embedding and compared by words alone: {without}.")),
        (others, Degraded("other_model", f"{among}, embedded by another model and compared by words alone: {others}.")),
    )
    return tuple(degraded for number, degraded in found if number)


def _statistics(memories: Sequence[Memory], query: IndexQuery) -> Statistics:
    return Statistics().including([one for one in memories if one.lives_at(query.now)], query.terms)
