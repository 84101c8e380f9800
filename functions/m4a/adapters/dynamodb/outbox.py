"""Changes that the search index may not know yet."""

from collections.abc import Sequence
from itertools import islice

from m4a.adapters.dynamodb.keys import OUTBOX, Key, outbox_key, read_outbox_key
from m4a.adapters.dynamodb.table import Table
from m4a.domain.owner import Owner
from m4a.domain.records import Pending


class DynamoOutbox:
    """Implements ``Outbox``. Entries are written by commits, in the same transaction."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def pending(self, owner: Owner, limit: int) -> Sequence[Pending]:
        rows = self._table.query(owner.key, OUTBOX, page=limit, keys_only=True)
        return [read_outbox_key(row["sk"]) for row in islice(rows, limit)]

    def settle(self, owner: Owner, entry: Pending) -> None:
        self._table.delete(Key(owner.key, outbox_key(entry)))
