"""What all writes share: new records, and the erasure that forget, expiry and the sweep perform."""

from dataclasses import replace
from datetime import datetime

from m4a.application.service import Service
from m4a.domain.errors import Conflict, NotFound, Throttled
from m4a.domain.ids import is_ulid, new_ulid
from m4a.domain.memory import Memory
from m4a.domain.owner import Caller, Owner
from m4a.domain.records import AuditEvent, Change, Committed, Operation, Outcome, Receipt

SWEEP_ACTOR = "m4a:sweep"
EXPIRED = "expired"


def audit_event(
    caller: Caller,
    now: datetime,
    operation: Operation,
    outcome: Outcome,
    *,
    memory_id: str | None = None,
    version: int | None = None,
    reason: str | None = None,
    recall_id: str | None = None,
) -> AuditEvent:
    """The audit row of one operation, under a fresh change id."""
    return AuditEvent(
        change_id=new_ulid(now),
        at=now,
        operation=operation,
        outcome=outcome,
        actor=caller.actor,
        entry_point=caller.entry_point,
        request_id=caller.request_id,
        memory_id=memory_id,
        version=version,
        reason=reason,
        recall_id=recall_id,
    )


def sweeper(owner: Owner, request_id: str) -> Caller:
    """The caller in whose name expiry and repair happen."""
    return Caller(owner, SWEEP_ACTOR, "sweep", request_id)


def no_such_memory() -> NotFound:
    """The one answer for an unknown, foreign, forgotten or expired memory."""
    return NotFound("There is no memory with this id.")


def find_living(service: Service, owner: Owner, memory_id: str, now: datetime) -> Memory | None:
    """The memory; None for an unknown, foreign, forgotten or expired one, all alike."""
    memory = service.store.get(owner, [memory_id]).get(memory_id) if is_ulid(memory_id) else None
    return memory if memory and memory.lives_at(now) else None


def read_living(service: Service, owner: Owner, memory_id: str, now: datetime) -> Memory:
    """The memory. Raises NotFound where ``find_living`` finds none."""
    memory = find_living(service, owner, memory_id, now)
    if memory is None:
        raise no_such_memory()
    return memory


def erasure(caller: Caller, memory: Memory, reason: str, now: datetime) -> Change:
    """The change that forgets a memory."""
    event = audit_event(
        caller, now, "forget", "forgotten", memory_id=memory.memory_id, version=memory.version, reason=reason
    )
    receipt = Receipt(
        memory_id=memory.memory_id,
        change_id=event.change_id,
        forgotten_at=now,
        reason=reason,
        actor=caller.actor,
        version=memory.version,
        versions_erased=1,
    )
    return Change(change_id=event.change_id, before=memory, after=None, audit=event, receipt=receipt)


def replay(caller: Caller, receipt: Receipt, memory: Memory | None, now: datetime) -> Change:
    """The change that forgets a memory again, or if it is not there puts back its receipt, which stays as it was."""
    outcome = "forgotten" if memory else "already_forgotten"
    event = audit_event(
        caller, now, "forget", outcome, memory_id=receipt.memory_id, version=receipt.version, reason=receipt.reason
    )
    return Change(change_id=event.change_id, before=memory, after=None, audit=event, receipt=receipt)


def expire(service: Service, owner: Owner, memory: Memory, now: datetime, request_id: str) -> bool:
    """Forgets an expired memory; False if it has moved meanwhile."""
    change = erasure(sweeper(owner, request_id), memory, EXPIRED, now)
    return isinstance(service.store.commit(owner, change), Committed)


def holder_lives(service: Service, caller: Caller, memory_id: str, now: datetime) -> Memory | None:
    """The memory that holds a guard; None if it is gone, or had expired and was forgotten just now."""
    holder = service.store.get(caller.owner, [memory_id]).get(memory_id)
    if holder is not None and not holder.lives_at(now):
        expire(service, caller.owner, holder, now, caller.request_id)
        return None
    return holder


def touched(memory: Memory) -> Memory:
    """The same memory, one write later."""
    return replace(memory, rev=memory.rev + 1)


def gave_up() -> Throttled:
    """After all attempts: other writes to the same memory came first each time."""
    return Throttled("Other writes to the same memory came first. Nothing was changed; try again.")


def version_conflict(message: str, current: Memory) -> Conflict:
    """A version that no longer holds; the entry point attaches the current memory."""
    return Conflict(message, "version", current=current, memory_id=current.memory_id)
