"""What is owed without anyone asking: expiry turned into forgets, missing embeddings, and the reindex."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from m4a.application.service import Service
from m4a.application.writing import audit_event, expire, sweeper
from m4a.domain.errors import Throttled, Unavailable
from m4a.domain.ids import new_ulid
from m4a.domain.memory import Embedding, Filters, Memory
from m4a.domain.owner import Owner
from m4a.domain.records import Change, Committed, Due
from m4a.domain.text import RULES, analyse
from m4a.ports.maintenance import Maintenance

SWEEP_BATCH = 64
EMBED_BATCH = 16

Owned = tuple[Owner, Memory]


@dataclass(frozen=True, slots=True)
class Swept:
    """What one pass of the sweep did. ``embedder_down``: embedding was tried and failed, the rest waits."""

    expired: int = 0
    embedded: int = 0
    embedder_down: bool = False


def sweep(service: Service, maintenance: Maintenance) -> Iterator[Swept]:
    """Works off what is due, yielding the totals after each batch, until nothing is left that can be done now."""
    total = Swept()
    while True:
        due = list(islice(maintenance.due(service.clock.now()), SWEEP_BATCH))
        before = total
        total = _sweep_batch(service, due, total)
        yield total
        if total.embedder_down or (total.expired, total.embedded) == (before.expired, before.embedded):
            return


def _sweep_batch(service: Service, due: Sequence[Due], total: Swept) -> Swept:
    now = service.clock.now()
    for item in due:
        if item.reason == "expired":
            memory = service.store.get(item.owner, [item.memory_id]).get(item.memory_id)
            if memory and not memory.lives_at(now):
                total = replace(total, expired=total.expired + expire(service, item.owner, memory, now, new_ulid(now)))
    waiting = [item for item in due if item.reason == "embed"]
    for start in range(0, len(waiting), EMBED_BATCH):
        batch = [(item.owner, item.memory_id) for item in waiting[start : start + EMBED_BATCH]]
        written = _embed_batch(service, batch)
        if written is None:
            return replace(total, embedder_down=True)
        total = replace(total, embedded=total.embedded + written)
    return total


def _embed_batch(service: Service, items: Sequence[tuple[Owner, str]]) -> int | None:
    """Embeds memories of one batch and writes them; None if the embedder failed."""
    read = [(owner, service.store.get(owner, [memory_id]).get(memory_id)) for owner, memory_id in items]
    present = [(owner, memory) for owner, memory in read if memory]
    try:
        embeddings = service.embedder.embed([memory.content for _, memory in present], "document")
    except (Unavailable, Throttled):
        return None
    return sum(
        _reindexed(service, owner, memory, embedding)
        for (owner, memory), embedding in zip(present, embeddings, strict=True)
    )


def _reindexed(service: Service, owner: Owner, memory: Memory, embedding: Embedding) -> bool:
    """Writes embedding and terms anew; False if the memory moved meanwhile, then its own write has done it."""
    now = service.clock.now()
    caller = sweeper(owner, new_ulid(now))
    event = audit_event(caller, now, "embed", "updated", memory_id=memory.memory_id, version=memory.version)
    terms = analyse(memory.content, memory.event_time)
    after = replace(memory, embedding=embedding, terms=terms, rev=memory.rev + 1)
    change = Change(change_id=event.change_id, before=memory, after=after, audit=event)
    return isinstance(service.store.commit(owner, change), Committed)


def reindex(service: Service, maintenance: Maintenance) -> Iterator[int]:
    """Makes terms and embeddings of every memory anew where the token rules or the model have changed; yields how many
    were looked at so far. Safe to stop and start again. Raises Unavailable if the embedder fails."""
    rules_changed = maintenance.token_rules() != RULES
    seen = 0
    for memories in batches(service, maintenance, EMBED_BATCH):
        if not refresh_derived(service, memories, all_of_them=rules_changed):
            raise Unavailable("The embedding model did not answer; what was done so far is kept.")
        seen += len(memories)
        yield seen
    maintenance.set_token_rules(RULES)


def batches(service: Service, maintenance: Maintenance, size: int) -> Iterator[Sequence[Owned]]:
    """All living memories of all owners, ``size`` at a time, however few each owner has."""
    memories = ((owner, one) for owner in maintenance.owners() for one in memories_of(service, owner, size))
    while batch := list(islice(memories, size)):
        yield batch


def memories_of(service: Service, owner: Owner, size: int) -> Iterator[Memory]:
    """All living memories of an owner, newest first, read ``size`` at a time."""
    cursor: str | None = None
    while True:
        page = service.store.list(owner, Filters(), service.clock.now(), cursor, size)
        yield from page.items
        cursor = page.next
        if cursor is None:
            return


def refresh_derived(service: Service, memories: Sequence[Owned], *, all_of_them: bool = False) -> bool:
    """Makes terms and embedding of those memories anew that have none or those of another model, or whose terms follow
    other rules; False if the embedder failed."""
    stale = [(owner, one.memory_id) for owner, one in memories if all_of_them or _outdated(service, one)]
    parts = (stale[start : start + EMBED_BATCH] for start in range(0, len(stale), EMBED_BATCH))
    return all(_embed_batch(service, part) is not None for part in parts)


def _outdated(service: Service, memory: Memory) -> bool:
    embedding = memory.embedding
    other_model = embedding is None or embedding.model != service.embedder.model
    return other_model or memory.terms != analyse(memory.content, memory.event_time)
