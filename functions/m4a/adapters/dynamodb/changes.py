"""A change as one transaction, and what its refusal means. Pure: no I/O, no clock."""

from collections.abc import Iterator, Sequence

from m4a.adapters.dynamodb.actions import Action, Condition, Reason, Role
from m4a.adapters.dynamodb.keys import CORE, GUARD, MEMORY, RECEIPT, version_key
from m4a.adapters.dynamodb.memories import memory_item, version_item
from m4a.adapters.dynamodb.records import Retention, event_item, key_item, pending_item, receipt_item
from m4a.adapters.dynamodb.values import to_seconds
from m4a.domain.memory import MAX_HISTORY, Memory
from m4a.domain.owner import Owner
from m4a.domain.records import Change, CommitResult, Committed, GuardHeld, IdTaken, KeyUsed, Moved, Pending

CORE_TYPES = ("fact", "preference")
_ABSENT = Condition("attribute_not_exists(sk)")
_ABSENT_OR_TOLD = Condition("attribute_not_exists(sk)", tells=True)


def actions_of(
    owner: Owner, change: Change, stored: Sequence[int], retention: Retention, *, holds_guard: bool = True
) -> list[Action]:
    """The transaction of one change: below 100 actions, however long the history.

    ``stored``: the numbers of the earlier versions that the table holds. They are needed where versions are deleted,
    for an erasure and for one version more than a history keeps. ``holds_guard``: whether the guard of the memory as it
    was is its own. The condition on ``rev`` keeps both true.
    """
    return [
        Action("Put", event_item(change.audit, retention), Role.AUDIT, _ABSENT),
        *_key(change),
        *_memory(owner, change),
        *_guard(change.before if holds_guard else None, change.after),
        *_core(change.before, change.after),
        *_history(change, stored),
        *_receipt(owner, change),
        Action("Put", pending_item(owner, pending_of(change), change.audit.at)),
    ]


def result_of(change: Change, actions: Sequence[Action], reasons: Sequence[Reason]) -> CommitResult | None:
    """What a cancelled transaction comes to; None: it met another one and is to be sent again.

    Of several conditions that failed the first in the order of ``Role`` counts: the change was applied already, the key
    was used, the memory moved or its id is taken, the guard is held. A collision in an earlier place might hide one.
    """
    said = {action.role: reason for action, reason in zip(actions, reasons, strict=True) if reason.code}
    for role in Role:
        reason = said.get(role)
        if reason is None:
            continue
        return _refusal(change, role, reason) if reason.code == "condition" else None
    return None


def pending_of(change: Change) -> Pending:
    """The outbox entry of a change: an erasure counts as one write more."""
    rev = change.after.rev if change.after else change.before.rev + 1 if change.before else 0
    return Pending(change.change_id, change.memory_id, rev)


def in_core(memory: Memory | None) -> bool:
    """Whether a memory belongs to the core block, and so has a pointer."""
    return memory is not None and memory.importance == "high" and memory.type in CORE_TYPES


def _refusal(change: Change, role: Role, reason: Reason) -> CommitResult:
    item = reason.item or {}
    match role:
        case Role.AUDIT:
            return Committed()
        case Role.KEY:
            return KeyUsed(item["memory_id"], item["fingerprint"])
        case Role.GUARD:
            return GuardHeld(item["memory_id"])
        case _:
            return Moved() if change.before else IdTaken()


def _key(change: Change) -> Iterator[Action]:
    if change.key:
        used_at = change.audit.at
        condition = Condition(
            "attribute_not_exists(sk) OR #ttl <= :now",
            {":now": to_seconds(used_at)},
            {"#ttl": "ttl"},
            tells=True,
        )
        item = key_item(change.key, change.memory_id, used_at)
        yield Action("Put", item, Role.KEY, condition)


def _memory(owner: Owner, change: Change) -> Iterator[Action]:
    unmoved = Condition("rev = :rev", {":rev": change.before.rev}) if change.before else _ABSENT
    if change.after is None:
        kind = "Delete" if change.before else "ConditionCheck"
        yield Action(kind, {"sk": MEMORY + change.memory_id}, Role.MEMORY, unmoved)
        return
    yield Action("Put", memory_item(owner, change.after, change.audit.at), Role.MEMORY, unmoved)
    if change.before is None and change.keeps_id:
        yield Action("ConditionCheck", {"sk": RECEIPT + change.after.memory_id}, Role.FORGOTTEN, _ABSENT)


def _guard(before: Memory | None, after: Memory | None) -> Iterator[Action]:
    old, new = before and before.guard, after and after.guard
    if old == new:
        return
    if old:
        yield Action("Delete", {"sk": GUARD + old.hex()})
    if new and after:
        yield Action("Put", {"sk": GUARD + new.hex(), "memory_id": after.memory_id}, Role.GUARD, _ABSENT_OR_TOLD)


def _core(before: Memory | None, after: Memory | None) -> Iterator[Action]:
    old, new = (one.type if one and in_core(one) else None for one in (before, after))
    if old == new:
        return
    if new and after:
        yield Action("Put", {"sk": CORE + after.memory_id, "type": new})
    elif before:
        yield Action("Delete", {"sk": CORE + before.memory_id})


def _history(change: Change, stored: Sequence[int]) -> Iterator[Action]:
    new = {version.version: version for version in change.archive}
    kept = sorted({*stored, *new}, reverse=True)[:MAX_HISTORY] if change.after else []
    memory_id = change.memory_id
    yield from (Action("Put", version_item(version)) for number, version in new.items() if number in kept)
    yield from (Action("Delete", {"sk": version_key(memory_id, number)}) for number in stored if number not in kept)


def _receipt(owner: Owner, change: Change) -> Iterator[Action]:
    if change.receipt is None:
        return
    item = receipt_item(owner, change.receipt, pending_of(change).rev)
    yield Action("Put", item) if change.before else Action("Put", item, Role.FORGOTTEN, _ABSENT)
