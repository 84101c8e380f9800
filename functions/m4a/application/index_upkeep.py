"""The search index as a whole: making it, keeping it alive, catching up with what the stream missed, replacing it."""

import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import chain, islice, takewhile

from m4a.application.indexing import Indexing, confirm_searchable, index_changes, write_present
from m4a.application.service import Service
from m4a.application.upkeep import Owned, Renewed, batches, refresh_derived
from m4a.domain.errors import Throttled, Unavailable
from m4a.domain.text import RULES
from m4a.ports.indexing import (
    ExpectedState,
    IndexWriter,
    Marker,
    MemoryRef,
    OutboxRef,
    WriteResult,
)
from m4a.ports.maintenance import Maintenance

SWEEP_ENTRIES = 200
STUCK_AFTER = timedelta(hours=1)
"""So old, an entry has been tried about 60 times. Entries are only inserted and deleted, so tries can't be counted."""
STUCK_COUNTED = 10_000
"""Of more, that many are counted: a count without end would take the pass the time that its work needs."""
SHOWN_TRIES = 60
SHOWN_PAUSE_S = 1.0
BEAT_AHEAD = 10
"""By how much a new generation's beat is above the old one's, which the sweep may raise until searches move on."""
FILL_BATCH = 500
"""Memories of any owners that a generation is filled with at once."""


def init_index(indexing: Indexing, model: str, maintenance: Maintenance) -> bool:
    """Makes the first generation, on a table that holds nothing yet; False if there is an index already.

    Raises Unavailable where memories exist: then only a reindex may say that the index is complete.
    """
    if indexing.state.read():
        return False
    if next(iter(maintenance.owners()), None):
        raise Unavailable("The table holds memories but names no index: run `m4a reindex`.")
    generation = _writable(indexing, None, model)
    maintenance.set_token_rules(RULES)
    _finish(indexing, generation, model, beat=1)
    return True


def beat(indexing: Indexing) -> bool:
    """Raises the number that vouches for the index, there first and then in the table. False for an index that does not
    answer, or is not the one that the table knows: then searches go on without it. Raises Unavailable or Throttled if
    the table does not answer: that says nothing of the index."""
    state = indexing.state.read()
    try:
        shown = _raised(indexing, state) if state else None
    except (Throttled, Unavailable):
        return False
    if shown is None:
        return False
    indexing.state.write(shown)
    return True


def _raised(indexing: Indexing, state: ExpectedState) -> ExpectedState | None:
    """What the index shows after its beat was raised; None, and nothing raised, if it is not the one."""
    marker = indexing.admin.marker()
    if not marker or not marker.complete:
        return None
    # A newer generation than the table names is one to which a reindex has sent searches: then the table is put right.
    if marker.generation < state.generation or marker.rules != RULES or marker.beat < state.beat:
        return None
    if not indexing.admin.set_marker(replace(marker, beat=marker.beat + 1)):
        return None
    shown = indexing.admin.marker() or marker  # some deployments show it later: then the next beat tells the table
    return ExpectedState(shown.generation, max(shown.beat, state.beat))


@dataclass(frozen=True, slots=True)
class Backlog:
    """The outbox entries that the stream missed: the age of the oldest in seconds, 0.0 if there is none, and how many
    are stuck, or ``STUCK_COUNTED`` if they are more."""

    oldest_s: float
    stuck: int


def sweep_outbox(indexing: Indexing, now: datetime) -> Iterator[Sequence[OutboxRef]]:
    """Brings entries that the stream missed into the index: tries each once, oldest first, so that none that fails
    keeps the others from their turn; of an owner for whom the table does not answer, none after that. Yields, batch by
    batch, those that were settled."""
    busy = set[str]()
    refs_left = (one.ref for one in indexing.outbox.unsettled(now, indexing.settle_after))
    overdue = (ref for ref in refs_left if ref.memory.owner_key not in busy)
    while refs := list(islice(overdue, SWEEP_ENTRIES)):
        result = index_changes(indexing.truth, indexing.writer, refs)
        busy |= {ref.memory.owner_key for ref in result.unanswered}
        confirmed = confirm_searchable(indexing.truth, indexing.writer, result.waiting) if result.waiting else None
        yield (*result.settled, *(confirmed.settled if confirmed else ()))


