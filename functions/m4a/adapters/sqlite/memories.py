"""Reading memories, with those that were read last kept in memory: most of a read is making objects of rows.

A kept memory is used only if its row, looked at each time, has the same ``seq``, which each write of it raises.
"""

import json
import threading
from collections.abc import Mapping, Sequence

from m4a.adapters.sqlite.connection import Connection
from m4a.adapters.sqlite.owners import OWNER_NO
from m4a.adapters.sqlite.rows import SELECT_MEMORY, memory_of
from m4a.domain.memory import Memory
from m4a.domain.owner import Owner

MAX_KEPT = 20_000

_WHERE = f"WHERE owner_no = {OWNER_NO} AND memory_id IN (SELECT value FROM json_each(?))"


class Memories:
    """Safe to share between threads."""

    def __init__(self, max_kept: int = MAX_KEPT) -> None:
        self._max_kept = max_kept
        self._lock = threading.Lock()
        self._kept: dict[tuple[str, str], tuple[int, Memory]] = {}

    def read(self, connection: Connection, owner: Owner, memory_ids: Sequence[str]) -> Mapping[str, Memory]:
        """Those of the memories that exist. The connection is in a transaction, for it is asked twice."""
        values = (owner.key, json.dumps(list(memory_ids)))
        present = connection.execute(f"SELECT memory_id, seq FROM memories {_WHERE}", values).fetchall()
        found: dict[str, Memory] = {}
        missing: dict[str, int] = {}
        for memory_id, seq in present:
            kept = self._kept.get((owner.key, memory_id))
            if kept and kept[0] == seq:
                found[memory_id] = kept[1]
            else:
                missing[memory_id] = seq
        if missing:
            rows = connection.execute(f"{SELECT_MEMORY} {_WHERE}", (owner.key, json.dumps(list(missing))))
            read = {row[0]: memory_of(row) for row in rows}
            self._keep({(owner.key, one): (missing[one], memory) for one, memory in read.items()})
            found |= read
        return found

    def drop(self, owner: Owner, memory_id: str) -> None:
        """Lets go of a memory that was erased."""
        with self._lock:
            self._kept.pop((owner.key, memory_id), None)

    def _keep(self, memories: Mapping[tuple[str, str], tuple[int, Memory]]) -> None:
        with self._lock:
            if len(self._kept) + len(memories) > self._max_kept:
                self._kept.clear()
            self._kept.update(memories)
