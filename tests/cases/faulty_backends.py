"""A service whose backends can be made to fail, in either profile."""

from collections.abc import Mapping
from dataclasses import replace

from m4a.application.service import Service
from m4a.bootstrap import Operator
from tests.cases.faults import (
    Breakable,
    DeletableIndex,
    Fault,
    FaultyEmbedder,
    FaultyIndex,
    FaultyLog,
    FaultyOutbox,
    FaultyStore,
)
from tests.support.profiles import Place


def breakable(plain: Operator, embedder: FaultyEmbedder, place: Place) -> tuple[Service, Mapping[str, Breakable]]:
    """The service with faults between it and its backends, and the backends by the names that cases give them."""
    service, table = plain.service, Fault([])
    own_index = plain.indexing is not None
    index = DeletableIndex(service.index, place.delete_index) if own_index else FaultyIndex(service.index)
    broken = replace(
        service,
        store=FaultyStore(service.store, table.strike),
        log=FaultyLog(service.log, table.strike),
        outbox=FaultyOutbox(service.outbox, table.strike) if own_index else service.outbox,
        index=index,
    )
    return broken, {"embedder": embedder, "index": index, "table": table}
