"""Forgets again, on a restored store, what was forgotten after its backup was made."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields

from m4a.application.service import Service
from m4a.application.writing import gave_up, replay
from m4a.domain.memory import Memory
from m4a.domain.owner import Caller
from m4a.domain.records import AuditEvent, Committed, Receipt
from m4a.ports.maintenance import Forgotten

READ_AT_ONCE = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayed:
    """Counts of receipts, by what they met: a memory that had ``come_back``, none and no receipt either
    (``put_back``), or nothing to do (``known``). ``strays``: items of memories that were not there themselves.
    ``erasures``: of all that an owner had."""

    come_back: int = 0
    put_back: int = 0
    known: int = 0
    strays: int = 0
    erasures: int = 0

    def __add__(self, other: "Replayed") -> "Replayed":
        return Replayed(**{one.name: getattr(self, one.name) + getattr(other, one.name) for one in fields(Replayed)})


def replay_records(
    service: Service, forgotten: Forgotten, caller: Caller, records: Sequence[Receipt | AuditEvent]
) -> Replayed:
    """Forgets again what these records of one owner say was forgotten; after an ``erase``, the traces of the recalls
    before it too. Each receipt is one commit, so it may be stopped, repeated, and run twice at once.

    An id that was forgotten is never used again, so whatever has it is what was forgotten. Raises Unavailable,
    Throttled.
    """
    receipts = [one for one in records if isinstance(one, Receipt)]
    total = Replayed()
    for start in range(0, len(receipts), READ_AT_ONCE):
        total += _replay_some(service, caller, receipts[start : start + READ_AT_ONCE])
    if receipts:
        total += Replayed(strays=forgotten.clear_strays(caller.owner, {one.memory_id for one in receipts}))
    for event in records:
        if isinstance(event, AuditEvent):
            while not service.log.erase_traces(caller.owner, READ_AT_ONCE, event.at):
                pass
            service.log.append(caller.owner, event)
            total += Replayed(erasures=1)
    return total


def _replay_some(service: Service, caller: Caller, receipts: Sequence[Receipt]) -> Replayed:
    ids = [one.memory_id for one in receipts]
    present: Mapping[str, Memory] = service.store.get(caller.owner, ids)
    known = service.log.receipts(caller.owner, ids)
    total = Replayed()
    for receipt in receipts:
        memory = present.get(receipt.memory_id)
        if memory is None and receipt.memory_id in known:
            total += Replayed(known=1)
        else:
            total += _replay_one(service, caller, receipt, memory)
    return total


def _replay_one(service: Service, caller: Caller, receipt: Receipt, memory: Memory | None) -> Replayed:
    owner, memory_id = caller.owner, receipt.memory_id
    for _ in range(service.attempts):
        change = replay(caller, receipt, memory, service.clock.now())
        if isinstance(service.store.commit(owner, change), Committed):
            return Replayed(come_back=1) if memory else Replayed(put_back=1)
        memory = service.store.get(owner, [memory_id]).get(memory_id)
        if memory is None and memory_id in service.log.receipts(owner, [memory_id]):
            return Replayed(known=1)
    raise gave_up()
