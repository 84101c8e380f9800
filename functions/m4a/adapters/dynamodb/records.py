"""What is recorded beside memories as items, and back: outbox entries, audit events, receipts, traces."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from m4a.adapters.dynamodb.keys import AUDIT, IDEMPOTENCY, RECEIPT, TRACE, asked_key, outbox_key
from m4a.adapters.dynamodb.values import Item, from_millis, to_millis, to_ttl
from m4a.adapters.dynamodb.work import SETTLE_AFTER, Work, due
from m4a.domain.memory import IdempotencyKey
from m4a.domain.owner import Owner
from m4a.domain.records import AuditEvent, Pending, Receipt, Trace

KEY_LIFETIME = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Retention:
    """How long records are kept; ``asked``: a recall's query and filters."""

    audit: timedelta = timedelta(days=365)
    traces: timedelta = timedelta(days=30)
    asked: timedelta = timedelta(days=7)


def owner_fields(owner: Owner) -> Item:
    """Whose item it is: for those that are found without their owner."""
    return {"tenant": owner.tenant, "user": owner.user}


def owner_of(item: Item) -> Owner:
    """Whose item it is, told by one with ``owner_fields``."""
    return Owner(item["tenant"], item["user"])


def pending_item(owner: Owner, entry: Pending, committed_at: datetime) -> Item:
    """An outbox entry, due for the sweep once the stream has had its time."""
    return {
        "sk": outbox_key(entry),
        **owner_fields(owner),
        **due(Work.SETTLE, entry.memory_id, committed_at + SETTLE_AFTER),
    }


def key_item(key: IdempotencyKey, memory_id: str, used_at: datetime) -> Item:
    """An idempotency key: digests only. It outlives the memory."""
    return {
        "sk": IDEMPOTENCY + key.digest.hex(),
        "memory_id": memory_id,
        "fingerprint": key.fingerprint,
        "ttl": to_ttl(used_at + KEY_LIFETIME),
    }


def event_item(event: AuditEvent, retention: Retention) -> Item:
    """An audit event."""
    return {
        "sk": AUDIT + event.change_id,
        "at": to_millis(event.at),
        "operation": event.operation,
        "outcome": event.outcome,
        "actor": event.actor,
        "entry_point": event.entry_point,
        "request_id": event.request_id,
        "memory_id": event.memory_id,
        "version": event.version,
        "reason": event.reason,
        "recall_id": event.recall_id,
        "ttl": to_ttl(event.at + retention.audit),
    }


def event_of(item: Item) -> AuditEvent:
    return AuditEvent(
        change_id=item["sk"].removeprefix(AUDIT),
        at=from_millis(item["at"]),
        operation=item["operation"],
        outcome=item["outcome"],
        actor=item["actor"],
        entry_point=item["entry_point"],
        request_id=item["request_id"],
        memory_id=item.get("memory_id"),
        version=item.get("version"),
        reason=item.get("reason"),
        recall_id=item.get("recall_id"),
    )


def receipt_item(owner: Owner, receipt: Receipt, rev: int) -> Item:
    """A receipt. ``rev``: that of the erasure, one above the memory's last."""
    return {
        "sk": RECEIPT + receipt.memory_id,
        **owner_fields(owner),
        "change_id": receipt.change_id,
        "at": to_millis(receipt.forgotten_at),
        "reason": receipt.reason,
        "actor": receipt.actor,
        "version": receipt.version,
        "versions_erased": receipt.versions_erased,
        "rev": rev,
    }


def receipt_of(item: Item) -> Receipt:
    return Receipt(
        memory_id=item["sk"].removeprefix(RECEIPT),
        change_id=item["change_id"],
        forgotten_at=from_millis(item["at"]),
        reason=item["reason"],
        actor=item["actor"],
        version=item["version"],
        versions_erased=item["versions_erased"],
    )


def trace_items(trace: Trace, retention: Retention) -> tuple[Item, Item]:
    """A trace; and its query and filters, which are gone sooner."""
    stored, asked = to_ttl(trace.at + retention.traces), to_ttl(trace.at + retention.asked)
    return (
        {"sk": TRACE + trace.recall_id, "at": to_millis(trace.at), "body": _to_json(trace.body), "ttl": stored},
        {"sk": asked_key(trace.recall_id), "asked": _to_json(trace.asked), "ttl": asked},
    )


def trace_of(item: Item, asked: Item | None) -> Trace:
    return Trace(
        recall_id=item["sk"].removeprefix(TRACE),
        at=from_millis(item["at"]),
        body=json.loads(item["body"]),
        asked=json.loads(asked["asked"]) if asked else {},
    )


def _to_json(value: Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
