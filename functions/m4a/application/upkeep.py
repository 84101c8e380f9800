"""What is owed without anyone asking: expiry turned into forgets, missing embeddings, and the reindex."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from itertools import islice
from typing import TypeVar

from m4a.application.embedding import embed_documents
from m4a.application.service import Service
from m4a.application.writing import audit_event, expire, sweeper
from m4a.domain.errors import Throttled, Unavailable
from m4a.domain.ids import new_ulid
from m4a.domain.memory import Embedding, Filters, Memory
from m4a.domain.owner import Owner
from m4a.domain.records import Change, Committed, Due
from m4a.domain.text import RULES, analyse
from m4a.ports.maintenance import Maintenance

EMBED_BATCH = 16
REFUSED_FOR = timedelta(hours=1)
"""So long a text that the model refused is not sent again. It may have been a fault of the model's, of one moment."""
OWNER_FAILURES = 2
"""So many memories of one owner that the table does not take, and the others wait for the next pass: it throttles an
owner who writes much."""
TABLE_FAILURES = 5
"""So many in a row end the pass: then it is no matter of theirs."""

Owned = tuple[Owner, Memory]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Swept:
    """What one pass of the sweep did.

    ``refused``: memories whose text the model does not take, found by words alone; put off for ``REFUSED_FOR``.
    ``postponed``: those that the table did not give or take this time. ``embedder_down``: embedding was tried and
    failed, the rest waits.
    """

    expired: int = 0
    embedded: int = 0
    refused: int = 0
    postponed: int = 0
    embedder_down: bool = False


@dataclass(frozen=True, slots=True)
class Renewed:
    """What a reindex has done so far: how many memories it looked at, of how many the model does not take the text, so
    that they are found by words alone, and the ids of those that the search index refuses for what they are."""

    seen: int = 0
    not_embedded: int = 0
    not_indexed: tuple[str, ...] = ()


def sweep(service: Service, maintenance: Maintenance) -> Iterator[Swept]:
    """Works off what is due, each once, so that none that fails keeps the others from their turn. Yields the totals
    after each few, until nothing is left that can be done now. Raises if the table does not say what is due."""
    sweeping = _Sweeping(service, maintenance)
    due = maintenance.due(service.clock.now())
    while not sweeping.ended and (some := list(islice(due, EMBED_BATCH))):
        sweeping.take(some)
        yield sweeping.total


class _Sweeping:
    """One pass. ``total``: what was done so far."""

    def __init__(self, service: Service, maintenance: Maintenance) -> None:
        self.total = Swept()
        self._service = service
        self._maintenance = maintenance
        self._failed: Counter[Owner] = Counter()
        self._in_a_row = 0

    @property
    def ended(self) -> bool:
        return self.total.embedder_down or self._in_a_row >= TABLE_FAILURES

    def take(self, listed: Sequence[Due | None]) -> None:
        some = [item for item in listed if item]
        self.total = replace(self.total, postponed=self.total.postponed + len(listed) - len(some))
        for item in some:
            if item.reason == "expired" and self._tried(item.owner, partial(self._expire, item)):
                self.total = replace(self.total, expired=self.total.expired + 1)
        waiting = [item for item in some if item.reason == "embed"]
        read = [(item.owner, self._tried(item.owner, partial(_read, self._service, item))) for item in waiting]
        self._embed([(owner, memory) for owner, memory in read if memory and not memory.embedding])

    def _expire(self, item: Due) -> bool:
        memory, now = _read(self._service, item), self._service.clock.now()
        if memory is None or memory.lives_at(now):
            return False
        return expire(self._service, item.owner, memory, now, new_ulid(now))

    def _embed(self, present: Sequence[Owned]) -> None:
        embeddings = embed_documents(self._service.embedder, [memory.content for _, memory in present])
        if embeddings is None:
            self.total = replace(self.total, embedder_down=True)
            return
        for (owner, memory), embedding in zip(present, embeddings, strict=True):
            if embedding is None:
                self.total = replace(self.total, refused=self.total.refused + 1)
                until = self._service.clock.now() + REFUSED_FOR
                self._tried(owner, partial(self._maintenance.put_off, owner, memory, until))
            elif self._tried(owner, partial(_renew, self._service, owner, memory, embedding)):
                self.total = replace(self.total, embedded=self.total.embedded + 1)

    def _tried(self, owner: Owner, work: Callable[[], T]) -> T | None:
        """What the work answers; None if the table does not take it, or took too little before."""
        if not self.ended and self._failed[owner] < OWNER_FAILURES:
            try:
                answer = work()
            except (Throttled, Unavailable):
                self._failed[owner] += 1
                self._in_a_row += 1
            else:
                self._in_a_row = 0
                return answer
        self.total = replace(self.total, postponed=self.total.postponed + 1)
        return None


def _read(service: Service, item: Due) -> Memory | None:
    return service.store.get(item.owner, [item.memory_id]).get(item.memory_id)


def _renew(service: Service, owner: Owner, memory: Memory, embedding: Embedding | None) -> bool:
    """Writes embedding and terms anew; False if the memory moved meanwhile, then its own write has done it."""
    now = service.clock.now()
    caller = sweeper(owner, new_ulid(now))
    event = audit_event(caller, now, "embed", "updated", memory_id=memory.memory_id, version=memory.version)
    terms = analyse(memory.content, memory.event_time)
    after = replace(memory, embedding=embedding, terms=terms, rev=memory.rev + 1)
    change = Change(change_id=event.change_id, before=memory, after=after, audit=event)
    return isinstance(service.store.commit(owner, change), Committed)


def reindex(service: Service, maintenance: Maintenance) -> Iterator[Renewed]:
    """Makes terms and embeddings of every memory anew where the token rules or the model have changed; yields what was
    done so far. Safe to stop and start again. Raises Unavailable if the embedder fails."""
    rules_changed = maintenance.token_rules() != RULES
    done = Renewed()
    for memories in batches(service, maintenance, EMBED_BATCH):
        refused = refresh_derived(service, memories, all_of_them=rules_changed)
        done = Renewed(done.seen + len(memories), done.not_embedded + refused)
        yield done
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


def refresh_derived(service: Service, memories: Sequence[Owned], *, all_of_them: bool = False) -> int:
    """Makes terms and embedding of those memories anew that have none or those of another model, or whose terms follow
    other rules. Answers how many have no embedding now, because the model does not take their text. Raises Unavailable
    if it takes none."""
    stale = [(owner, one.memory_id) for owner, one in memories if all_of_them or _outdated(service, one)]
    parts = (stale[start : start + EMBED_BATCH] for start in range(0, len(stale), EMBED_BATCH))
    return sum(_refresh(service, part) for part in parts)


def _refresh(service: Service, items: Sequence[tuple[Owner, str]]) -> int:
    read = [(owner, service.store.get(owner, [memory_id]).get(memory_id)) for owner, memory_id in items]
    present = [(owner, memory) for owner, memory in read if memory]
    embeddings = embed_documents(service.embedder, [memory.content for _, memory in present])
    if embeddings is None:
        raise Unavailable("The embedding model did not answer; what was done so far is kept. Run it again.")
    for (owner, memory), embedding in zip(present, embeddings, strict=True):
        if embedding or memory.embedding or memory.terms != analyse(memory.content, memory.event_time):
            _renew(service, owner, memory, embedding)
    return embeddings.count(None)


def _outdated(service: Service, memory: Memory) -> bool:
    embedding = memory.embedding
    other_model = embedding is None or embedding.model != service.embedder.model
    return other_model or memory.terms != analyse(memory.content, memory.event_time)
