"""Work across owners on the table."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from heapq import merge
from itertools import chain, islice

from m4a.adapters.dynamodb.keys import AUDIT, INDEX_STATE, Key, read_outbox_key
from m4a.adapters.dynamodb.memories import memory_of
from m4a.adapters.dynamodb.records import owner_of
from m4a.adapters.dynamodb.table import FIRST, LAST, Table
from m4a.adapters.dynamodb.values import Item
from m4a.adapters.dynamodb.work import SETTLE_AFTER, Work, partitions
from m4a.domain.owner import Owner
from m4a.domain.records import Due
from m4a.domain.times import format_instant, parse_instant
from m4a.ports.indexing import MemoryRef, OutboxRef, Overdue

_RULES = "token_rules"
_PAGE = 200
"""Entries of one partition of the index that are read at once."""
_READ_AT_ONCE = 64
"""Memories."""


class DynamoMaintenance:
    """Implements ``Maintenance``, and lists the outbox entries that the stream has missed."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def due(self, now: datetime) -> Iterator[Due]:
        until, after = format_instant(now), format_instant(now + timedelta(milliseconds=1))
        expired = merge(
            self._listed(Work.EXPIRE, until=until), self._listed(Work.EMBED_OR_EXPIRE, until=until), key=_by_age
        )
        rows = chain(expired, self._listed(Work.EMBED_OR_EXPIRE, since=after), self._listed(Work.EMBED, until=until))
        keys = (Key(row["pk"], row["sk"]) for row in rows)
        while some := list(islice(keys, _READ_AT_ONCE)):
            found = self._table.get_many(some).items
            yield from filter(None, (_due(found[key], now) for key in some if key in found))

    def unsettled(self, now: datetime) -> Iterator[Overdue]:
        """Outbox entries that are older than the stream should need, oldest first."""
        until = format_instant(now)
        return map(_overdue, self._listed(Work.SETTLE, until=until))

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

    def _listed(self, work: Work, since: str = FIRST, until: str = LAST) -> Iterator[Item]:
        """What the index lists of one kind of work, earliest first."""
        rows = [self._table.due(number, _PAGE, since=since, until=until) for number in partitions(work)]
        return merge(*rows, key=_by_age)


def _by_age(row: Item) -> tuple[str, str]:
    return row["due"], row["sk"]


def _overdue(row: Item) -> Overdue:
    entry = read_outbox_key(row["sk"])
    ref = OutboxRef(MemoryRef(row["pk"], entry.memory_id), entry.change_id, entry.rev)
    return Overdue(ref, parse_instant(row["due"]) - SETTLE_AFTER)


def _due(item: Item, now: datetime) -> Due | None:
    """What is due; None for a memory that the index lists from before its last change."""
    memory, owner = memory_of(item), owner_of(item)
    if not memory.lives_at(now):
        return Due(owner, memory.memory_id, "expired")
    return None if memory.embedding else Due(owner, memory.memory_id, "embed")
