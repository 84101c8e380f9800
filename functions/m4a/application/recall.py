"""Finds the memories that answer a query, and records how."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from m4a.application.candidates import Candidates, collect
from m4a.application.service import Service
from m4a.application.tracing import trace_of
from m4a.application.writing import audit_event
from m4a.domain.errors import Throttled, Unavailable
from m4a.domain.ids import new_ulid
from m4a.domain.memory import Filters
from m4a.domain.owner import Caller
from m4a.domain.ranking import Ranked, Ranking
from m4a.domain.records import Trace
from m4a.domain.search import Degraded
from m4a.ports.deadline import time_limit

TRACE_NOT_STORED = Degraded("trace_not_stored", "The trace of this recall could not be stored: it can't be replayed.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Recall:
    """A question and which memories may answer it."""

    query: str
    filters: Filters
    limit: int = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled:
    """Memories, best first. ``degraded`` names what could not run; it is empty for a whole answer."""

    recall_id: str
    ranked: tuple[Ranked, ...]
    ranking: Ranking
    candidates: Candidates
    degraded: tuple[Degraded, ...]


def recall(service: Service, caller: Caller, command: Recall) -> Recalled:
    """Searches this caller's memories. An outage is named, or raised as Unavailable; it never looks like "none"."""
    now = service.clock.now()
    candidates = collect(service, caller.owner, command.query, command.filters, command.limit, now)
    ranking, ranked = _rank(service, candidates, now)
    recall_id = new_ulid(now)
    trace = trace_of(recall_id, now, command.query, command.filters, command.limit, candidates, ranking, ranked)
    stored = _stored(service, caller, trace, now)
    return Recalled(
        recall_id=recall_id,
        ranked=tuple(ranked[: command.limit]),
        ranking=ranking,
        candidates=candidates,
        degraded=candidates.degraded if stored else (*candidates.degraded, TRACE_NOT_STORED),
    )


def _rank(service: Service, candidates: Candidates, now: datetime) -> tuple[Ranking, Sequence[Ranked]]:
    memories, embedding = candidates.memories, candidates.embedding
    ranking = Ranking(
        candidates.terms,
        candidates.statistics,
        now,
        has_vector=embedding is not None,
        dense_weight=candidates.dense_weight,
    )
    nothing: list[float | None] = [None] * len(memories)
    cosines = service.cosines(embedding, [one.embedding for one in memories]) if embedding else nothing
    return ranking, ranking.order(list(zip(memories, cosines, strict=True)))


def _stored(service: Service, caller: Caller, trace: Trace, now: datetime) -> bool:
    event = audit_event(caller, now, "recall", "answered", recall_id=trace.recall_id)
    try:
        with time_limit(service.limits.trace_s):
            service.log.append(caller.owner, event, trace)
    except (Unavailable, Throttled):
        return False
    return True
