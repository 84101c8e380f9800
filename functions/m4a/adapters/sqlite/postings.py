"""Which memories hold which terms. A posting holds a keyed digest of its term: no words in index pages."""

import hashlib
from collections.abc import Mapping

from m4a.adapters.sqlite.connection import Connection


def token_of(key: bytes, term: str) -> int:
    """A 64-bit digest of a term under the store's key."""
    digest = hashlib.blake2b(term.encode(), key=key, person=b"term", digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


class PostingsWriter:
    """Keeps the postings of one owner in step with the memories, inside a write transaction."""

    def __init__(self, connection: Connection, key: bytes, owner_no: int) -> None:
        self._connection = connection
        self._key = key
        self._owner_no = owner_no

    def replace(self, memory_no: int, before: Mapping[str, int], after: Mapping[str, int]) -> None:
        """Makes the postings of one memory those of ``after``, writing only what differs."""
        gone = [(self._owner_no, token_of(self._key, term), memory_no) for term in before if term not in after]
        changed = [(term, count) for term, count in after.items() if before.get(term) != count]
        new = [(self._owner_no, token_of(self._key, term), memory_no, count) for term, count in changed]
        self._connection.executemany("DELETE FROM postings WHERE owner_no = ? AND token = ? AND memory = ?", gone)
        self._connection.executemany("INSERT OR REPLACE INTO postings VALUES (?, ?, ?, ?)", new)

    def erase(self, memory_no: int) -> None:
        """Removes all postings of one memory."""
        self._connection.execute("DELETE FROM postings WHERE memory = ?", (memory_no,))
