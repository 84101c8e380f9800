"""Entries as operations of a ``_bulk``, and what its answers mean."""

import json
import logging
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from m4a.adapters.errors import Unusable
from m4a.adapters.opensearch.deployment import NO_CLASSIC, Deployment, refuses_ids
from m4a.adapters.opensearch.entries import VectorSpace, document
from m4a.adapters.opensearch.names import document_id
from m4a.ports.indexing import IndexEntry, WriteResult

MAX_BATCH_BYTES = 4_000_000
_GONE = 2**53
"""The version of a deletion: no rev gets there, so no older write comes back after it."""
_FROM_BEST = (
    WriteResult.WRITTEN,
    WriteResult.ACCEPTED,
    WriteResult.STALE,
    WriteResult.FAILED,
    WriteResult.POISON,
)

_ERROR_TYPE = re.compile(r"[a-z_]{1,60}_exception")

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Job:
    """The operations of one entry in one generation. ``lines``: as they are sent, one operation to an answer."""

    position: int
    gone: bool
    lines: tuple[str, ...]

    @property
    def answers(self) -> int:
        """How many items of the bulk's answer are this job's."""
        return 2 if self.gone else 1

    @property
    def size(self) -> int:
        """Bytes, at most."""
        return sum(4 * len(line) + 1 if not line.isascii() else len(line) + 1 for line in self.lines)


def job(position: int, entry: IndexEntry, alias: str, space: VectorSpace, deployment: Deployment) -> Job:
    """Writes or deletes one document through the alias of one generation.

    A delete with an external version would make the index if it is absent, whatever is required of the alias. So a
    deletion is two operations: an empty document at the highest version, and a plain delete of it; where the alias is
    gone, both are refused.
    """
    target = {"_index": alias, "_id": document_id(entry.owner_key, entry.memory_id)}
    if deployment.routing:
        target["routing"] = entry.owner_key
    put = {"index": {**target, **_versioned(_GONE if entry.memory is None else entry.rev)}}
    if entry.memory is None:
        return Job(position, True, _as_lines([put, {}, {"delete": target}]))
    return Job(position, False, _as_lines([put, document(entry.owner_key, entry.memory, space)]))


def batches(jobs: Iterable[Job]) -> Iterator[list[Job]]:
    """The jobs in order, in parts that a request can carry."""
    batch: list[Job] = []
    size = 0
    for one in jobs:
        if batch and size + one.size > MAX_BATCH_BYTES:
            yield batch
            batch, size = [], 0
        batch.append(one)
        size += one.size
    if batch:
        yield batch


def result_of(one: Job, items: Sequence[Mapping[str, Any]], deployment: Deployment) -> WriteResult:
    """What the job's items say. Raises Unusable for a Serverless Classic collection."""
    results = [_result(next(iter(item.values()))) for item in items]
    if one.gone and results[0] is WriteResult.STALE:
        del results[0]  # deleted before: its version has risen since
    result = worst(*results)
    return WriteResult.ACCEPTED if result is WriteResult.WRITTEN and not deployment.waits_for_refresh else result


def worst(*results: WriteResult) -> WriteResult:
    return max(results, key=_FROM_BEST.index)


def _result(item: Mapping[str, Any]) -> WriteResult:
    error = item.get("error")
    if not error:
        return WriteResult.WRITTEN
    status = int(item["status"])
    if status == 409:
        return WriteResult.STALE
    if refuses_ids(error):
        raise Unusable(NO_CLASSIC)
    named = str(error.get("type"))
    kind = named if _ERROR_TYPE.fullmatch(named) else "unknown"  # whatever stands between may answer with what was sent
    _log.warning("index refused an entry: status=<%d> type=<%s>", status, kind)
    return WriteResult.POISON if status == 400 else WriteResult.FAILED


def _versioned(version: int) -> dict[str, Any]:
    return {"version": version, "version_type": "external_gte", "require_alias": True}


def _as_lines(rows: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    return tuple(json.dumps(row, ensure_ascii=False, separators=(",", ":")) for row in rows)
