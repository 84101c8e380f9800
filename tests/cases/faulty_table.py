"""The table's adapters with a fault between them and the service."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime

from m4a.domain.memory import Filters, Memory, Version
from m4a.domain.owner import Owner
from m4a.domain.records import AuditEvent, Change, CommitResult, Page, Pending, Receipt, Trace
from m4a.ports import Log, MemoryStore, Outbox
from tests.cases.faults import Fault


class FaultyStore:
    """The store; shares its fault with the log, which lies in the same table."""

    def __init__(self, inner: MemoryStore, fault: Fault) -> None:
        self._inner = inner
        self._fault = fault

    def get(self, owner: Owner, memory_ids: Sequence[str]) -> Mapping[str, Memory]:
        self._fault.read()
        return self._inner.get(owner, memory_ids)

    def commit(self, owner: Owner, change: Change) -> CommitResult:
        self._fault.write()
        return self._inner.commit(owner, change)

    def list(self, owner: Owner, filters: Filters, now: datetime, cursor: str | None, limit: int) -> Page[Memory]:
        self._fault.read()
        return self._inner.list(owner, filters, now, cursor, limit)

    def history(self, owner: Owner, memory_id: str) -> Sequence[Version]:
        self._fault.read()
        return self._inner.history(owner, memory_id)

    def snapshot(self) -> AbstractContextManager[None]:
        self._fault.read()
        return self._inner.snapshot()


class FaultyLog:
    """Audit events, traces and receipts; see ``FaultyStore``."""

    def __init__(self, inner: Log, fault: Fault) -> None:
        self._inner = inner
        self._fault = fault

    def append(self, owner: Owner, event: AuditEvent, trace: Trace | None = None) -> None:
        self._fault.write()
        self._inner.append(owner, event, trace)

    def audit(self, owner: Owner, cursor: str | None, limit: int) -> Page[AuditEvent]:
        self._fault.read()
        return self._inner.audit(owner, cursor, limit)

    def trace(self, owner: Owner, recall_id: str) -> Trace | None:
        self._fault.read()
        return self._inner.trace(owner, recall_id)

    def erase_traces(self, owner: Owner, limit: int, until: datetime | None = None) -> bool:
        self._fault.write()
        return self._inner.erase_traces(owner, limit, until)

    def receipts(self, owner: Owner, memory_ids: Sequence[str]) -> Mapping[str, Receipt]:
        self._fault.read()
        return self._inner.receipts(owner, memory_ids)


class FaultyOutbox:
    """The outbox, where it lies in the table; see ``FaultyStore``."""

    def __init__(self, inner: Outbox, fault: Fault) -> None:
        self._inner = inner
        self._fault = fault

    def pending(self, owner: Owner, limit: int) -> Sequence[Pending]:
        self._fault.read()
        return self._inner.pending(owner, limit)

    def settle(self, owner: Owner, entry: Pending) -> None:
        self._fault.write()
        self._inner.settle(owner, entry)
