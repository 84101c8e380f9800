"""Work across owners on the table."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from heapq import merge
from itertools import chain, islice

from m4a.adapters.dynamodb.keys import AUDIT, INDEX_STATE, MEMORY, Key, read_outbox_key
from m4a.adapters.dynamodb.memories import memory_of
from m4a.adapters.dynamodb.records import owner_of
from m4a.adapters.dynamodb.sending import ATTEMPTS
from m4a.adapters.dynamodb.table import FIRST, LAST, Read, Table
from m4a.adapters.dynamodb.values import Item
from m4a.adapters.dynamodb.work import BARE_SINCE, SETTLE_AFTER, Work, partitions, put_off
from m4a.domain.errors import Throttled, Unavailable
from m4a.domain.memory import Memory
from m4a.domain.owner import Owner
from m4a.domain.records import Due
from m4a.domain.times import format_instant, parse_instant
from m4a.ports.indexing import MemoryRef, OutboxRef, Overdue

_RULES = "token_rules"
_PAGE = 200
"""Entries of one partition of the index that are read at once."""
_READ_AT_ONCE = 64
"""Memories."""
_FAILURES = 3
"""Reads in a row that bring nothing: then it is no matter of the owners that were asked for. After so many in all that
leave something out, each of the others is tried once: patience with each owner would add up."""


class DynamoMaintenance:
    """Implements ``Maintenance``, and lists the outbox entries that the stream has missed."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def due(self, now: datetime) -> Iterator[Due | None]:
        until, after = format_instant(now), _after(now)
        reading, put_off = _Reading(self._table, now), list[Due]()
        expired = merge(
            self._listed(Work.EXPIRE, until=until), self._listed(Work.EMBED_OR_EXPIRE, until=until), key=_by_age
        )
        for one in reading.due(expired):
            if one and one.reason == "embed":
                put_off.append(one)
            else:
                yield one
        yield from put_off
        living = chain(self._listed(Work.EMBED_OR_EXPIRE, since=after), self._listed(Work.EMBED, until=until))
        yield from reading.due(living)

    def put_off(self, owner: Owner, memory: Memory, until: datetime) -> None:
        key = Key(owner.key, MEMORY + memory.memory_id)
        self._table.update(key, put_off(memory, until), rev=memory.rev)

    def due_age(self, now: datetime) -> float:
        """Of those that have no vector and will expire, the first ``_READ_AT_ONCE`` count, if they can be read."""
        until = format_instant(now)
        kinds = (Work.EXPIRE, Work.EMBED_OR_EXPIRE, Work.EMBED)
        firsts = (next(self._listed(work, until=until, page=1), None) for work in kinds)
        since = [row["due"] for row in firsts if row]
        living = self._listed(Work.EMBED_OR_EXPIRE, since=_after(now), page=_READ_AT_ONCE)
        since += self._bare_since([Key(row["pk"], row["sk"]) for row in islice(living, _READ_AT_ONCE)])
        return max(0.0, (now - parse_instant(min(since, default=until))).total_seconds())

    def unsettled(self, now: datetime, after: timedelta) -> Iterator[Overdue]:
        until = format_instant(now + SETTLE_AFTER - after)
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

    def _bare_since(self, keys: Sequence[Key]) -> list[str]:
        """Since when these memories have no vector; the index holds only when they expire."""
        try:
            items = self._table.get_many(keys).items.values()
        except (Throttled, Unavailable):
            return []
        return [item[BARE_SINCE] for item in items if BARE_SINCE in item]

    def _listed(self, work: Work, since: str = FIRST, until: str = LAST, page: int = _PAGE) -> Iterator[Item]:
        """What the index lists of one kind of work, earliest first."""
        rows = [self._table.due(number, page, since=since, until=until) for number in partitions(work)]
        return merge(*rows, key=_by_age)


class _Reading:
    """Reads memories of many owners. One whose partition of the table is overrun is not asked for again, so that the
    others have their turn, and patience ends."""

    def __init__(self, table: Table, now: datetime) -> None:
        self._table = table
        self._now = now
        self._busy = set[str]()
        self._in_a_row = 0
        self._incomplete = 0

    def due(self, rows: Iterator[Item]) -> Iterator[Due | None]:
        """What is due of these, in their order; None for one that can't be read."""
        keys = (Key(row["pk"], row["sk"]) for row in rows)
        while some := list(islice(keys, _READ_AT_ONCE)):
            asked = [key for key in some if key.pk not in self._busy]
            read = self._read(asked) if asked else Read({}, frozenset())
            unread = read.unread | (set(some) - set(asked))
            for key in some:
                one = _due(read.items[key], self._now) if key in read.items else None
                if one or key in unread:
                    yield one

    def _read(self, keys: Sequence[Key]) -> Read:
        try:
            read = self._table.get_many(keys, tries=ATTEMPTS if self._incomplete < _FAILURES else 1)
        except (Throttled, Unavailable):
            self._in_a_row += 1
            if self._in_a_row == _FAILURES:
                raise
            read = Read({}, frozenset(keys))
        else:
            self._in_a_row = 0
        self._incomplete += bool(read.unread)
        self._busy |= {key.pk for key in read.unread}
        return read


def _after(now: datetime) -> str:
    return format_instant(now + timedelta(milliseconds=1))


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
