"""A service of one history: a table and an index of its own, on backends that histories share."""

from collections import Counter
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from itertools import count
from multiprocessing import get_context
from multiprocessing.connection import Connection
from os import getpid
from typing import Any

from botocore.exceptions import ReadTimeoutError
from opensearchpy import OpenSearch

from m4a.adapters.dynamodb.client import Client, client_from
from m4a.adapters.numpy_cosines import cosines
from m4a.adapters.opensearch.client import connect
from m4a.application.index_upkeep import init_index
from m4a.application.indexing import Indexing
from m4a.bootstrap import Operator, build_operator
from m4a.domain.owner import Owner
from m4a.domain.records import AuditEvent, Page, Receipt, Trace
from m4a.local.dynamodb_stand_in import CREDENTIALS, DynamoStandIn
from m4a.local.stack import REGION, stack_settings, use_local_credentials
from m4a.local.stream_poller import stream_client
from m4a.local.table import create_table
from m4a.ports import Log
from tests.consistency.history import Recorder, SteadyClock
from tests.support.doubles import FaultyEmbedder
from tests.support.hashed_words import HashedWords

_NO_BEDROCK = "http://127.0.0.1:9"
_REFRESH = "20ms"
_WAKING_TRIES = 20
_numbers = count(1)


@dataclass(frozen=True)
class Place:
    """Backends that run."""

    dynamodb: str
    client: Client
    search: str
    indices: OpenSearch
    streams: Any


@dataclass(frozen=True)
class Bench:
    """The service, ready for use; nothing indexes yet. ``proposed``: see ``CountedRecalls``."""

    table: str
    operator: Operator
    indexing: Indexing
    embedder: FaultyEmbedder
    recorder: Recorder
    proposed: Counter[str]


class CountedRecalls:
    """The log without traces, which would be most of a small table, and slow moto down: its queries sort them all.

    ``proposed`` counts over all recalls the memories that were proposed by the index and by the outbox.
    """

    def __init__(self, log: Log) -> None:
        self._log = log
        self.proposed: Counter[str] = Counter()

    def append(self, owner: Owner, event: AuditEvent, trace: Trace | None = None) -> None:
        if trace is None:
            self._log.append(owner, event)
            return
        counts = trace.body["counts"]
        self.proposed.update(index=counts["lexical"], outbox=counts["pending"])

    def audit(self, owner: Owner, cursor: str | None, limit: int) -> Page[AuditEvent]:
        return self._log.audit(owner, cursor, limit)

    def trace(self, owner: Owner, recall_id: str) -> Trace | None:
        return self._log.trace(owner, recall_id)

    def receipts(self, owner: Owner, memory_ids: Sequence[str]) -> Mapping[str, Receipt]:
        return self._log.receipts(owner, memory_ids)


@contextmanager
def place(search: str) -> Generator[Place]:
    """DynamoDB beside the OpenSearch node at this address."""
    use_local_credentials()
    with _dynamodb() as address:
        client = client_from(REGION, address, CREDENTIALS)
        indices = connect(search, timeout_s=20)
        yield Place(address, client, search, indices, stream_client(REGION, address))
        indices.close()


@contextmanager
def _dynamodb() -> Generator[str]:
    """The stand-in in a process of its own, for it takes more time than all the rest."""
    here, there = get_context("spawn").Pipe()
    process = get_context("spawn").Process(target=_serve_dynamodb, args=(there,), daemon=True)
    process.start()
    there.close()
    yield here.recv()
    here.close()
    process.join()


def _serve_dynamodb(pipe: Connection) -> None:
    with DynamoStandIn() as stand_in, suppress(EOFError):
        _wake(client_from(REGION, stand_in.address, CREDENTIALS))
        pipe.send(stand_in.address)
        pipe.recv()  # until the other side is closed


def _wake(client: Client) -> None:
    """Moto loads most of itself at the first request, which on a busy machine takes longer than a client waits."""
    for _ in range(_WAKING_TRIES):
        with suppress(ReadTimeoutError):
            client("list_tables", Limit=1)
            return


@contextmanager
def bench(at: Place) -> Generator[Bench]:
    """A new table and a new index, removed afterwards."""
    name = f"consistency-{getpid()}-{next(_numbers)}"
    create_table(at.client, name)
    settings = stack_settings(at.dynamodb, at.search, _NO_BEDROCK, table=name, prefix=name)
    embedder = FaultyEmbedder(HashedWords())
    built = build_operator(settings, embedder=embedder, cosines=cosines, clock=SteadyClock())
    log = CountedRecalls(built.service.log)
    operator = replace(built, service=replace(built.service, log=log))
    try:
        assert operator.indexing
        init_index(operator.indexing, embedder.model, operator.maintenance)
        at.indices.indices.put_settings(index=f"{name}-*", body={"refresh_interval": _REFRESH})
        recorder = Recorder(operator.service)
        yield Bench(name, operator, operator.indexing, embedder, recorder, log.proposed)
    finally:
        operator.service.close()
        at.indices.indices.delete(index=f"{name}-*")
        at.client("delete_table", TableName=name)
