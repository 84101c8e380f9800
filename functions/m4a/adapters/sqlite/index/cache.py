"""What one owner's searches need, in memory, and how it catches up with the store."""

import threading
from collections import OrderedDict
from itertools import islice

from m4a.adapters.sqlite.connection import Connection
from m4a.adapters.sqlite.index.columns import SELECT_COLUMNS, Columns
from m4a.adapters.sqlite.index.postings import Postings
from m4a.adapters.sqlite.rows import posted_counts
from m4a.domain.owner import Owner

_MAX_DEAD_SHARE = 0.3
_FEW = 1_000
_BATCH = 10_000

_NEWS = f"""
SELECT {SELECT_COLUMNS}, words.body FROM memories
LEFT JOIN cells AS numbers ON numbers.no = vector LEFT JOIN cells AS words ON :words AND words.no = statement
WHERE owner_no = :owner AND seq > :seen ORDER BY seq
"""


class OwnerCache:
    """The state of one owner's memories at ``revision``. Hold ``lock`` while using it."""

    def __init__(self, key: bytes) -> None:
        self.lock = threading.Lock()
        self.revision = 0
        self.columns = Columns()
        self.postings = Postings(key)

    def catch_up(self, connection: Connection, owner_no: int, revision: int) -> None:
        """Reads what commits after the cached revision have changed."""
        if revision == self.revision:
            return
        if len(self.columns):
            sql = "SELECT memory_id FROM receipts WHERE owner_no = ? AND seq > ?"
            gone = connection.execute(sql, (owner_no, self.revision)).fetchall()
            self.columns.remove([memory_id for (memory_id,) in gone])
        wants_words = len(self.postings) > 0
        rows = iter(connection.execute(_NEWS, {"owner": owner_no, "seen": self.revision, "words": wants_words}))
        while batch := list(islice(rows, _BATCH)):
            self.columns.remove([row[1] for row in batch])
            if wants_words:
                self.postings.append(len(self.columns), [posted_counts(row[-1]) for row in batch])
            self.columns.append(batch)
        self.revision = revision
        if len(self.columns) > _FEW and self.columns.dead_share > _MAX_DEAD_SHARE:
            self.postings.move(self.columns.compact())


class Caches:
    """The caches of the owners that searched last, within a number of memories in all."""

    def __init__(self, key: bytes, max_memories: int) -> None:
        self._key = key
        self._max_memories = max_memories
        self._lock = threading.Lock()
        self._by_owner: OrderedDict[str, OwnerCache] = OrderedDict()

    def of(self, owner: Owner) -> OwnerCache:
        """The owner's cache, new or as it was left; drops those that were not used for longest."""
        with self._lock:
            cache = self._by_owner.setdefault(owner.key, OwnerCache(self._key))
            self._by_owner.move_to_end(owner.key)
            held = sum(len(one.columns) for one in self._by_owner.values())
            while held > self._max_memories and len(self._by_owner) > 1:
                _, dropped = self._by_owner.popitem(last=False)
                held -= len(dropped.columns)
            return cache
