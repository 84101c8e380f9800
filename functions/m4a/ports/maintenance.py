"""The one port without an owner: for the sweep, the indexer and operator commands alone."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Protocol

from m4a.domain.owner import Owner
from m4a.domain.records import Due


class Maintenance(Protocol):
    """Work across owners."""

    def due(self, now: datetime, limit: int) -> Sequence[Due]:
        """Memories that have expired or have no vector, at most ``limit``; those that expired come first,
        each kind oldest first."""
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
