"""Both legs of a search over one owner's memories."""

from collections.abc import Sequence
from typing import cast

import numpy as np

from m4a.adapters.sqlite.connection import Connection
from m4a.adapters.sqlite.database import Database
from m4a.adapters.sqlite.index.arrays import Array, best, near_best
from m4a.adapters.sqlite.index.cache import Caches, OwnerCache
from m4a.adapters.sqlite.rows import tag_term, to_millis
from m4a.domain.memory import Embedding, Filters
from m4a.domain.owner import Owner
from m4a.domain.ranking import K1, B, Statistics, term_weight
from m4a.domain.search import Degraded, IndexAnswer, IndexQuery, compared_by_words
from m4a.domain.text import RULES

_SLACK = 1e-4
"""By how much a cosine in float32 may be off, and more."""


class SqliteIndex:
    """Implements ``SearchIndex``, exactly: nothing is approximate, and nothing lags behind the store.

    Keeps vectors and filter fields of recent owners in memory, for ``max_memories`` in all, and reads what changed.
    """

    def __init__(self, database: Database, *, max_memories: int = 400_000) -> None:
        self._database = database
        self._caches = Caches(database.key, max_memories)

    def search(self, owner: Owner, query: IndexQuery) -> IndexAnswer:
        cache = self._caches.of(owner)
        with cache.lock:
            with self._database.snapshot() as connection:
                number, revision = _revision(connection, owner)
                if revision >= cache.revision:
                    cache.catch_up(connection, number, revision)
                    return _Search(connection, cache, number, query).answer()
            # The thread's snapshot is older than the cache, which does not go back: answer from the present state.
            with self._database.newest() as connection:
                number, revision = _revision(connection, owner)
                cache.catch_up(connection, number, revision)
                return _Search(connection, cache, number, query).answer()


def _revision(connection: Connection, owner: Owner) -> tuple[int, int]:
    row = connection.execute("SELECT no, revision FROM owners WHERE key = ?", (owner.key,)).fetchone()
    return row or (0, 0)


class _Search:
    """One search on a cache that is current."""

    def __init__(self, connection: Connection, cache: OwnerCache, owner_no: int, query: IndexQuery) -> None:
        self._connection = connection
        self._columns = cache.columns
        self._postings = cache.postings
        self._owner_no = owner_no
        self._query = query
        self._living = cache.columns.living(to_millis(query.now), query.exclude)
        self._mask = self._matching(query.filters)
        self._degraded: list[Degraded] = []

    def answer(self) -> IndexAnswer:
        scores, statistics = self._words()
        matched = np.flatnonzero((scores > 0) & self._mask)
        lexical, lexical_scores = best(matched, scores[matched], self._columns.created.array, self._query.k)
        dense, dense_scores = self._dense(self._query.embedding)
        legs = {"dense": dense_scores, "lexical": lexical_scores}
        return IndexAnswer(
            dense=self._ids(dense),
            lexical=self._ids(lexical),
            statistics=statistics,
            kth_scores={name: float(found[-1]) for name, found in legs.items() if len(found) == self._query.k},
            degraded=(*self._degraded, *self._outdated()),
        )

    def _matching(self, filters: Filters) -> Array:
        mask = self._columns.matching(self._living, filters)
        for tag in filters.tags:
            tagged = np.zeros(len(mask), np.bool_)
            tagged[self._posted(tag_term(tag))[0]] = True
            mask = mask & tagged
        return mask

    def _words(self) -> tuple[Array, Statistics]:
        """The lexical score of each position, and the statistics that it comes from."""
        memories = int(np.count_nonzero(self._living))
        total_length = int(self._columns.length.array @ self._living)
        average = Statistics(memories, total_length).average_length
        scores = np.zeros(len(self._living))
        frequencies: dict[str, int] = {}
        for term in self._query.terms:
            positions, counts = self._posted(term)
            frequencies[term] = int(np.count_nonzero(self._living[positions]))
            weight = term_weight(memories, frequencies[term])
            saturation = K1 * (1 - B + B * self._columns.length.array[positions] / average)
            scores[positions] += weight * (1 + K1) * counts / (counts + saturation)
        return scores, Statistics(memories, total_length, frequencies)

    def _dense(self, query: Embedding | None) -> tuple[Array, Array]:
        nothing = np.empty(0, np.intp), np.empty(0)
        if query is None:
            return nothing
        groups = self._columns.vectors
        self._name_left_out(query)
        group = groups.get((query.model, len(query.data)))
        if group is None:
            return nothing
        asked = np.flatnonzero(self._mask[group.positions.array])
        vector = np.frombuffer(query.data, "<f2")
        # Not a matrix product: BLAS shares that out to threads, which wait for each other on a busy machine.
        cosines = np.vecdot(group.matrix.array, vector.astype(np.float32))
        near = asked[near_best(cosines[asked], self._query.k, _SLACK)]
        exact = np.einsum("ij,j->i", group.matrix.array[near].astype(np.float64), vector.astype(np.float64))
        return best(group.positions.array[near], exact, self._columns.created.array, self._query.k)

    def _name_left_out(self, query: Embedding) -> None:
        groups = self._columns.vectors.items()
        counts = {key: int(np.count_nonzero(self._mask[group.positions.array])) for key, group in groups}
        without = int(np.count_nonzero(self._mask)) - sum(counts.values())
        others = sum(count for key, count in counts.items() if key != (query.model, len(query.data)))
        self._degraded += compared_by_words(without, others)

    def _outdated(self) -> Sequence[Degraded]:
        if self._connection.execute("SELECT value FROM meta WHERE name = 'token_rules'").get == RULES:
            return ()
        message = "The stored words were made by other rules than the query's, so some don't match; run `m4a reindex`."
        return (Degraded("index_outdated", message),)

    def _posted(self, term: str) -> tuple[Array, Array]:
        return self._postings.of(term, self._connection, self._owner_no, self._columns)

    def _ids(self, positions: Array) -> tuple[str, ...]:
        ids, chosen = self._columns.ids, cast("list[int]", positions.tolist())
        return tuple([ids[position] for position in chosen])