def backlog(indexing: Indexing, now: datetime, settled: Collection[OutboxRef]) -> Backlog:
    """What is left. ``settled``: by this pass, which the list of what is overdue may not know yet."""
    overdue = indexing.outbox.unsettled(now, indexing.settle_after)
    left = (now - one.since for one in overdue if one.ref not in settled)
    oldest = next(left, None)
    if oldest is None:
        return Backlog(0.0, 0)
    stuck = takewhile(lambda age: age > STUCK_AFTER, chain([oldest], left))
    return Backlog(oldest.total_seconds(), sum(1 for _ in islice(stuck, STUCK_COUNTED)))


def rebuild(service: Service, indexing: Indexing, maintenance: Maintenance) -> Iterator[Renewed]:
    """Fills a new generation from the table while the old one serves, then sends searches to it; yields what was done
    so far. Started again after a stop, it goes on with the generation that was not finished.

    Writes that happen meanwhile reach both generations: the new one is a writer before the table is read. What is
    filled in need not be searchable before the marker is, so that one refresh, at the end, is enough.
    """
    model = service.embedder.model
    state = indexing.state.read()
    old = indexing.admin.writers()
    generation = _writable(indexing, state, model)
    done = Renewed()
    filler = indexing.filler(generation)
    for memories in batches(service, maintenance, FILL_BATCH):
        done = _fill(service, indexing, filler, memories, done)
        yield done
    indexing.admin.refresh(generation)
    maintenance.set_token_rules(RULES)
    latest = indexing.state.read()  # the sweep may have raised it meanwhile
    _finish(indexing, generation, model, beat=(latest.beat if latest else 0) + BEAT_AHEAD)
    for number in old:
        if number != generation:
            indexing.admin.retire(number)


def _writable(indexing: Indexing, state: ExpectedState | None, model: str) -> int:
    """The generation to fill: the newest that was not finished, if it was made as a new one would be, else a new one.

    The others that were not finished go at once: nobody searches them, and they slow down all writes.
    """
    admin, named = indexing.admin, state.generation if state else 0
    old = admin.writers()
    unfinished = [number for number in old if number > named]
    fitting = [number for number in unfinished if admin.made_so(number, model, indexing.dimensions)]
    generation = fitting[-1] if fitting else max([*old, named]) + 1
    for number in unfinished:
        if number not in (generation, admin.searched()):
            admin.retire(number)
    admin.create_generation(generation, model, indexing.dimensions)
    return generation


def _fill(
    service: Service, indexing: Indexing, filler: IndexWriter, memories: Sequence[Owned], done: Renewed
) -> Renewed:
    """Writes memories to the new generation; those of another model or of older terms are first made anew. One that
    the index refuses for what it is is left out: trying again would not help."""
    not_embedded = done.not_embedded + refresh_derived(service, memories)
    refs = [MemoryRef(owner.key, memory.memory_id) for owner, memory in memories]
    written = write_present(indexing.truth, filler, refs)
    if any(one.unread for one in written.values()):
        raise Unavailable("The table did not give all memories; what was done so far is kept. Run it again.")
    if any(one.result in (WriteResult.FAILED, WriteResult.STALE) for one in written.values()):
        raise Unavailable("The search index did not take all memories; what was done so far is kept. Run it again.")
    refused = [ref.memory_id for ref, one in written.items() if one.result is WriteResult.POISON]
    return Renewed(done.seen + len(memories), not_embedded, (*done.not_indexed, *refused))


def _finish(indexing: Indexing, generation: int, model: str, beat: int) -> None:
    """The marker first, then the alias, then the table's word: a searcher never expects more than the index shows."""
    marker = Marker(generation=generation, rules=RULES, model=model, complete=True, beat=beat)
    indexing.admin.set_marker(marker)
    for _ in range(SHOWN_TRIES):
        if indexing.admin.marker(generation) == marker:
            break
        time.sleep(SHOWN_PAUSE_S)
    else:
        raise Unavailable("The search index does not show what was written; run it again.")
    indexing.admin.promote(generation)
    indexing.state.write(ExpectedState(generation, beat))
