"""The search index with a fault between it and the service, and between it and the indexer."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from m4a.application.indexing import Indexing
from m4a.domain.owner import Owner
from m4a.domain.search import Degraded, IndexAnswer, IndexQuery
from m4a.ports import SearchIndex
from m4a.ports.indexing import IndexEntry, IndexWriter, WriteResult
from tests.cases.fault_modes import NO_FAULT, Mode
from tests.cases.faults import Fault


class FaultyIndex:
    """``words`` and ``vectors`` empty one leg and name it, as the port has it."""

    def __init__(self, inner: SearchIndex, fault: Fault) -> None:
        self._inner, self._fault = inner, fault

    def set(self, mode: Mode) -> None:
        self._fault.set(mode)

    def search(self, owner: Owner, query: IndexQuery) -> IndexAnswer:
        effect = self._fault.read()
        answer = self._inner.search(owner, query)
        match effect:
            case "words":
                failed = Degraded("word_search_unavailable", "The search by words is made to fail.")
                return replace(answer, lexical=(), degraded=(*answer.degraded, failed))
            case "vectors":
                failed = Degraded("vector_search_unavailable", "The search by meaning is made to fail.")
                return replace(answer, dense=(), degraded=(*answer.degraded, failed))
            case _:
                return answer


class DeletableIndex(FaultyIndex):
    """An index of its own. ``absent`` deletes it, so that ``clear`` does not bring it back, but a reindex does."""

    def __init__(self, inner: SearchIndex, fault: Fault, delete: Callable[[], None]) -> None:
        super().__init__(inner, fault)
        self._delete = delete

    def set(self, mode: Mode) -> None:
        if mode.effect == "absent":
            self._delete()
            mode = NO_FAULT
        super().set(mode)


class FaultyWriter:
    """Writes of the indexer, the sweep and a reindex. ``partial``: the first of each batch fails."""

    def __init__(self, inner: IndexWriter, fault: Fault) -> None:
        self._inner, self._fault = inner, fault

    def write(self, entries: Sequence[IndexEntry]) -> list[WriteResult]:
        if self._fault.write() == "partial":
            return [WriteResult.FAILED, *(self._inner.write(entries[1:]) if entries[1:] else ())]
        return self._inner.write(entries)

    def searchable(self, entries: Sequence[IndexEntry]) -> list[bool]:
        return self._inner.searchable(entries)


def with_faulty_writes(indexing: Indexing, fault: Fault) -> Indexing:
    """The indexer's ports with the fault in front of all that writes to the index."""

    def filler(generation: int) -> IndexWriter:
        return FaultyWriter(indexing.filler(generation), fault)

    return replace(indexing, writer=FaultyWriter(indexing.writer, fault), filler=filler)
