"""An index of its own on the run's node, and what tests put into it and ask of it."""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from opensearchpy import OpenSearch

from m4a.adapters.opensearch.deployment import Deployment, local_node
from m4a.adapters.opensearch.generations import OpenSearchGenerations
from m4a.adapters.opensearch.index import OpenSearchIndex
from m4a.adapters.opensearch.names import Names
from m4a.adapters.opensearch.writer import OpenSearchWriter
from m4a.domain.ids import new_ulid
from m4a.domain.memory import Embedding, Filters, Memory
from m4a.domain.owner import Owner
from m4a.domain.search import IndexAnswer, IndexQuery
from m4a.domain.text import RULES, analyse, query_terms
from m4a.domain.vectors import pack
from m4a.ports.indexing import ExpectedState, IndexEntry, Marker, WriteResult

ANN = Owner("default", "ann")
MODEL = "model-a"
EAST = Embedding(MODEL, pack([1, 0, 0]))
NORTH = Embedding(MODEL, pack([0, 1, 0]))
MADE = datetime(2026, 6, 1, 12, tzinfo=UTC)
NOW = MADE + timedelta(days=1)
DEPLOYMENT = local_node(refresh_interval="50ms")
_seconds = itertools.count()


def memory(content: str, **fields: Any) -> Memory:
    at = MADE + timedelta(seconds=next(_seconds))
    plain = Memory(
        memory_id=new_ulid(at),
        content=content,
        type="fact",
        importance="medium",
        tags=(),
        source=None,
        created_at=at,
        updated_at=at,
        event_time=None,
        expires_at=None,
        version=1,
        rev=1,
        terms=analyse(content),
        embedding=EAST,
    )
    return replace(plain, **fields)


def entry(memory: Memory) -> IndexEntry:
    return IndexEntry(owner_key=ANN.key, memory_id=memory.memory_id, rev=memory.rev, memory=memory)


def gone(memory: Memory) -> IndexEntry:
    return replace(entry(memory), memory=None)


def marker(generation: int = 1, **fields: Any) -> Marker:
    return replace(Marker(generation=generation, rules=RULES, model=MODEL, complete=True, beat=1), **fields)


def question(
    words: str = "", near: Embedding | None = None, *, k: int = 50, exclude: Sequence[str] = (), **filters: Any
) -> IndexQuery:
    return IndexQuery(
        embedding=near,
        terms=query_terms(words),
        filters=Filters(**filters),
        now=NOW,
        k=k,
        exclude=frozenset(exclude),
    )


def ids(*memories: Memory) -> tuple[str, ...]:
    return tuple(one.memory_id for one in memories)


@dataclass
class Cluster:
    """The adapters on one prefix. ``expected``: what the table is to say."""

    client: OpenSearch
    prefix: str
    expected: ExpectedState | None = field(default_factory=lambda: ExpectedState(1, 1))
    deployment: Deployment = DEPLOYMENT
    monotonic: Callable[[], float] = lambda: 0.0
    admin: OpenSearchGenerations = field(init=False)
    writer: OpenSearchWriter = field(init=False)
    index: OpenSearchIndex = field(init=False)

    def __post_init__(self) -> None:
        self.admin = OpenSearchGenerations(self.client, self.prefix, self.deployment)
        self.writer = OpenSearchWriter(self.client, self.prefix, self.deployment)
        self.index = OpenSearchIndex(
            self.client, self.prefix, self.deployment, expected=lambda: self.expected, clock=lambda: self.monotonic()
        )

    @property
    def names(self) -> Names:
        return Names(self.prefix)

    def init(self, **fields: Any) -> "Cluster":
        """The first generation, empty and complete."""
        self.admin.create_generation(1, MODEL, 3)
        self.admin.set_marker(marker(**fields))
        self.admin.promote(1)
        return self

    def write(self, *entries: IndexEntry) -> list[WriteResult]:
        return self.writer.write(entries)

    def hold(self, *memories: Memory) -> tuple[Memory, ...]:
        """Writes memories that nothing speaks against."""
        assert set(self.write(*map(entry, memories))) == {WriteResult.WRITTEN}
        return memories

    def search(self, words: str = "", near: Embedding | None = None, **options: Any) -> IndexAnswer:
        return self.index.search(ANN, question(words, near, **options))

    def indices(self) -> list[str]:
        """Names of all indices of this prefix, whatever made them."""
        return sorted(self.client.indices.get(index=f"{self.prefix}*"))
