"""Brings changes from the outbox into the search index, and settles them once they are known to be searchable."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from m4a.domain.errors import Throttled, Unavailable
from m4a.domain.memory import Memory
from m4a.ports.indexing import (
    IndexAdmin,
    IndexEntry,
    IndexState,
    IndexWriter,
    MemoryRef,
    OutboxRef,
    Truth,
    TruthRead,
    Unsettled,
    WriteResult,
)

ROUNDS = 3
"""How often a memory is read and written again when it moved meanwhile."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Indexing:
    """The ports around the search index, for the indexer, the sweep and operator commands.

    ``filler`` writes to one generation alone, and waits for no search to see it: its entries are ACCEPTED.
    ``settle_after``: the age at which the sweep takes up an outbox entry.
    """

    truth: Truth
    writer: IndexWriter
    filler: Callable[[int], IndexWriter]
    admin: IndexAdmin
    state: IndexState
    outbox: Unsettled
    dimensions: int
    settle_after: timedelta


@dataclass(frozen=True, slots=True)
class Indexed:
    """What became of a batch. ``waiting`` were written, and are settled by the sweep once a search shows them.
    ``unanswered``: those of ``failed`` whose memory could not be read, or whose entry not be removed."""

    settled: tuple[OutboxRef, ...] = ()
    waiting: tuple[OutboxRef, ...] = ()
    failed: tuple[OutboxRef, ...] = ()
    unanswered: tuple[OutboxRef, ...] = ()


@dataclass(frozen=True, slots=True)
class Written:
    """What became of one memory, and the rev at which it was written; None where it was gone. ``unread``: it could not
    be read, before or after; then ``result`` is FAILED."""

    result: WriteResult
    rev: int | None
    unread: bool = False


def index_changes(truth: Truth, writer: IndexWriter, refs: Sequence[OutboxRef]) -> Indexed:
    """Writes the present state of each memory, whatever state its change left it in, and settles what is searchable.

    The store must have come as far as the change, which consistent reads show; else that change is a failure. So is one
    whose memory can't be read, alone: the others go on.
    """
    written = write_present(truth, writer, [ref.memory for ref in refs])
    settled, waiting, failed = list[OutboxRef](), list[OutboxRef](), list[OutboxRef]()
    for ref in refs:
        one = written[ref.memory]
        reached = one.rev is None or one.rev >= ref.rev
        if not reached or one.result not in (WriteResult.WRITTEN, WriteResult.ACCEPTED):
            failed.append(ref)
        else:
            (settled if one.result is WriteResult.WRITTEN else waiting).append(ref)
    kept = truth.settle(settled)
    unanswered = (*(ref for ref in failed if written[ref.memory].unread), *kept)
    return Indexed(_without(settled, kept), tuple(waiting), (*failed, *kept), unanswered)


def write_present(truth: Truth, writer: IndexWriter, refs: Sequence[MemoryRef]) -> Mapping[MemoryRef, Written]:
    """Writes each memory as it is now, or deletes its entry if it is gone.

    The truth is read once more after each write: an index does not remember a deletion for ever, so an indexer that was
    held up could bring back what was deleted meanwhile. A refusal as stale is no success either, for the newer entry
    that stands there may not be searchable yet. In both cases the memory is read and written again.
    """
    written: dict[MemoryRef, Written] = {}
    waiting = list(dict.fromkeys(refs))
    for _ in range(ROUNDS):
        if not waiting:
            break
        written |= _write_once(truth, writer, waiting)
        waiting = [ref for ref in waiting if written[ref].result is WriteResult.STALE]
    return written


def confirm_searchable(truth: Truth, writer: IndexWriter, refs: Sequence[OutboxRef]) -> Indexed:
    """Settles the changes whose present state searches show, for a deployment that does not tell on writing."""
    before = truth.read([ref.memory for ref in refs])
    known = [ref for ref in refs if ref.memory not in before.unread]
    shown = _shown(writer, [entry_of(ref.memory, before.found.get(ref.memory)) for ref in known])
    after = truth.read([ref.memory for ref in known])
    same = [ref.memory not in after.unread and _same_rev(before, after, ref.memory) for ref in known]
    confirmed = [ref for ref, found, still in zip(known, shown, same, strict=True) if found and still]
    settled = _without(confirmed, truth.settle(confirmed))
    return Indexed(settled, _without(refs, settled))


def entry_of(ref: MemoryRef, memory: Memory | None) -> IndexEntry:
    """What the index is to hold of a memory; of one that is gone, nothing."""
    rev = memory.rev if memory else 0
    return IndexEntry(owner_key=ref.owner_key, memory_id=ref.memory_id, rev=rev, memory=memory)


def _write_once(truth: Truth, writer: IndexWriter, refs: Sequence[MemoryRef]) -> Mapping[MemoryRef, Written]:
    """STALE is what the index holds a newer rev of, and what moved while it was written."""
    before = truth.read(refs)
    known = [ref for ref in refs if ref not in before.unread]
    results = _write(writer, [entry_of(ref, before.found.get(ref)) for ref in known])
    after = truth.read(known)
    written = {ref: Written(WriteResult.FAILED, None, unread=True) for ref in before.unread | after.unread}
    for ref, result in zip(known, results, strict=True):
        if ref not in after.unread:
            moved = not _same_rev(before, after, ref)
            written[ref] = Written(WriteResult.STALE if moved else result, _rev(before, ref))
    return written


def _write(writer: IndexWriter, entries: Sequence[IndexEntry]) -> Sequence[WriteResult]:
    try:
        return writer.write(entries) if entries else []
    except (Unavailable, Throttled):
        return [WriteResult.FAILED] * len(entries)


def _shown(writer: IndexWriter, entries: Sequence[IndexEntry]) -> Sequence[bool]:
    try:
        return writer.searchable(entries) if entries else []
    except (Unavailable, Throttled):
        return [False] * len(entries)


def _rev(read: TruthRead, ref: MemoryRef) -> int | None:
    memory = read.found.get(ref)
    return memory.rev if memory else None


def _same_rev(before: TruthRead, after: TruthRead, ref: MemoryRef) -> bool:
    return _rev(before, ref) == _rev(after, ref)


def _without(refs: Sequence[OutboxRef], those: Collection[OutboxRef]) -> tuple[OutboxRef, ...]:
    return tuple(ref for ref in refs if ref not in those)
