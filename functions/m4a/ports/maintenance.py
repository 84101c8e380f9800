"""The ports that reach across owners: for the sweep, the indexer and operator commands alone."""

from collections.abc import Collection, Iterator
from datetime import datetime
from typing import Protocol

from m4a.domain.memory import Memory
from m4a.domain.owner import Owner
from m4a.domain.records import AuditEvent, Due, Receipt


class Maintenance(Protocol):
    """Work across owners."""

    def due(self, now: datetime) -> Iterator[Due | None]:
        """Memories that have expired or have no vector, each once; None for one that can't be read now. Those that
        expired come first, from the earliest; then those that have no vector and will expire, from the earliest (that
        were put off before those that were not); then the others without one, from the oldest change. Read as they are
        consumed: what was done meanwhile may still be among them. Raises if the store answers for nobody."""
        ...

    def put_off(self, owner: Owner, memory: Memory, until: datetime) -> None:
        """The memory, which has no vector, is not due before then, or before it expires. Nothing happens if it has
        changed, or is gone. A store whose embedding model refuses no text may do nothing at all."""
        ...

    def due_age(self, now: datetime) -> float:
        """For how many seconds the oldest of what is due has been: since it expired, or about since it was last
        stored without a vector, not since it was created. 0.0 if nothing is. What was done a moment ago may still
        count."""
        ...

    def owners(self) -> Iterator[Owner]:
        """Every owner that has or had memories."""
        ...

    def token_rules(self) -> str:
        """The rules by which the stored terms were made; see ``domain.text.RULES``."""
        ...

    def set_token_rules(self, rules: str) -> None:
        """Says that all stored terms follow these rules."""
        ...


class Forgotten(Protocol):
    """What was forgotten, of all owners: for a restore, which must not bring it back."""

    def records(self) -> Iterator[tuple[Owner, Receipt | AuditEvent]]:
        """Every receipt, and every event of an ``erase``. Reads the whole store; what is written meanwhile may be
        missing."""
        ...

    def clear_strays(self, owner: Owner, memory_ids: Collection[str]) -> int:
        """Erases what is stored of these memories beside themselves (history, guard, pointer), which must be forgotten
        for good, and answers how many items that were: a backup need not be of one moment in all its items."""
        ...
