"""The product's own parts put together wrongly, one rule of ``docs/consistency.md`` broken at a time."""

from collections.abc import Callable, Sequence
from typing import Any, overload

from opensearchpy import OpenSearch

from m4a.adapters.opensearch.client import connect
from m4a.domain.owner import Owner
from m4a.domain.records import Pending
from m4a.domain.search import IndexAnswer, IndexQuery
from m4a.ports import Outbox, SearchIndex
from m4a.ports.indexing import IndexEntry, IndexWriter, MemoryRef, OutboxRef, Truth, TruthRead, WriteResult


class OutboxFirst:
    """Outbox and index in one, for a service that reads the outbox first, as the product does; ``between`` comes then,
    before the search."""

    def __init__(self, outbox: Outbox, index: SearchIndex, between: Callable[[], None]) -> None:
        self._outbox = outbox
        self._index = index
        self._between = between

    def pending(self, owner: Owner, limit: int) -> Sequence[Pending]:
        return self._outbox.pending(owner, limit)

    def settle(self, owner: Owner, entry: Pending) -> None:
        self._outbox.settle(owner, entry)

    def search(self, owner: Owner, query: IndexQuery) -> IndexAnswer:
        self._between()
        return self._index.search(owner, query)


class SearchFirst(OutboxFirst):
    """Mutant: the outbox is read after the search, and what it holds is added to what was found."""

    def pending(self, owner: Owner, limit: int) -> Sequence[Pending]:
        self._late = _Later(lambda: self._outbox.pending(owner, limit))
        return self._late

    def search(self, owner: Owner, query: IndexQuery) -> IndexAnswer:
        answer = self._index.search(owner, query)
        self._between()
        self._late.read()
        return answer


class _Later(Sequence[Pending]):
    """Empty until it is read."""

    def __init__(self, read: Callable[[], Sequence[Pending]]) -> None:
        self._read = read
        self._entries: Sequence[Pending] = ()

    def read(self) -> None:
        self._entries = self._read()

    @overload
    def __getitem__(self, index: int) -> Pending: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Pending]: ...
    def __getitem__(self, index: int | slice) -> Pending | Sequence[Pending]:
        return self._entries[index]

    def __len__(self) -> int:
        return len(self._entries)


class SettlesOn409:
    """Mutant: the index holds this rev or a newer one, so the change counts as searchable."""

    def __init__(self, writer: IndexWriter) -> None:
        self._writer = writer

    def write(self, entries: Sequence[IndexEntry]) -> list[WriteResult]:
        results = self._writer.write(entries)
        return [WriteResult.WRITTEN if one is WriteResult.STALE else one for one in results]

    def searchable(self, entries: Sequence[IndexEntry]) -> list[bool]:
        return self._writer.searchable(entries)


def refusing_the_same_rev(address: str) -> OpenSearch:
    """A client that writes with the version type ``external``: 409 also for the rev that is there already."""
    client = connect(address)
    bulk = client.bulk

    def exclusive(body: str, **options: Any) -> Any:
        return bulk(body=body.replace('"external_gte"', '"external"'), **options)

    setattr(client, "bulk", exclusive)  # noqa: B010
    return client


class NoSecondLook:
    """Mutant: what the truth said before a write is taken for what it says after it."""

    def __init__(self, truth: Truth) -> None:
        self._truth = truth
        self._before: TruthRead | None = None

    def read(self, refs: Sequence[MemoryRef]) -> TruthRead:
        if self._before is None:
            self._before = self._truth.read(refs)
            return self._before
        before, self._before = self._before, None
        return before

    def settle(self, refs: Sequence[OutboxRef]) -> frozenset[OutboxRef]:
        return self._truth.settle(refs)


class HeldUp:
    """A writer before whose first write something happens."""

    def __init__(self, writer: IndexWriter, meanwhile: Callable[[], None]) -> None:
        self._writer = writer
        self._meanwhile: Callable[[], None] | None = meanwhile

    def write(self, entries: Sequence[IndexEntry]) -> list[WriteResult]:
        meanwhile, self._meanwhile = self._meanwhile, None
        if meanwhile:
            meanwhile()
        return self._writer.write(entries)

    def searchable(self, entries: Sequence[IndexEntry]) -> list[bool]:
        return self._writer.searchable(entries)
