"""The near neighbours of a new memory, so that an agent can choose to update one of them instead."""

from dataclasses import dataclass
from datetime import datetime

from m4a.application.service import Service
from m4a.domain.memory import Filters, Memory
from m4a.domain.owner import Owner
from m4a.domain.search import Degraded, IndexQuery
from m4a.ports.deadline import time_limit

MAX_SIMILAR = 3
SIMILAR_UNAVAILABLE = Degraded("similar_unavailable", "Similar memories could not be looked up in time.")


@dataclass(frozen=True, slots=True)
class Similar:
    """A neighbour and its cosine to the new memory."""

    memory: Memory
    cosine: float


def find_similar(service: Service, owner: Owner, memory: Memory, now: datetime) -> tuple[Similar, ...]:
    """At most ``MAX_SIMILAR`` living memories whose cosine reaches the model's floor, nearest first.

    Gives up soon after nobody waits for it any more, so that the threads are free for others.
    """
    with time_limit(2 * service.limits.similar_s):
        return _find(service, owner, memory, now)


def _find(service: Service, owner: Owner, memory: Memory, now: datetime) -> tuple[Similar, ...]:
    if memory.embedding is None:
        return ()
    pending = {entry.memory_id for entry in service.outbox.pending(owner, service.limits.outbox_entries)}
    query = IndexQuery(
        embedding=memory.embedding,
        terms=(),
        filters=Filters(),
        now=now,
        k=MAX_SIMILAR + 1,
        exclude=frozenset({*pending, memory.memory_id}),
    )
    with service.store.snapshot():
        candidates = dict.fromkeys([*service.index.search(owner, query).dense, *pending])
        candidates.pop(memory.memory_id, None)
        found = [one for one in service.store.get(owner, list(candidates)).values() if one.lives_at(now)]
    scored = zip(found, service.cosines(memory.embedding, [one.embedding for one in found]), strict=True)
    floor = service.embedder.similar_floor
    near = [Similar(one, cosine) for one, cosine in scored if cosine is not None and cosine >= floor]
    return tuple(sorted(near, key=lambda one: -one.cosine)[:MAX_SIMILAR])
