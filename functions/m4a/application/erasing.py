"""Erases everything of one owner, page by page."""

from dataclasses import dataclass
from datetime import UTC, datetime
from time import monotonic

from m4a.application.service import PAGE_SHARE, Service
from m4a.application.writing import audit_event, erasure
from m4a.domain.memory import Filters
from m4a.domain.owner import Caller
from m4a.domain.records import Committed
from m4a.ports.deadline import share

ERASE_PAGE = 50
TRACES_AT_ONCE = 100
BEFORE_ALL_EXPIRY = datetime.min.replace(tzinfo=UTC)
"""The moment to list memories at, so that expired ones are among them."""


@dataclass(frozen=True, slots=True)
class Erased:
    """How many memories one call erased; ``done`` is False while more, or traces, are left."""

    erased: int
    done: bool


def erase(service: Service, caller: Caller, reason: str) -> Erased:
    """Forgets memory after memory, expired ones too, each with its receipt, for as long as one call may take; at the
    end the traces of recalls with their queries. Receipts and audit events, which hold no text, stay."""
    stop = monotonic() + share(service.limits.page_s, PAGE_SHARE)
    erased = 0
    while True:
        now = service.clock.now()
        page = service.store.list(caller.owner, Filters(), BEFORE_ALL_EXPIRY, None, ERASE_PAGE)
        for memory in page.items:
            if erased and monotonic() > stop:
                break
            result = service.store.commit(caller.owner, erasure(caller, memory, reason, now))
            erased += isinstance(result, Committed)
        done = not page.items and page.next is None and _erase_traces(service, caller, stop)
        if done or monotonic() > stop:
            service.log.append(caller.owner, audit_event(caller, now, "erase", "answered", reason=reason))
            return Erased(erased, done)


def _erase_traces(service: Service, caller: Caller, stop: float) -> bool:
    """Answers whether none is left; some go with each call, however late it is."""
    while not service.log.erase_traces(caller.owner, TRACES_AT_ONCE):
        if monotonic() > stop:
            return False
    return True
