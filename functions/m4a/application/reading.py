"""Reads the memories that a recall ranks: named ones, or, without an index, the owner's newest and latest changed."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from m4a.application.service import Service
from m4a.domain.errors import PartlyRead, Throttled, Unavailable
from m4a.domain.memory import Filters, Memory
from m4a.domain.owner import Owner
from m4a.domain.search import Degraded
from m4a.ports.deadline import share, time_limit

MAX_NAMED = 10
SCAN_PAGE = 200
"""Memories that a scan reads at once: it keeps what it has when the next page does not come."""
Unread = tuple[Degraded, ...]
"""Names what could not be read; empty if all could."""


@dataclass(frozen=True, slots=True)
class Scanned:
    """Living memories; ``extent`` says which they are, as the end of a sentence."""

    memories: Sequence[Memory]
    extent: str
    unread: Unread


def get_known(service: Service, owner: Owner, ids: Sequence[str]) -> tuple[Mapping[str, Memory], Unread]:
    """What could be read; what could not is named, and never taken for gone. Raises if nothing could be read."""
    try:
        return service.store.get(owner, ids), ()
    except PartlyRead as error:
        return error.found, _name(error.unread)


def scan(service: Service, owner: Owner, pending: Sequence[str], now: datetime) -> Scanned:
    """The owner's newest memories, a bounded number, and the older ones of ``pending``: ids of those that were changed
    of late. Raises if none of the newest could be read."""
    with time_limit(share()):
        newest, whole = _newest(service, owner, now)
    extent = f"the newest {len(newest)} memories were compared one by one"
    if whole:
        return Scanned(newest, f"{extent}, which are all there are", ())
    read = {one.memory_id for one in newest}
    changed, unread = _get_some(service, owner, [one for one in pending if one not in read])
    older = [one for one in changed.values() if one.lives_at(now)]
    rest = f"of the older ones {len(older)} that changed lately" if older else "older ones were not looked at"
    return Scanned([*newest, *older], f"{extent}, {rest}", unread)


def _newest(service: Service, owner: Owner, now: datetime) -> tuple[Sequence[Memory], bool]:
    """The newest living memories, as many as there is time for, and whether these are all."""
    bound = service.limits.scan_memories
    memories: list[Memory] = []
    cursor: str | None = None
    while len(memories) < bound:
        try:
            page = service.store.list(owner, Filters(), now, cursor, min(SCAN_PAGE, bound - len(memories)))
        except (Unavailable, Throttled):
            if not memories:
                raise
            break
        memories.extend(page.items)
        cursor = page.next
        if cursor is None:
            break
    return memories, cursor is None


def _get_some(service: Service, owner: Owner, ids: Sequence[str]) -> tuple[Mapping[str, Memory], Unread]:
    """As ``get_known``, for what an answer can do without."""
    try:
        return get_known(service, owner, ids)
    except (Unavailable, Throttled):
        return {}, _name(ids)


def _name(ids: Collection[str]) -> Unread:
    named = ", ".join(sorted(ids)[:MAX_NAMED])
    more = f" and {len(ids) - MAX_NAMED} more" if len(ids) > MAX_NAMED else ""
    message = f"Some memories could not be read and may be missing from the answer: {named}{more}."
    return (Degraded("memories_unread", message),)
