"""Memories and their earlier versions as items, and back. The table adds the partition key."""

import json
import zlib
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from m4a.adapters.dynamodb.keys import MEMORY, read_version_key, version_key
from m4a.adapters.dynamodb.values import Item, from_millis, to_millis
from m4a.adapters.dynamodb.work import memory_due
from m4a.domain.memory import Embedding, Memory, Terms, Version
from m4a.domain.owner import Owner
from m4a.domain.times import EventTime


def memory_item(owner: Owner, memory: Memory, committed_at: datetime) -> Item:
    """A memory, with its due time where it has one, and with tenant and user, so that the sweep knows whose it is."""
    return {
        "sk": MEMORY + memory.memory_id,
        "tenant": owner.tenant,
        "user": owner.user,
        **_statement(memory),
        "created": to_millis(memory.created_at),
        "version": memory.version,
        "rev": memory.rev,
        "terms": pack_counts(memory.terms.counts),
        "length": memory.terms.length,
        "distinct": memory.terms.distinct,
        "model": memory.embedding and memory.embedding.model,
        "vector": memory.embedding and memory.embedding.data,
        **memory_due(memory, committed_at),
    }


def memory_of(item: Item) -> Memory:
    return Memory(
        memory_id=item["sk"].removeprefix(MEMORY),
        **_read_statement(item),
        created_at=from_millis(item["created"]),
        version=item["version"],
        rev=item["rev"],
        terms=Terms(unpack_counts(item["terms"]), item["length"], item["distinct"]),
        embedding=Embedding(item["model"], item["vector"]) if "vector" in item else None,
    )


def version_item(version: Version) -> Item:
    """An earlier version of a memory."""
    return {
        "sk": version_key(version.memory_id, version.version),
        **_statement(version),
        "replaced": to_millis(version.replaced_at),
    }


def version_of(item: Item) -> Version:
    memory_id, version = read_version_key(item["sk"])
    replaced_at = from_millis(item["replaced"])
    return Version(memory_id=memory_id, version=version, **_read_statement(item), replaced_at=replaced_at)


def pack_counts(counts: Mapping[str, int]) -> bytes:
    """Term counts in few bytes: the terms of each count as one text (a term has no space), compressed."""
    by_count: dict[int, list[str]] = {}
    for term, count in counts.items():
        by_count.setdefault(count, []).append(term)
    texts = {count: " ".join(terms) for count, terms in by_count.items()}
    return zlib.compress(json.dumps(texts, ensure_ascii=False, separators=(",", ":")).encode(), 9)


def unpack_counts(packed: bytes) -> dict[str, int]:
    texts: dict[str, str] = json.loads(zlib.decompress(packed))
    return {term: int(count) for count, text in texts.items() for term in text.split(" ")}


def _statement(one: Memory | Version) -> Item:
    return {
        "content": one.content,
        "type": one.type,
        "importance": one.importance,
        "tags": one.tags or None,
        "source": one.source,
        "event_time": one.event_time and one.event_time.text,
        "expires": one.expires_at and to_millis(one.expires_at),
        "updated": to_millis(one.updated_at),
    }


def _read_statement(item: Item) -> dict[str, Any]:
    event_time, expires = item.get("event_time"), item.get("expires")
    return {
        "content": item["content"],
        "type": item["type"],
        "importance": item["importance"],
        "tags": tuple(item.get("tags", ())),
        "source": item.get("source"),
        "event_time": event_time and EventTime.parse(event_time),
        "expires_at": None if expires is None else from_millis(expires),
        "updated_at": from_millis(item["updated"]),
    }
