"""What a profile is made of: an adapter for each port."""

from collections.abc import Callable
from dataclasses import dataclass, field

from m4a.application.indexing import Indexing
from m4a.ports import Cosines, Log, MemoryStore, Outbox, SearchIndex
from m4a.ports.maintenance import Forgotten, Maintenance


@dataclass(frozen=True, slots=True, kw_only=True)
class Backends:
    """``indexing`` is None where store and index are one. ``indexed_model``: whose vectors the index holds, None where
    that is not known."""

    store: MemoryStore
    outbox: Outbox
    log: Log
    index: SearchIndex
    cosines: Cosines
    maintenance: Maintenance
    forgotten: Forgotten
    indexing: Indexing | None = None
    close: Callable[[], None] = field(default=lambda: None)
    indexed_model: Callable[[], str | None] = field(default=lambda: None)
