"""A service whose backends can be made to fail, in either profile."""

from collections.abc import Mapping
from dataclasses import replace

from m4a.adapters.dynamodb.client import READ_TIMEOUT_S
from m4a.adapters.opensearch.client import TIMEOUT_S, WRITE_TIMEOUT_S
from m4a.application.service import Service
from m4a.bootstrap import Operator
from tests.cases.faults import Breakable, Fault, FaultyEmbedder
from tests.cases.faulty_index import DeletableIndex, FaultyIndex
from tests.cases.faulty_table import FaultyLog, FaultyOutbox, FaultyStore
from tests.support.profiles import Place


def index_fault() -> Fault:
    """One for the searches and the writes of an index."""
    return Fault(TIMEOUT_S, WRITE_TIMEOUT_S)


def breakable(
    plain: Operator, embedder: FaultyEmbedder, of_index: Fault, place: Place
) -> tuple[Service, Mapping[str, Breakable]]:
    """The service with faults between it and its backends, and the backends by the names that cases give them."""
    service, table = plain.service, Fault(READ_TIMEOUT_S, READ_TIMEOUT_S)
    own_index = plain.indexing is not None
    index = FaultyIndex(service.index, of_index)
    if own_index:
        index = DeletableIndex(service.index, of_index, place.delete_index)
    broken = replace(
        service,
        store=FaultyStore(service.store, table),
        log=FaultyLog(service.log, table),
        outbox=FaultyOutbox(service.outbox, table) if own_index else service.outbox,
        index=index,
    )
    return broken, {"embedder": embedder, "index": index, "table": table}
