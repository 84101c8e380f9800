"""All memories of one owner with their histories, page by page."""

import logging
from dataclasses import dataclass
from datetime import datetime
from time import monotonic

from m4a.application.service import PAGE_SHARE, Service
from m4a.application.writing import audit_event
from m4a.domain.errors import Throttled, Unavailable
from m4a.domain.memory import Filters, Memory, Version
from m4a.domain.owner import Caller, Owner
from m4a.ports.deadline import share

EXPORT_FORMAT = "m4a-export/1"
EXPORT_PAGE = 200
EXPORT_BATCH = 20
"""Memories that are read at once: a page ends after each of them where time runs out. It begins with one and doubles
them, so that a slow store gets on too."""

logger = logging.getLogger(__name__)


Row = tuple[Memory, tuple[Version, ...]]


@dataclass(frozen=True, slots=True)
class Exported:
    """One page; ``first`` says that it starts the export, ``next`` is None at its end."""

    memories: tuple[Row, ...]
    first: bool
    next: str | None


def export_page(service: Service, caller: Caller, cursor: str | None) -> Exported:
    """The next memories, newest first. Complete over all pages; what is written meanwhile may be missing."""
    now = service.clock.now()
    rows, following = _rows(service, caller.owner, now, cursor)
    if cursor is None:
        _note(service, caller, now)
    return Exported(tuple(rows), cursor is None, following)


def _rows(service: Service, owner: Owner, now: datetime, cursor: str | None) -> tuple[list[Row], str | None]:
    """As many as a page has, as there is time for, or as could be read; and where the next page begins."""
    stop = monotonic() + share(service.limits.page_s, PAGE_SHARE)
    rows: list[Row] = []
    start, size = cursor, 1
    while True:
        try:
            batch, cursor = _batch(service, owner, now, cursor, min(size, EXPORT_PAGE - len(rows)))
        except (Unavailable, Throttled):
            if cursor == start:
                raise
            return rows, cursor
        rows += batch
        size = min(2 * size, EXPORT_BATCH)
        if cursor is None or len(rows) >= EXPORT_PAGE or monotonic() > stop:
            return rows, cursor


def _batch(
    service: Service, owner: Owner, now: datetime, cursor: str | None, limit: int
) -> tuple[list[Row], str | None]:
    page = service.store.list(owner, Filters(), now, cursor, limit)
    return [(one, _history(service, owner, one)) for one in page.items], page.next


def _history(service: Service, owner: Owner, memory: Memory) -> tuple[Version, ...]:
    """Below the memory's own version: it may have been updated since it was read."""
    versions = service.store.history(owner, memory.memory_id)
    return tuple(one for one in versions if one.version < memory.version)


def _note(service: Service, caller: Caller, now: datetime) -> None:
    """The audit row. A store that can't be written, as on a full disk, is when an export is wanted most."""
    try:
        service.log.append(caller.owner, audit_event(caller, now, "export", "answered"))
    except (Unavailable, Throttled):
        logger.warning("an export could not be noted in the audit")
