"""Reading memories, with those that were read last kept in memory: most of a read is making objects of rows.

What is kept of an owner is right at one revision of the owner. A read at a later one first lets go of what the commits
between have changed or erased; a read in an older snapshot uses nothing of it.
"""

import json
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from m4a.adapters.sqlite.connection import Connection
from m4a.adapters.sqlite.rows import SELECT_MEMORY, memory_of
from m4a.domain.memory import Memory
from m4a.domain.owner import Owner

MAX_KEPT = 20_000

_CHANGED = """
SELECT memory_id FROM memories WHERE owner_no = :owner AND seq > :seen
UNION ALL SELECT memory_id FROM receipts WHERE owner_no = :owner AND seq > :seen
"""


@dataclass(slots=True)
class _Kept:
    """Memories of one owner as they are at ``revision``."""

    revision: int
    memories: dict[str, Memory] = field(default_factory=dict[str, Memory])

    def catch_up(self, connection: Connection, owner_no: int, revision: int) -> None:
        """Lets go of what has changed since."""
        if revision > self.revision:
            for (memory_id,) in connection.execute(_CHANGED, {"owner": owner_no, "seen": self.revision}):
                self.memories.pop(memory_id, None)
            self.revision = revision


class Memories:
    """Safe to share between threads."""

    def __init__(self, max_kept: int = MAX_KEPT) -> None:
        self._max_kept = max_kept
        self._lock = threading.Lock()
        self._by_owner: dict[str, _Kept] = {}

    def read(self, connection: Connection, owner: Owner, memory_ids: Sequence[str]) -> Mapping[str, Memory]:
        """Those of the memories that exist. The connection is in a transaction, for it is asked more than once."""
        row = connection.execute("SELECT no, revision FROM owners WHERE key = ?", (owner.key,)).fetchone()
        if row is None:
            return {}
        owner_no, revision = row
        with self._lock:
            kept = self._by_owner.setdefault(owner.key, _Kept(revision))
            kept.catch_up(connection, owner_no, revision)
            known = kept.memories if kept.revision == revision else {}
            found = {one: known[one] for one in memory_ids if one in known}
        missing = [one for one in memory_ids if one not in found]
        if missing:
            sql = f"{SELECT_MEMORY} WHERE owner_no = ? AND memory_id IN (SELECT value FROM json_each(?))"
            read = {row[0]: memory_of(row) for row in connection.execute(sql, (owner_no, json.dumps(missing)))}
            self._keep(owner, revision, read)
            found |= read
        return found

    def drop(self, owner: Owner, memory_id: str) -> None:
        """Lets go of a memory that was erased."""
        with self._lock:
            if kept := self._by_owner.get(owner.key):
                kept.memories.pop(memory_id, None)

    def _keep(self, owner: Owner, revision: int, memories: Mapping[str, Memory]) -> None:
        with self._lock:
            if sum(len(one.memories) for one in self._by_owner.values()) + len(memories) > self._max_kept:
                self._by_owner.clear()
            kept = self._by_owner.setdefault(owner.key, _Kept(revision))
            if kept.revision == revision:
                kept.memories.update(memories)
