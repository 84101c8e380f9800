"""What M4A needs from the outside, as protocols.

Every call takes the owner whose data it touches; only those of ``maintenance``, a module of its own, do not, and the
import rules keep it from everything but the sweep, the indexer and operator commands. Adapters raise errors of
``m4a.domain.errors`` and no other: ``Unavailable`` when a backend is down or answers garbage, ``Throttled`` when it is
overrun.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Literal, Protocol

from m4a.domain.memory import Embedding, Filters, Memory, Version
from m4a.domain.owner import Owner
from m4a.domain.records import AuditEvent, Change, CommitResult, Page, Pending, Receipt, Trace
from m4a.domain.search import IndexAnswer, IndexQuery

Purpose = Literal["document", "query"]
Cosines = Callable[[Embedding, Sequence[Embedding | None]], list[float | None]]
"""The cosine of each embedding to the first; None where one is missing or of another model."""


class Clock(Protocol):
    """Tells the time."""

    def now(self) -> datetime:
        """The present moment, in UTC, in whole milliseconds."""
        ...


class MemoryStore(Protocol):
    """The truth: strongly consistent. Expired memories are kept, and returned, until a commit erases them."""

    def get(self, owner: Owner, memory_ids: Sequence[str]) -> Mapping[str, Memory]:
        """Those of the memories that exist. Raises if any of them could not be read: PartlyRead if others could."""
        ...

    def commit(self, owner: Owner, change: Change) -> CommitResult:
        """Applies the change whole or not at all; durable once answered. Repeating a change id that was applied is
        answered ``Committed`` and changes nothing."""
        ...

    def list(self, owner: Owner, filters: Filters, now: datetime, cursor: str | None, limit: int) -> Page[Memory]:
        """Living memories that match, newest id first. A page may hold fewer than ``limit``, also none, and still carry
        a cursor. Cursors are bound to the owner: a wrong one raises InvalidInput. A listing is not a snapshot."""
        ...

    def history(self, owner: Owner, memory_id: str) -> Sequence[Version]:
        """Earlier versions, newest first; empty for an unknown memory."""
        ...

    def snapshot(self) -> AbstractContextManager[None]:
        """Within it, reads of this thread see one state where the backend can do that. Not promised: DynamoDB can't."""
        ...


class Outbox(Protocol):
    """Changes not yet known to be searchable. Always empty where index and store are one."""

    def pending(self, owner: Owner, limit: int) -> Sequence[Pending]:
        """The owner's open changes, oldest first, at most ``limit``. Strongly consistent."""
        ...

    def settle(self, owner: Owner, entry: Pending) -> None:
        """Removes an entry whose change is known to be searchable."""
        ...


class Log(Protocol):
    """Audit events, traces and receipts. Append-only."""

    def append(self, owner: Owner, event: AuditEvent, trace: Trace | None = None) -> None:
        """Stores an event that no commit carries, with its trace. Not promised to survive a loss of power."""
        ...

    def audit(self, owner: Owner, cursor: str | None, limit: int) -> Page[AuditEvent]:
        """Events, newest first."""
        ...

    def trace(self, owner: Owner, recall_id: str) -> Trace | None:
        """The trace of one recall; ``asked`` is empty once it has expired."""
        ...

    def erase_traces(self, owner: Owner, limit: int, until: datetime | None = None) -> bool:
        """Deletes what this owner's recalls left behind, up to that moment if one is named: traces, queries and
        filters. At most ``limit`` items at once, oldest first; answers whether none is left."""
        ...

    def receipts(self, owner: Owner, memory_ids: Sequence[str]) -> Mapping[str, Receipt]:
        """Those of the memories that were forgotten, with their receipts."""
        ...


class SearchIndex(Protocol):
    """Proposes candidates; the store decides. Approximate, and it may lag behind the store: the outbox bridges that."""

    def search(self, owner: Owner, query: IndexQuery) -> IndexAnswer:
        """Runs both legs. Filters apply inside them, before the cut to ``k``. A failed leg is named in the answer."""
        ...


class Embedder(Protocol):
    """Makes unit vectors of texts."""

    @property
    def model(self) -> str:
        """Id of the model; travels with every vector."""
        ...

    @property
    def dense_weight(self) -> float:
        """Weight of the cosine in the ranking: the spread of cosines differs between models."""
        ...

    @property
    def similar_floor(self) -> float:
        """Cosine from which two memories count as near neighbours."""
        ...

    def embed(self, texts: Sequence[str], purpose: Purpose) -> list[Embedding]:
        """One embedding a text, in order. Long texts are never cut in silence. Slow: callers limit the time."""
        ...
