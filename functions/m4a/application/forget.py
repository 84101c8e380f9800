"""Erases one memory and leaves a receipt."""

from dataclasses import dataclass
from datetime import datetime

from m4a.application.service import Service
from m4a.application.writing import (
    EXPIRED,
    SWEEP_ACTOR,
    audit_event,
    erasure,
    find_living,
    gave_up,
    no_such_memory,
    version_conflict,
)
from m4a.domain.ids import is_ulid
from m4a.domain.owner import Caller
from m4a.domain.records import Committed, Receipt


@dataclass(frozen=True, slots=True, kw_only=True)
class Forget:
    """Which memory is to be forgotten, and why."""

    memory_id: str
    reason: str
    expected_version: int | None = None


@dataclass(frozen=True, slots=True)
class Forgotten:
    """The receipt; ``forgotten_now`` is False where the memory had been forgotten before."""

    receipt: Receipt
    forgotten_now: bool


def forget(service: Service, caller: Caller, command: Forget) -> Forgotten:
    """Erases content, embedding, history and index entry. A second time it returns the first receipt.

    Raises NotFound; Conflict when ``expected_version`` no longer holds.
    """
    now = service.clock.now()
    for _ in range(service.attempts):
        memory = find_living(service, caller.owner, command.memory_id, now)
        if memory is None:
            return _forgotten_before(service, caller, command, now)
        if command.expected_version not in (None, memory.version):
            raise version_conflict("The memory has another version by now; its current state is attached.", memory)
        result = service.store.commit(caller.owner, erasure(caller, memory, command.reason, now))
        if isinstance(result, Committed) and result.receipt:
            return Forgotten(result.receipt, forgotten_now=True)
    raise gave_up()


def receipt_of(service: Service, caller: Caller, memory_id: str) -> Receipt:
    """The receipt of a forgotten memory, an expired one too. Raises NotFound."""
    receipt = service.log.receipts(caller.owner, [memory_id]).get(memory_id) if is_ulid(memory_id) else None
    if receipt is None:
        raise no_such_memory()
    return receipt


def _forgotten_before(service: Service, caller: Caller, command: Forget, now: datetime) -> Forgotten:
    receipt = receipt_of(service, caller, command.memory_id)
    # To the tools an expired memory is unknown, before the sweep has come by and after.
    if (receipt.actor, receipt.reason) == (SWEEP_ACTOR, EXPIRED):
        raise no_such_memory()
    event = audit_event(caller, now, "forget", "already_forgotten", memory_id=command.memory_id, reason=command.reason)
    service.log.append(caller.owner, event)
    return Forgotten(receipt, forgotten_now=False)
