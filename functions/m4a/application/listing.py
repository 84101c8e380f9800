"""Reading memories as they are: one, all, and the earlier versions of one."""

from collections.abc import Sequence

from m4a.application.service import Service
from m4a.application.writing import read_living
from m4a.domain.memory import Filters, Memory, Version
from m4a.domain.owner import Caller
from m4a.domain.records import Page


def show(service: Service, caller: Caller, memory_id: str) -> Memory:
    """One memory. Raises NotFound."""
    return read_living(service, caller.owner, memory_id, service.clock.now())


def list_memories(service: Service, caller: Caller, filters: Filters, cursor: str | None, limit: int) -> Page[Memory]:
    """Living memories that match, newest first."""
    return service.store.list(caller.owner, filters, service.clock.now(), cursor, limit)


def history(service: Service, caller: Caller, memory_id: str) -> tuple[Memory, Sequence[Version]]:
    """A memory and its earlier versions, newest first. Raises NotFound."""
    memory = read_living(service, caller.owner, memory_id, service.clock.now())
    return memory, service.store.history(caller.owner, memory_id)
