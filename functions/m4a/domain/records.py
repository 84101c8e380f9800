"""What is recorded beside memories: audit events, receipts, traces; and the change that one commit carries."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, Literal, TypeVar

from m4a.domain.memory import IdempotencyKey, Memory, Version
from m4a.domain.owner import Owner

T = TypeVar("T")

Operation = Literal["remember", "recall", "update_memory", "forget", "import", "restore", "embed", "export", "erase"]
Outcome = Literal["created", "existing", "updated", "unchanged", "forgotten", "already_forgotten", "answered"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEvent:
    """One operation that was answered: who did what, through which entry point, to which memory. No memory text."""

    change_id: str
    at: datetime
    operation: Operation
    outcome: Outcome
    actor: str
    entry_point: str
    request_id: str
    memory_id: str | None = None
    version: int | None = None
    reason: str | None = None
    recall_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """The record of one forget: no content and nothing derived from content.

    ``residue_cleared`` is False while a copy of the erased text may still lie in the store's log, because a reader held
    it; the next write tries again.
    """

    memory_id: str
    change_id: str
    forgotten_at: datetime
    reason: str
    actor: str
    version: int
    versions_erased: int
    residue_cleared: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """The record of one recall: ``body`` is JSON without memory text; ``asked`` (query, filters) expires sooner."""

    recall_id: str
    at: datetime
    body: Mapping[str, Any]
    asked: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One atomic write to one memory, whatever the operation.

    ``before`` None inserts, ``after`` None erases (then ``receipt`` is set), both update; the commit is conditional on
    ``before.rev``. Without both, it puts back the receipt of a memory that is not there. ``archive`` goes to the
    history. ``keeps_id`` says that the id came from outside (an import) and must be neither taken nor forgotten.
    """

    change_id: str
    before: Memory | None
    after: Memory | None
    audit: AuditEvent
    archive: tuple[Version, ...] = ()
    key: IdempotencyKey | None = None
    receipt: Receipt | None = None
    keeps_id: bool = False

    @property
    def replays(self) -> bool:
        """Whether the receipt is that of an earlier erasure, which is stored as it is."""
        return self.receipt is not None and self.receipt.change_id != self.change_id

    @property
    def memory_id(self) -> str:
        """The memory that is written. Raises ValueError for a change of none."""
        for one in (self.after, self.before, self.receipt):
            if one is not None:
                return one.memory_id
        raise ValueError("a change inserts, updates, erases with a receipt, or puts back a receipt")


@dataclass(frozen=True, slots=True)
class Committed:
    """The change is durable. ``receipt`` is set for an erasure, with the counts that the transaction found."""

    receipt: Receipt | None = None


@dataclass(frozen=True, slots=True)
class Moved:
    """Nothing was written: the memory is gone or its rev is another than ``before.rev``. Read again."""


@dataclass(frozen=True, slots=True)
class GuardHeld:
    """Nothing was written: this memory of the same owner has the same text and type."""

    memory_id: str


@dataclass(frozen=True, slots=True)
class KeyUsed:
    """Nothing was written: the idempotency key was used for ``memory_id`` with a body of ``fingerprint``."""

    memory_id: str
    fingerprint: bytes


@dataclass(frozen=True, slots=True)
class IdTaken:
    """Nothing was written: the id that an import or a receipt brought is taken, or was forgotten."""


CommitResult = Committed | Moved | GuardHeld | KeyUsed | IdTaken


@dataclass(frozen=True, slots=True)
class Pending:
    """One outbox entry: this change is not yet known to be searchable."""

    change_id: str
    memory_id: str
    rev: int


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """A part of a listing. ``next`` is an opaque cursor, None at the end; a page may be empty and still carry one."""

    items: tuple[T, ...]
    next: str | None = None


@dataclass(frozen=True, slots=True)
class Due:
    """Work that the sweep owes one owner's memory."""

    owner: Owner
    memory_id: str
    reason: Literal["expired", "embed"]
