"""All memories of one owner with their histories, page by page."""

import logging
from dataclasses import dataclass
from datetime import datetime

from m4a.application.service import Service
from m4a.application.writing import audit_event
from m4a.domain.errors import Throttled, Unavailable
from m4a.domain.memory import Filters, Memory, Version
from m4a.domain.owner import Caller

EXPORT_FORMAT = "m4a-export/1"
EXPORT_PAGE = 200

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Exported:
    """One page; ``first`` says that it starts the export, ``next`` is None at its end."""

    memories: tuple[tuple[Memory, tuple[Version, ...]], ...]
    first: bool
    next: str | None


def export_page(service: Service, caller: Caller, cursor: str | None) -> Exported:
    """The next memories, newest first. Complete over all pages; what is written meanwhile may be missing."""
    now = service.clock.now()
    page = service.store.list(caller.owner, Filters(), now, cursor, EXPORT_PAGE)
    rows = tuple((one, tuple(service.store.history(caller.owner, one.memory_id))) for one in page.items)
    if cursor is None:
        _note(service, caller, now)
    return Exported(rows, cursor is None, page.next)


def _note(service: Service, caller: Caller, now: datetime) -> None:
    """The audit row. A store that can't be written, as on a full disk, is when an export is wanted most."""
    try:
        service.log.append(caller.owner, audit_event(caller, now, "export", "answered"))
    except (Unavailable, Throttled):
        logger.warning("an export could not be noted in the audit")
