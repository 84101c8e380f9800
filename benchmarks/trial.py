"""Search indexes on one node, measured beside the first of them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from rich.progress import Progress

from benchmarks.comparing import WARM_UP, Compared, Run, compare
from benchmarks.crowd import OWNER_SIZE, Crowd, entry
from benchmarks.filling import FilledIndex, Size
from benchmarks.seeding import CALLER, Seeder
from benchmarks.sentences import Sentences
from m4a.application.service import Service
from m4a.application.upkeep import memories_of
from m4a.domain.memory import Filters
from m4a.domain.owner import Caller, Owner
from m4a.domain.search import IndexQuery, candidates_per_leg
from m4a.domain.text import query_terms
from m4a.ports import SearchIndex
from m4a.ports.indexing import IndexEntry
from m4a.tools import call_tool

BIG_CALLER = replace(CALLER, owner=Owner("default", "big"))
ROUNDS = 200
LIMIT = 5


@dataclass(frozen=True, slots=True)
class Measured:
    """One index beside the first: what it takes up, how fast it was built (entries a second), and times in ms."""

    title: str
    size: Size
    rate: float
    search: Compared
    recall: Compared


class Trial:
    """Measures indexes on one node beside the first of them."""

    def __init__(self, service: Service, address: str, bars: Progress) -> None:
        self._service = service
        self._address = address
        self._bars = bars
        self._sentences = Sentences(seed=1)
        self._seeder = Seeder(service, self._sentences)
        self._crowd = Crowd(service, self._seeder, self._sentences)
        self._dimensions = self._seeder.vectors(1).shape[1]
        self._store(self._seeder, OWNER_SIZE)
        self._first: FilledIndex

    def fill_first(self, size: int) -> tuple[Size, float]:
        """The index that the others are measured beside; answers entries a second."""
        self._first = self._new("first")
        rate = self._fill(self._first, self._own_and_others(size), size)
        return self._first.size(), rate

    def grow(self, sizes: Sequence[int]) -> Iterator[Measured]:
        """One index at each of these sizes."""
        grown, present = self._new("grown"), 0
        for size in sizes:
            entries = self._crowd.entries(size - present) if present else self._own_and_others(size)
            rate, present = self._fill(grown, entries, size - present), size
            yield self._measure(f"{size:,} of many owners", grown, CALLER, rate)

    def big_owner(self, size: int) -> Measured:
        """An index that one owner has for itself."""
        self._store(Seeder(self._service, self._sentences, BIG_CALLER), size)
        big = self._new("big")
        rate = self._fill(big, entries_of(self._service, BIG_CALLER.owner), size)
        return self._measure(f"{size:,} of one owner", big, BIG_CALLER, rate)

    def _new(self, prefix: str) -> FilledIndex:
        return FilledIndex(self._address, prefix, self._service.embedder.model, self._dimensions)

    def _own_and_others(self, size: int) -> Iterator[IndexEntry]:
        return chain(entries_of(self._service, CALLER.owner), self._crowd.entries(size - OWNER_SIZE))

    def _store(self, seeder: Seeder, count: int) -> None:
        task = self._bars.add_task("Memories stored", total=count)
        seeder.add(count, lambda: self._bars.advance(task))

    def _fill(self, index: FilledIndex, entries: Iterator[IndexEntry], count: int) -> float:
        task = self._bars.add_task("Entries indexed", total=count)
        return index.add(entries, lambda written: self._bars.advance(task, written))

    def _measure(self, title: str, index: FilledIndex, caller: Caller, rate: float) -> Measured:
        service, first = self._service, self._first.index
        questions = [self._sentences.question() for _ in range(WARM_UP + ROUNDS)]
        queries = queries_of(service, questions)
        sides = searching(index.index, caller.owner, queries), searching(first, CALLER.owner, queries)
        search = compare(*sides, questions, self._bars, f"Searches, {title}")
        sides = recalling(service, index.index, caller), recalling(service, first, CALLER)
        recall = compare(*sides, questions, self._bars, f"Recalls, {title}")
        return Measured(title, index.size(), rate, search, recall)


def entries_of(service: Service, owner: Owner) -> Iterator[IndexEntry]:
    """All that the store holds of an owner."""
    return (entry(owner, memory) for memory in memories_of(service, owner, 500))


def queries_of(service: Service, questions: Sequence[str]) -> Mapping[str, IndexQuery]:
    """What a recall asks the index for each question."""
    now, k, filters = service.clock.now(), candidates_per_leg(LIMIT), Filters()
    embeddings = zip(questions, service.embedder.embed(questions, "query"), strict=True)
    return {
        question: IndexQuery(embedding=embedding, terms=query_terms(question), filters=filters, now=now, k=k)
        for question, embedding in embeddings
    }


def searching(index: SearchIndex, owner: Owner, queries: Mapping[str, IndexQuery]) -> Run:
    def run(question: str) -> object:
        answer = index.search(owner, queries[question])
        if answer.degraded or not answer.dense:
            raise RuntimeError("a search did less than it should have")
        return answer

    return run


def recalling(service: Service, index: SearchIndex, caller: Caller) -> Run:
    indexed = replace(service, index=index)

    def run(question: str) -> object:
        answer = call_tool(indexed, caller, "recall", {"query": question, "limit": LIMIT})
        if "degraded" in answer or len(answer["memories"]) != LIMIT:
            raise RuntimeError("a recall did less than it should have")
        return answer

    return run
