"""The table as the indexer sees it."""

from collections.abc import Mapping, Sequence

from m4a.adapters.dynamodb.keys import MEMORY, Key, outbox_key
from m4a.adapters.dynamodb.memories import memory_of
from m4a.adapters.dynamodb.table import Table
from m4a.domain.errors import Throttled
from m4a.domain.memory import Memory
from m4a.domain.records import Pending
from m4a.ports.indexing import MemoryRef, OutboxRef


class DynamoTruth:
    """Implements ``Truth``: reads memories by the key of their owner, and deletes outbox entries."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def read(self, refs: Sequence[MemoryRef]) -> Mapping[MemoryRef, Memory]:
        keys = {Key(ref.owner_key, MEMORY + ref.memory_id): ref for ref in refs}
        read = self._table.get_many(list(keys))
        if read.unread:
            raise Throttled("Not all memories could be read.")
        return {keys[key]: memory_of(item) for key, item in read.items.items()}

    def settle(self, refs: Sequence[OutboxRef]) -> None:
        for ref in refs:
            entry = Pending(ref.change_id, ref.memory.memory_id, ref.rev)
            self._table.delete(Key(ref.memory.owner_key, outbox_key(entry)))
