"""Brings changes from the outbox into the search index, and settles them once they are known to be searchable."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

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
    Unsettled,
    WriteResult,
)

ROUNDS = 3
"""How often a memory is read and written again when it moved meanwhile."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Indexing:
    """The ports around the search index, for the indexer, the sweep and operator commands.

    ``filler`` writes to one generation alone, and waits for no search to see it: its entries are ACCEPTED.
    """

    truth: Truth
    writer: IndexWriter
    filler: Callable[[int], IndexWriter]
    admin: IndexAdmin
    state: IndexState
    outbox: Unsettled
    dimensions: int


@dataclass(frozen=True, slots=True)
class Indexed:
    """What became of a batch. ``waiting`` were written, and are settled by the sweep once a search shows them."""

    settled: tuple[OutboxRef, ...] = ()
    waiting: tuple[OutboxRef, ...] = ()
    failed: tuple[OutboxRef, ...] = ()


@dataclass(frozen=True, slots=True)
class Written:
    """What became of one memory, and the rev at which it was written; None where it was gone."""

    result: WriteResult
    rev: int | None


def index_changes(truth: Truth, writer: IndexWriter, refs: Sequence[OutboxRef]) -> Indexed:
    """Writes the present state of each memory, whatever state its change left it in, and settles what is searchable.

    The store must have come as far as the change, which consistent reads show; else that change is a failure.
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
    truth.settle(settled)
    return Indexed(tuple(settled), tuple(waiting), tuple(failed))


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
        before = truth.read(waiting)
        results = _write(writer, [entry_of(ref, before.get(ref)) for ref in waiting])
        after = truth.read(waiting)
        for ref, result in zip(waiting, results, strict=True):
            moved = _rev(before, ref) != _rev(after, ref)
            written[ref] = Written(WriteResult.STALE if moved else result, _rev(before, ref))
        waiting = [ref for ref in waiting if written[ref].result is WriteResult.STALE]
    return written


def confirm_searchable(truth: Truth, writer: IndexWriter, refs: Sequence[OutboxRef]) -> Indexed:
    """Settles the changes whose present state searches show, for a deployment that does not tell on writing."""
    memories = [ref.memory for ref in refs]
    before = truth.read(memories)
    shown = writer.searchable([entry_of(ref.memory, before.get(ref.memory)) for ref in refs])
    after = truth.read(memories)
    same = [_rev(before, ref.memory) == _rev(after, ref.memory) for ref in refs]
    settled = [ref for ref, found, still in zip(refs, shown, same, strict=True) if found and still]
    truth.settle(settled)
    return Indexed(tuple(settled), tuple(ref for ref in refs if ref not in settled))


def entry_of(ref: MemoryRef, memory: Memory | None) -> IndexEntry:
    """What the index is to hold of a memory; of one that is gone, nothing."""
    rev = memory.rev if memory else 0
    return IndexEntry(owner_key=ref.owner_key, memory_id=ref.memory_id, rev=rev, memory=memory)


def _write(writer: IndexWriter, entries: Sequence[IndexEntry]) -> Sequence[WriteResult]:
    try:
        return writer.write(entries)
    except (Unavailable, Throttled):
        return [WriteResult.FAILED] * len(entries)


def _rev(memories: Mapping[MemoryRef, Memory], ref: MemoryRef) -> int | None:
    memory = memories.get(ref)
    return memory.rev if memory else None
