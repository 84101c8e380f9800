"""The table as the indexer sees it."""

from collections.abc import Sequence

from m4a.adapters.dynamodb.keys import MEMORY, Key, outbox_key
from m4a.adapters.dynamodb.memories import memory_of
from m4a.adapters.dynamodb.sending import ATTEMPTS
from m4a.adapters.dynamodb.table import Table
from m4a.domain.errors import Throttled, Unavailable
from m4a.domain.records import Pending
from m4a.ports.indexing import MemoryRef, OutboxRef, TruthRead

_FAILURES = 3
"""Owners in a row whose entries can't be deleted: then it is no matter of theirs, and the rest is left. After so many
in all, the others are asked once: patience with each would add up."""


class DynamoTruth:
    """Implements ``Truth``: reads memories by the key of their owner, and deletes outbox entries."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def read(self, refs: Sequence[MemoryRef]) -> TruthRead:
        keys = {Key(ref.owner_key, MEMORY + ref.memory_id): ref for ref in refs}
        try:
            read = self._table.get_many(list(keys))
        except (Throttled, Unavailable):
            return TruthRead({}, frozenset(refs))
        found = {keys[key]: memory_of(item) for key, item in read.items.items()}
        return TruthRead(found, frozenset(keys[key] for key in read.unread))

    def settle(self, refs: Sequence[OutboxRef]) -> frozenset[OutboxRef]:
        left, busy, in_a_row = set[OutboxRef](), set[str](), 0
        for ref in refs:
            owner = ref.memory.owner_key
            if owner in busy or in_a_row == _FAILURES:
                left.add(ref)
            elif self._deleted(ref, tries=ATTEMPTS if len(busy) < _FAILURES else 1):
                in_a_row = 0
            else:
                left.add(ref)
                busy.add(owner)
                in_a_row += 1
        return frozenset(left)

    def _deleted(self, ref: OutboxRef, tries: int) -> bool:
        entry = Pending(ref.change_id, ref.memory.memory_id, ref.rev)
        try:
            self._table.delete(Key(ref.memory.owner_key, outbox_key(entry)), tries=tries)
        except (Throttled, Unavailable):
            return False
        return True
