"""Work across owners on the table."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from heapq import merge
from itertools import islice

from m4a.adapters.dynamodb.keys import AUDIT, INDEX_STATE, Key, read_outbox_key
from m4a.adapters.dynamodb.memories import memory_of
from m4a.adapters.dynamodb.records import owner_of
from m4a.adapters.dynamodb.table import Table
from m4a.adapters.dynamodb.values import Item
from m4a.adapters.dynamodb.work import SETTLE_AFTER, Work, partitions
from m4a.domain.owner import Owner
from m4a.domain.records import Due
from m4a.domain.times import format_instant, parse_instant
from m4a.ports.indexing import MemoryRef, OutboxRef, Overdue

_RULES = "token_rules"
_PAGE = 200
"""Entries of one partition of the index that are read at once."""


class DynamoMaintenance:
    """Implements ``Maintenance``, and lists the outbox entries that the stream has missed."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def due(self, now: datetime, limit: int) -> Sequence[Due]:
        """Oldest first: from when it expired, or from the last change of what has no vector."""
        keys = [*self._earliest(Work.EXPIRE, now, limit), *self._earliest(Work.EMBED, now, limit)]
        found = self._table.get_many(keys).items.values()
        dated = [one for one in (_due(item, now) for item in found) if one]
        dated.sort(key=lambda one: (one[1].reason != "expired", one[0], one[1].memory_id))
        return [due for _, due in dated[:limit]]

    def unsettled(self, now: datetime) -> Iterator[Overdue]:
        """Outbox entries that are older than the stream should need, oldest first."""
        until = format_instant(now)
        rows = [self._table.due(number, until, _PAGE) for number in partitions(Work.SETTLE)]
        return map(_overdue, merge(*rows, key=_by_age))

    def owners(self) -> Iterator[Owner]:
        """Reads the whole table; an owner that comes while it is read may be missing."""
        seen: set[str] = set()
        for item in self._table.scan("pk", "sk", "tenant", "user"):
            if "tenant" in item and item["pk"] not in seen and not item["sk"].startswith(AUDIT):
                seen.add(item["pk"])
                yield owner_of(item)

    def token_rules(self) -> str:
        """Empty as long as nobody has said."""
        state = self._table.get(INDEX_STATE) or {}
        return state.get(_RULES, "")

    def set_token_rules(self, rules: str) -> None:
        self._table.update(INDEX_STATE, {_RULES: rules})

    def _earliest(self, work: Work, now: datetime, limit: int) -> list[Key]:
        until = format_instant(now)
        rows = [row for number in partitions(work) for row in islice(self._table.due(number, until, limit), limit)]
        rows.sort(key=_by_age)
        return [Key(row["pk"], row["sk"]) for row in rows[:limit]]


def _by_age(row: Item) -> tuple[str, str]:
    return row["due"], row["sk"]


def _overdue(row: Item) -> Overdue:
    entry = read_outbox_key(row["sk"])
    ref = OutboxRef(MemoryRef(row["pk"], entry.memory_id), entry.change_id, entry.rev)
    return Overdue(ref, parse_instant(row["due"]) - SETTLE_AFTER)


def _due(item: Item, now: datetime) -> tuple[datetime, Due] | None:
    """Since when what is due; None for a memory that the index lists from before its last change."""
    memory, owner = memory_of(item), owner_of(item)
    if memory.expires_at and not memory.lives_at(now):
        return memory.expires_at, Due(owner, memory.memory_id, "expired")
    return (memory.updated_at, Due(owner, memory.memory_id, "embed")) if memory.embedding is None else None
