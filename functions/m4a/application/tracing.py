"""The stored record of one recall: enough to replay and explain it, and no memory text."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from m4a.application.candidates import Candidates
from m4a.domain.memory import Filters
from m4a.domain.ranking import Ranked, Ranking
from m4a.domain.records import Trace
from m4a.domain.text import RULES

TRACED_MEMORIES = 20


def trace_of(
    recall_id: str,
    now: datetime,
    query: str,
    filters: Filters,
    limit: int,
    candidates: Candidates,
    ranking: Ranking,
    ranked: Sequence[Ranked],
) -> Trace:
    """``body.frequencies`` follows the order of ``asked.terms``, so that the terms themselves can expire sooner."""
    frequencies = candidates.statistics.frequencies or {}
    body: dict[str, Any] = {
        "rules": RULES,
        "model": candidates.embedding.model if candidates.embedding else None,
        "degraded": [one.code for one in candidates.degraded],
        "limit": limit,
        "counts": {
            "pending": candidates.pending,
            "dense": len(candidates.answer.dense),
            "lexical": len(candidates.answer.lexical),
            "read": candidates.read,
            "ranked": len(ranked),
            "returned": min(limit, len(ranked)),
        },
        "memories": candidates.statistics.memories,
        "average_length": round(candidates.statistics.average_length, 3),
        "frequencies": [frequencies.get(term, 0) for term in candidates.terms],
        "kth_scores": {leg: round(score, 5) for leg, score in candidates.answer.kth_scores.items()},
        "attainable": round(ranking.attainable, 5),
        "top": [_row(one) for one in ranked[:TRACED_MEMORIES]],
    }
    return Trace(recall_id=recall_id, at=now, body=body, asked=_asked(query, filters, candidates.terms))


def _row(one: Ranked) -> list[Any]:
    """memory id, version, rev, then score, lexical, cosine, length, importance, recency."""
    signals = one.signals
    cosine = None if signals.cosine is None else round(signals.cosine, 5)
    numbers = (signals.score, signals.lexical, cosine, signals.length, signals.importance, signals.recency)
    rounded = [None if number is None else round(number, 5) for number in numbers]
    return [one.memory.memory_id, one.memory.version, one.memory.rev, *rounded]


def _asked(query: str, filters: Filters, terms: Sequence[str]) -> dict[str, Any]:
    return {
        "query": query,
        "terms": list(terms),
        "type": filters.type,
        "importance": filters.importance,
        "tags": list(filters.tags),
        "time_range": str(filters.time_range),
    }
