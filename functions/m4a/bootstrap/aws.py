"""The profile ``aws``: DynamoDB, and OpenSearch beside it."""

from functools import cache
from typing import TYPE_CHECKING

from m4a.adapters.dynamodb.client import client_from
from m4a.adapters.dynamodb.forgotten import DynamoForgotten
from m4a.adapters.dynamodb.log import DynamoLog
from m4a.adapters.dynamodb.maintenance import DynamoMaintenance
from m4a.adapters.dynamodb.outbox import DynamoOutbox
from m4a.adapters.dynamodb.store import DynamoStore
from m4a.adapters.dynamodb.table import Table
from m4a.adapters.lazy_index import LazyIndex
from m4a.bootstrap.backends import Backends
from m4a.domain.vectors import cosines
from m4a.ports import Clock
from m4a.settings import Settings

if TYPE_CHECKING:
    from m4a.bootstrap.aws_search import Search


def aws_backends(settings: Settings, clock: Clock, *, sparing: bool) -> Backends:
    """Makes the clients; nothing is asked yet, except whether a Serverless collection is a Classic one, which raises
    Unusable. ``sparing``: the search index is connected when it is first used, and there is no ``indexing``."""
    table = Table(client_from(settings.region or "", settings.dynamodb_url), settings.table or "", clock=clock)

    @cache
    def search() -> "Search":
        from m4a.bootstrap.aws_search import connect_search

        return connect_search(settings, table)

    return Backends(
        store=DynamoStore(table),
        outbox=DynamoOutbox(table),
        log=DynamoLog(table),
        index=LazyIndex(lambda: search().index) if sparing else search().index,
        cosines=cosines,
        maintenance=DynamoMaintenance(table),
        forgotten=DynamoForgotten(table),
        indexing=None if sparing else search().indexing,
        indexed_model=lambda: search().index.model,
    )
