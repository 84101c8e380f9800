"""The stream entry point: DynamoDB stream records of new outbox entries, for the indexer."""

import logging
from collections.abc import Mapping, Sequence
from typing import Any

from m4a.application.indexing import Indexing, index_changes
from m4a.domain.ids import is_ulid
from m4a.entrypoints.jobs import job
from m4a.entrypoints.operations import Operation
from m4a.ports.indexing import MemoryRef, OutboxRef

OUTBOX = "P#"
ENTRY_POINT = "stream"
OPERATION = "index"
MAX_NAMED = 10
"""Changes that failed, in the log line."""

logger = logging.getLogger(__name__)


def index_records(indexing: Indexing, event: Mapping[str, Any], context: object = None) -> dict[str, Any]:
    """Answers the records that failed (``batchItemFailures``); the stream sends them again. Other items' records, and
    removals, are passed over. A record that can't be read is a failure of its own and stops no other one."""
    with job(ENTRY_POINT, OPERATION, context) as operation:
        return _index(indexing, event, operation)


def _index(indexing: Indexing, event: Mapping[str, Any], operation: Operation) -> dict[str, Any]:
    failed: list[str] = []
    by_ref: dict[OutboxRef, list[str]] = {}
    for record in event.get("Records", ()):
        number = str(record["dynamodb"]["SequenceNumber"])
        try:
            ref = _ref_of(record)
        except (KeyError, TypeError, ValueError):
            logger.error("stream record %s can not be read", number)
            failed.append(number)
            continue
        if ref:
            by_ref.setdefault(ref, []).append(number)
    unreadable = len(failed)
    refused = _failed(indexing, list(by_ref))
    failed += [number for ref in refused for number in by_ref[ref]]
    operation.more |= {"changes": len(by_ref), "failed": len(refused), "unreadable": unreadable}
    if refused:
        named = [{"change_id": one.change_id, "memory_id": one.memory.memory_id} for one in refused[:MAX_NAMED]]
        operation.more["failed_changes"] = named
    return {"batchItemFailures": [{"itemIdentifier": number} for number in failed]}


def _failed(indexing: Indexing, refs: Sequence[OutboxRef]) -> Sequence[OutboxRef]:
    if not refs:
        return ()
    result = index_changes(indexing.truth, indexing.writer, refs)
    if result.failed:
        logger.warning("%d of %d changes could not be indexed", len(result.failed), len(refs))
    return result.failed


def _ref_of(record: Mapping[str, Any]) -> OutboxRef | None:
    """The outbox entry; None for a record that the indexer has no business with. Raises for one that makes no sense."""
    if record["eventName"] != "INSERT":
        return None
    keys = record["dynamodb"]["Keys"]
    sort_key = keys["sk"]["S"]
    if not sort_key.startswith(OUTBOX):
        return None
    _, change_id, memory_id, rev = sort_key.split("#")
    if not (is_ulid(change_id) and is_ulid(memory_id)):
        raise ValueError("ids that are none")
    return OutboxRef(MemoryRef(keys["pk"]["S"], memory_id), change_id, int(rev))
