"""Where items lie: the partition is the owner's key, the sort key a letter for the kind of item, then its ids."""

from collections.abc import Sequence
from typing import NamedTuple

from m4a.domain.ids import is_ulid
from m4a.domain.records import Pending

MEMORY = "M#"
HISTORY = "H#"
GUARD = "D#"
IDEMPOTENCY = "K#"
CORE = "C#"
OUTBOX = "P#"
AUDIT = "A#"
TRACE = "R#"
RECEIPT = "X#"


class Key(NamedTuple):
    """The primary key of an item."""

    pk: str
    sk: str


INDEX_STATE = Key("#index", "state")
"""What is true of the search index as a whole: its generation, and the rules that the stored terms follow."""


def keys_of(pk: str, prefix: str, ids: Sequence[str]) -> list["Key"]:
    """The keys of one kind of item by ids. What is no id has none: it can't be stored, nor be a part of another key."""
    return [Key(pk, prefix + one) for one in ids if is_ulid(one)]


def versions_of(memory_id: str) -> str:
    """What the sort keys of a memory's earlier versions begin with."""
    return f"{HISTORY}{memory_id}#"


def version_key(memory_id: str, version: int) -> str:
    return f"{versions_of(memory_id)}{version:010}"


def read_version_key(sk: str) -> tuple[str, int]:
    """Memory id and version."""
    _, memory_id, version = sk.split("#")
    return memory_id, int(version)


def outbox_key(entry: Pending) -> str:
    return f"{OUTBOX}{entry.change_id}#{entry.memory_id}#{entry.rev}"


def read_outbox_key(sk: str) -> Pending:
    """The entry; its sort key holds all of it."""
    _, change_id, memory_id, rev = sk.split("#")
    return Pending(change_id, memory_id, int(rev))


def asked_key(recall_id: str) -> str:
    """Where a trace's query and filters lie: apart, for they expire sooner."""
    return f"{TRACE}{recall_id}#q"
