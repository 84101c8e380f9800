"""A service behind three proxies, and how it recovers."""

import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta

from m4a.adapters.bedrock.client import bedrock_client
from m4a.adapters.bedrock.embedder import BedrockEmbedder
from m4a.adapters.bedrock.models import STAND_IN
from m4a.adapters.dynamodb.client import client_from
from m4a.adapters.dynamodb.index_state import COPY_S, DynamoIndexState
from m4a.adapters.dynamodb.log import DynamoLog
from m4a.adapters.dynamodb.outbox import DynamoOutbox
from m4a.adapters.dynamodb.store import DynamoStore
from m4a.adapters.dynamodb.table import Table
from m4a.adapters.dynamodb.work import SETTLE_AFTER
from m4a.adapters.opensearch.breaker import PAUSE_S
from m4a.adapters.opensearch.client import connect
from m4a.adapters.opensearch.deployment import local_node
from m4a.adapters.opensearch.index import OpenSearchIndex
from m4a.application.index_upkeep import rebuild
from m4a.application.indexing import Indexing
from m4a.application.service import Limits, Service
from m4a.application.sweeping import Pass, sweep_pass
from m4a.bootstrap import Operator
from m4a.domain.owner import Owner
from m4a.domain.records import Pending
from m4a.local.dynamodb_stand_in import CREDENTIALS
from m4a.local.stack import REGION, on_stack, stack_settings
from m4a.local.stream_poller import StreamPoller
from tests.support.doubles import SettableClock
from tests.support.proxy import Proxy
from tests.support.stack import Backends
from tests.support.waiting import until

ALICE = Owner("default", "alice")
TEXTS = ("The tent is lent to Marie", "The stove is lent to Paul", "The map is lent to Ines")
TIMEOUT_S = 1.0
BUDGET_S = 1.5
LIMITS = Limits(query_embedding_s=1.5, document_embedding_s=1.5, similar_s=10.0)
SLOW_S = 0.15
"""Each answer that much later: slow, and in time."""


class Seconds:
    """The machine's monotonic clock, which can be set forward."""

    def __init__(self) -> None:
        self._skipped = 0.0

    def __call__(self) -> float:
        return time.monotonic() + self._skipped

    def skip(self, seconds: float) -> None:
        self._skipped += seconds


@dataclass(frozen=True)
class Site:
    """``table``, ``index`` and ``model`` are the proxies. ``name``: of the table, and what the index's begins with."""

    table: Proxy
    index: Proxy
    model: Proxy
    operator: Operator
    poller: StreamPoller
    clock: SettableClock
    seconds: Seconds
    backends: Backends
    name: str

    @property
    def service(self) -> Service:
        return self.operator.service

    @property
    def indexing(self) -> Indexing:
        assert self.operator.indexing
        return self.operator.indexing

    def outbox(self) -> Sequence[Pending]:
        """Alice's changes that the index may not know yet."""
        return self.service.outbox.pending(ALICE, 1_000)

    def pending(self) -> list[str]:
        """Ids of the memories that they changed."""
        return [one.memory_id for one in self.outbox()]

    def catch_up(self) -> None:
        """Waits for the indexer."""
        until(lambda: not self.pending())

    def sweep(self) -> Pass:
        """When the sweep comes by."""
        self.clock.advance(seconds=2 * SETTLE_AFTER / timedelta(seconds=1))
        return sweep_pass(self.service, self.operator.maintenance, self.indexing)

    def recover(self) -> None:
        """Everything answers again: pauses pass, and the sweep works off what is left. What it embeds are changes of
        its own, which go into the index by the stream."""
        self.seconds.skip(PAUSE_S)
        left = self.outbox()
        self.sweep()
        assert set(left).isdisjoint(self.outbox())
        self.catch_up()

    def forget_what_was_read(self) -> None:
        """So much time passes that the table is asked anew what to expect of the index."""
        self.seconds.skip(COPY_S)

    def reindex(self) -> None:
        for _ in rebuild(self.service, self.indexing, self.operator.maintenance):
            pass
        self.forget_what_was_read()

    def entries(self) -> int:
        """How many of Alice's memories the index holds."""
        found = self.backends.indices.count(index=self.name, body={"query": {"term": {"owner": ALICE.key}}})
        return found["count"]


@contextmanager
def open_site(backends: Backends) -> Generator[Site]:
    clock, seconds = SettableClock(), Seconds()
    with (
        Proxy(backends.dynamodb) as table_proxy,
        Proxy(backends.search) as index_proxy,
        Proxy(backends.bedrock) as model_proxy,
        backends.fresh_names() as name,
    ):
        client = client_from(REGION, table_proxy.address, CREDENTIALS, read_timeout_s=TIMEOUT_S)
        table = Table(client, name, clock=clock, budget_s=BUDGET_S)
        expected = DynamoIndexState(table, clock=seconds).recent
        search = connect(index_proxy.address, timeout_s=TIMEOUT_S)
        index = OpenSearchIndex(search, name, local_node(), expected=expected, clock=seconds)
        settings = stack_settings(
            table_proxy.address, index_proxy.address, model_proxy.address, table=name, prefix=name
        )
        with on_stack(
            settings,
            store=DynamoStore(table),
            outbox=DynamoOutbox(table),
            log=DynamoLog(table),
            index=index,
            embedder=BedrockEmbedder(bedrock_client(REGION, model_proxy.address), STAND_IN),
            clock=clock,
            limits=LIMITS,
        ) as stack:
            yield Site(
                table=table_proxy,
                index=index_proxy,
                model=model_proxy,
                operator=stack.operator,
                poller=stack.poller,
                clock=clock,
                seconds=seconds,
                backends=backends,
                name=name,
            )
