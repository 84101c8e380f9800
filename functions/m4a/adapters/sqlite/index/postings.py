"""Which of an owner's memories hold a term, read from the store when a query first asks for it."""

from collections.abc import Mapping, Sequence

import numpy as np

from m4a.adapters.sqlite.connection import Connection
from m4a.adapters.sqlite.index.arrays import Array
from m4a.adapters.sqlite.index.columns import Columns
from m4a.adapters.sqlite.postings import token_of

_NONE: tuple[Array, Array] = (np.empty(0, np.intp), np.empty(0, np.float64))


class Postings:
    """Positions (each once) and counts by term, for the terms that queries asked for so far. ``key``: the store's."""

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._terms: dict[str, tuple[Array, Array]] = {}

    def __len__(self) -> int:
        return len(self._terms)

    def of(self, term: str, connection: Connection, owner_no: int, columns: Columns) -> tuple[Array, Array]:
        """The positions that hold the term, and how often. Dead positions may be among them."""
        found = self._terms.get(term)
        if found is None:
            found = self._read(term, connection, owner_no, columns)
            if len(found[0]):
                self._terms[term] = found
        return found

    def append(self, start: int, posted: Sequence[Mapping[str, int]]) -> None:
        """Adds what new positions from ``start`` on are posted under."""
        news: dict[str, list[tuple[int, int]]] = {}
        for position, counts in enumerate(posted, start):
            for term in counts.keys() & self._terms.keys():
                news.setdefault(term, []).append((position, counts[term]))
        for term, pairs in news.items():
            self._terms[term] = _joined(self._terms[term], pairs)

    def move(self, moved: Array) -> None:
        """Takes over new positions; those that are now -1 go."""
        for term, (positions, counts) in self._terms.items():
            now = moved[positions]
            self._terms[term] = (now[now >= 0], counts[now >= 0])

    def _read(self, term: str, connection: Connection, owner_no: int, columns: Columns) -> tuple[Array, Array]:
        sql = "SELECT memory, count FROM postings WHERE owner_no = ? AND token = ?"
        rows = connection.execute(sql, (owner_no, token_of(self._key, term))).fetchall()
        return _joined(_NONE, [(columns.position_of_no[no], count) for no, count in rows])


def _joined(known: tuple[Array, Array], pairs: Sequence[tuple[int, int]]) -> tuple[Array, Array]:
    if not pairs:
        return known
    positions, counts = zip(*pairs, strict=True)
    return np.append(known[0], np.array(positions, np.intp)), np.append(known[1], np.array(counts, np.float64))
