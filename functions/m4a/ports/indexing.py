"""How the search index is written and replaced: for the indexer, the sweep and operator commands alone.

The index is a disposable copy in numbered generations. Searches go to one of them; writes go to every one that is
listed as a writer, so that a new generation can be filled while the old one serves.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum
from typing import Protocol

from m4a.domain.errors import Unavailable
from m4a.domain.memory import Memory


class IndexOutdated(Unavailable):
    """The index answers, but it is not known to hold what the store holds: another generation, other token rules, not
    finished, emptied, or restored from an older copy."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Marker:
    """What a generation says of itself. Only ``m4a init`` on an empty table and a finished reindex write a new one.

    ``rules``: the token rules of its terms. ``model``: whose vectors it holds. ``beat``: a number that only ever rises,
    here first and then in the table; an index that shows less than the table was restored from an older copy.
    """

    generation: int
    rules: str
    model: str
    complete: bool
    beat: int


@dataclass(frozen=True, slots=True)
class ExpectedState:
    """What the table says of the index: the generation that searches go to, and the least beat that it must show."""

    generation: int
    beat: int


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexEntry:
    """A memory as the index is to hold it, at its ``rev``. ``memory`` None: it is gone for good, and no rev of it may
    come back (``rev`` is then not looked at)."""

    owner_key: str
    memory_id: str
    rev: int
    memory: Memory | None


class WriteResult(Enum):
    """What became of one entry, in the generation where it fared worst."""

    WRITTEN = "written"
    """Searchable from now on."""
    ACCEPTED = "accepted"
    """Written, but this deployment does not tell when it becomes searchable: ask ``searchable`` later."""
    STALE = "stale"
    """Not written: the index holds a newer rev. That alone does not say that the newer one is searchable."""
    FAILED = "failed"
    """Not written for now; try again."""
    POISON = "poison"
    """Refused for what it is; trying again does not help."""


class IndexWriter(Protocol):
    """Writes entries to every generation that is a writer, and creates none."""

    def write(self, entries: Sequence[IndexEntry]) -> list[WriteResult]:
        """One result an entry, in order. An older rev never replaces a newer one; the same rev is written again. A
        deletion is remembered for a time (15 minutes at least on a managed domain), not for ever: read the truth once
        more after each write. Raises if nothing is known of the outcome, or there is no generation to write to."""
        ...

    def searchable(self, entries: Sequence[IndexEntry]) -> list[bool]:
        """Whether searches of every writer's generation show the entry at its rev or a newer one; for a memory that is
        gone, whether none of them shows it."""
        ...


class IndexAdmin(Protocol):
    """Makes, promotes and retires generations. Each call may be repeated."""

    def exists(self) -> bool:
        """Whether searches have a generation to go to."""
        ...

    def searched(self) -> int | None:
        """The generation that searches go to."""
        ...

    def create_generation(self, generation: int, model: str, dimensions: int) -> None:
        """An empty generation for vectors of this model and size, which is a writer from its first moment on. One that
        is there already stays as it is. Raises ValueError if that was not made as this one would be."""
        ...

    def made_so(self, generation: int, model: str, dimensions: int) -> bool:
        """Whether this generation was made for that model, as ``create_generation`` would make it now."""
        ...

    def writers(self) -> Sequence[int]:
        """The generations that writes go to, oldest first."""
        ...

    def set_marker(self, marker: Marker) -> bool:
        """Writes its generation's marker, for searches to see. False, and nothing written, if one has a higher beat."""
        ...

    def marker(self, generation: int | None = None) -> Marker | None:
        """The marker that searches see; of the generation that they go to, if none is named. None if it has none."""
        ...

    def promote(self, generation: int) -> None:
        """Sends searches to this generation, in one step. Promote first, then write it to the table: a searcher takes
        a newer generation than it expects, not an older one."""
        ...

    def refresh(self, generation: int) -> None:
        """Lets searches of it see all that was written to it so far, where a deployment can be told to."""
        ...

    def retire(self, generation: int) -> None:
        """Removes a generation with all it holds. Raises ValueError for the one that searches go to."""
        ...


@dataclass(frozen=True, slots=True)
class MemoryRef:
    """Which memory, by the key of its owner: all that the index and the outbox know."""

    owner_key: str
    memory_id: str


@dataclass(frozen=True, slots=True)
class OutboxRef:
    """One entry of the outbox: this change is not yet known to be searchable."""

    memory: MemoryRef
    change_id: str
    rev: int


@dataclass(frozen=True, slots=True)
class TruthRead:
    """``found``: those that exist. ``unread``: those that could not be read now, of which nothing is known."""

    found: Mapping[MemoryRef, Memory]
    unread: frozenset[MemoryRef] = frozenset()


@dataclass(frozen=True, slots=True)
class Overdue:
    """An entry of the outbox that has waited for too long, and since when it stands there."""

    ref: OutboxRef
    since: datetime


class Truth(Protocol):
    """The store as the indexer sees it: it may read memories and remove outbox entries, nothing else. Where it answers
    for some owners and not for others, it fails for those alone: neither method raises."""

    def read(self, refs: Sequence[MemoryRef]) -> TruthRead:
        """Strongly consistent."""
        ...

    def settle(self, refs: Sequence[OutboxRef]) -> frozenset[OutboxRef]:
        """Removes entries whose change is known to be searchable, if they are there. Answers those that it can't."""
        ...


class IndexState(Protocol):
    """What the table says of the index."""

    def read(self) -> ExpectedState | None:
        """As it is now; None before ``m4a init``."""
        ...

    def write(self, state: ExpectedState) -> None:
        """Only after the index itself says the same or more."""
        ...

    def recent(self) -> ExpectedState | None:
        """The same from a copy that may be a minute old."""
        ...


class Unsettled(Protocol):
    """The outbox across owners, for the sweep."""

    def unsettled(self, now: datetime, after: timedelta) -> Iterator[Overdue]:
        """Entries that are that old, oldest first, read as they are consumed: none comes twice, whatever is settled
        meanwhile. One that was settled a moment ago may still be among them."""
        ...
