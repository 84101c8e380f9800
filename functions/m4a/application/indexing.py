"""Brings changes from the outbox into the search index, and settles them once they are known to be searchable."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from m4a.domain.errors import Throttled, Unavailable
from m4a.domain.memory import Memory
from m4a.ports.indexing import IndexEntry, IndexWriter, MemoryRef, OutboxRef, Truth, WriteResult

ROUNDS = 3
"""How often entries are read and written again when they moved meanwhile."""


@dataclass(frozen=True, slots=True)
class Indexed:
    """What became of a batch. ``waiting`` were written, and are settled by the sweep once a search shows them."""

    settled: tuple[OutboxRef, ...] = ()
    waiting: tuple[OutboxRef, ...] = ()
    failed: tuple[OutboxRef, ...] = ()


def index_changes(truth: Truth, writer: IndexWriter, refs: Sequence[OutboxRef]) -> Indexed:
    """Writes the present state of each memory, whatever state its change left it in.

    A change is settled only if its memory, read once more after the write, is still what was written: a deletion is not
    remembered by the index for ever, and an indexer that was held up could bring back what was deleted meanwhile. A
    refusal as stale settles nothing either, for the newer entry that stands there may not be searchable yet.
    """
    open_refs, waiting, failed = list(refs), list[OutboxRef](), list[OutboxRef]()
    settled: list[OutboxRef] = []
    for _ in range(ROUNDS):
        if not open_refs:
            break
        before = truth.read([ref.memory for ref in open_refs])
        reached = [ref for ref in open_refs if _reached(before.get(ref.memory), ref)]
        failed += [ref for ref in open_refs if ref not in reached]
        results = _write(writer, before, reached)
        after = truth.read([ref.memory for ref in reached])
        open_refs = []
        for ref in reached:
            result = results[ref.memory]
            if result in (WriteResult.FAILED, WriteResult.POISON):
                failed.append(ref)
            elif result is WriteResult.STALE or _rev(before, ref) != _rev(after, ref):
                open_refs.append(ref)
            elif result is WriteResult.ACCEPTED:
                waiting.append(ref)
            else:
                settled.append(ref)
    truth.settle(settled)
    return Indexed(tuple(settled), tuple(waiting), (*failed, *open_refs))


def confirm_searchable(truth: Truth, writer: IndexWriter, refs: Sequence[OutboxRef]) -> Indexed:
    """Settles those of the changes whose present state searches show, for a deployment that does not tell on writing."""
    present = truth.read([ref.memory for ref in refs])
    entries = [_entry(present, ref.memory) for ref in refs]
    shown = writer.searchable(entries)
    after = truth.read([ref.memory for ref in refs])
    settled = [ref for ref, found in zip(refs, shown, strict=True) if found and _rev(present, ref) == _rev(after, ref)]
    truth.settle(settled)
    return Indexed(tuple(settled), tuple(ref for ref in refs if ref not in settled))


def _write(
    writer: IndexWriter, present: Mapping[MemoryRef, Memory], refs: Sequence[OutboxRef]
) -> Mapping[MemoryRef, WriteResult]:
    memories = list(dict.fromkeys(ref.memory for ref in refs))
    if not memories:
        return {}
    try:
        results = writer.write([_entry(present, one) for one in memories])
    except (Unavailable, Throttled):
        results = [WriteResult.FAILED] * len(memories)
    return dict(zip(memories, results, strict=True))


def _entry(present: Mapping[MemoryRef, Memory], ref: MemoryRef) -> IndexEntry:
    memory = present.get(ref)
    return IndexEntry(owner_key=ref.owner_key, memory_id=ref.memory_id, rev=memory.rev if memory else 0, memory=memory)


def _reached(memory: Memory | None, ref: OutboxRef) -> bool:
    """Whether the truth is as far as the change, which a consistent read must show; or the memory is gone."""
    return memory is None or memory.rev >= ref.rev


def _rev(memories: Mapping[MemoryRef, Memory], ref: OutboxRef) -> int | None:
    memory = memories.get(ref.memory)
    return memory.rev if memory else None
