"""The aws profile on a running local stack, with every request to its backends counted."""

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from opensearchpy import OpenSearch

from benchmarks.pricing import CHARACTERS_A_TOKEN
from m4a.adapters.dynamodb.client import client_from
from m4a.adapters.dynamodb.counting import CountingClient
from m4a.adapters.dynamodb.keys import AUDIT, GUARD, MEMORY, RECEIPT, TRACE
from m4a.adapters.dynamodb.log import DynamoLog
from m4a.adapters.dynamodb.maintenance import DynamoMaintenance
from m4a.adapters.dynamodb.outbox import DynamoOutbox
from m4a.adapters.dynamodb.store import DynamoStore
from m4a.adapters.dynamodb.table import Table
from m4a.adapters.dynamodb.truth import DynamoTruth
from m4a.adapters.dynamodb.units import item_size
from m4a.adapters.dynamodb.values import to_attributes
from m4a.adapters.opensearch.client import connect
from m4a.adapters.opensearch.deployment import local_node
from m4a.adapters.opensearch.index import OpenSearchIndex
from m4a.adapters.opensearch.writer import OpenSearchWriter
from m4a.application.indexing import Indexing
from m4a.application.service import Limits
from m4a.bootstrap import Operator, SystemClock, build_operator
from m4a.domain.memory import Embedding
from m4a.local.stack import Stack
from m4a.ports import Embedder, Purpose
from m4a.settings import Settings

KINDS = {MEMORY: "memory", GUARD: "guard", AUDIT: "audit event", RECEIPT: "receipt", TRACE: "trace"}
_PATIENT = Limits(query_embedding_s=60, document_embedding_s=60, similar_s=60)


@dataclass(frozen=True, slots=True)
class Used:
    """What an operation used: DynamoDB's units and requests, OpenSearch's requests, calls and tokens of Bedrock."""

    read_units: float
    write_units: float
    requests: int
    searches: int
    calls: int
    tokens: float

    def __add__(self, other: "Used") -> "Used":
        return Used(*(one + two for one, two in zip(_values(self), _values(other), strict=True)))

    def over(self, count: int) -> "Used":
        """The mean of that many."""
        return Used(*(value / count for value in _values(self)))


class Meter:
    """Counts what happens between two readings."""

    def __init__(self, dynamodb: CountingClient, search: "CountedSearch", embedder: "CountedEmbedder") -> None:
        self._dynamodb = dynamodb
        self._search = search
        self._embedder = embedder

    def read(self) -> Used:
        """Since the last reading."""
        dynamodb, search, embedder = self._dynamodb, self._search, self._embedder
        tokens = embedder.characters / CHARACTERS_A_TOKEN
        requests = dynamodb.requests.total()
        used = Used(dynamodb.read_units, dynamodb.write_units, requests, search.requests, embedder.calls, tokens)
        dynamodb.reset()
        search.requests = embedder.calls = embedder.characters = 0
        return used


class CountedSearch:
    """Counts the requests of an OpenSearch client."""

    def __init__(self, client: OpenSearch) -> None:
        self.requests = 0
        self._perform = client.transport.perform_request
        client.transport.perform_request = self._counted

    def _counted(self, *arguments: Any, **named: Any) -> Any:
        self.requests += 1
        return self._perform(*arguments, **named)


class CountedEmbedder:
    """Implements ``Embedder``; a call to Bedrock for each text, as Titan is asked."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.calls = 0
        self.characters = 0

    @property
    def model(self) -> str:
        return self._embedder.model

    @property
    def dense_weight(self) -> float:
        return self._embedder.dense_weight

    @property
    def similar_floor(self) -> float:
        return self._embedder.similar_floor

    def embed(self, texts: Sequence[str], purpose: Purpose) -> list[Embedding]:
        self.calls += len(texts)
        self.characters += sum(map(len, texts))
        return self._embedder.embed(texts, purpose)


@contextmanager
def counted(stack: Stack) -> Generator[tuple[Operator, Indexing, Meter]]:
    """A service, an indexer and a meter on them, beside the stack's own, which are not counted."""
    settings, indexing = stack.settings, stack.operator.indexing
    assert settings.region and settings.table and settings.search_url and indexing
    dynamodb = CountingClient(client_from(settings.region, settings.dynamodb_url))
    table = Table(dynamodb, settings.table, clock=SystemClock())
    search = connect(settings.search_url)
    embedder = CountedEmbedder(stack.operator.service.embedder)
    operator = build_operator(
        settings,
        store=DynamoStore(table),
        outbox=DynamoOutbox(table),
        log=DynamoLog(table),
        index=OpenSearchIndex(search, settings.index_prefix, local_node(), expected=indexing.state.recent),
        embedder=embedder,
        limits=_PATIENT,
    )
    writer = OpenSearchWriter(search, settings.index_prefix, local_node())
    meter = Meter(dynamodb, CountedSearch(search), embedder)
    try:
        yield operator, replace(indexing, truth=DynamoTruth(table), writer=writer), meter
    finally:
        operator.service.close()


def item_sizes(settings: Settings) -> Mapping[str, Sequence[int]]:
    """Bytes of every item in the table, by kind."""
    client = client_from(settings.region or "", settings.dynamodb_url)
    table = Table(client, settings.table or "", clock=SystemClock())
    sizes: dict[str, list[int]] = {}
    for owner in DynamoMaintenance(table).owners():
        for prefix, kind in KINDS.items():
            for item in table.query(owner.key, prefix):
                name = "query of a trace" if item["sk"].endswith("#q") else kind
                sizes.setdefault(name, []).append(item_size(to_attributes(item)))
    return sizes


def _values(used: Used) -> Sequence[Any]:
    return [getattr(used, name) for name in Used.__slots__]
