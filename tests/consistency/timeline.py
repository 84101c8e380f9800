"""The life of one memory as its answered writes tell it.

A memory's versions are numbered by the store, one number a write. So the order of its writes is in the answers, and
nothing has to be searched for: version n was current from some moment of the write that made it to some moment of the
write that made n + 1.
"""

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import inf
from typing import Any

from tests.consistency.history import Operation, seconds

FIELDS = ("content", "type", "importance", "tags")
"""What a recall shows of a memory and a write can change."""
_CLOCK_STEP = 0.001
"""The service cuts its time to milliseconds."""


@dataclass(frozen=True, slots=True)
class State:
    """One version: its fields, when it ends by itself, and the write that made it."""

    version: int
    fields: Mapping[str, Any]
    expires: float
    write: Operation

    @classmethod
    def of(cls, answer: Mapping[str, Any], write: Operation) -> "State":
        """From the whole memory in the answer of a write."""
        until = answer["expires_at"]
        return cls(answer["version"], shown(answer), seconds(until) if until else inf, write)

    def matches(self, asked: Mapping[str, Any]) -> bool:
        """Whether the filters of a recall select it."""
        one_of = all(asked.get(name) in (None, self.fields[name]) for name in ("type", "importance"))
        return one_of and set(asked.get("tags") or ()) <= set(self.fields["tags"])

    def may_live(self, during: Operation) -> bool:
        return self.expires > during.start - _CLOCK_STEP

    def may_have_expired(self, during: Operation) -> bool:
        return self.expires <= during.end


def shown(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """The fields that are compared."""
    return {name: row[name] for name in FIELDS}


@dataclass(slots=True)
class Timeline:
    """What is known of one memory. ``unknown_from``: from here on a write may have happened that nobody answered."""

    memory_id: str
    owner: str
    states: dict[int, State] = field(default_factory=dict[int, State])
    forget_starts: float = inf
    forgotten_by: float = inf
    unknown_from: float = inf
    _seen: list[tuple[float, int]] = field(default_factory=list[tuple[float, int]])

    def see(self, end: float, version: int) -> None:
        """An answer that ended then showed this version."""
        self._seen.append((end, version))

    def forget(self, operation: Operation) -> None:
        """A receipt was answered, the first one or again."""
        self.forget_starts = min(self.forget_starts, operation.start)
        self.forgotten_by = min(self.forgotten_by, operation.end)

    def settle(self) -> None:
        """Called once all is known: makes ``floor`` fast."""
        self._seen.sort()
        highest = 0
        for number, (end, version) in enumerate(self._seen):
            highest = max(highest, version)
            self._seen[number] = (end, highest)

    def floor(self, moment: float) -> int:
        """The newest version that an answer had shown before this moment; 0 if none had."""
        before = bisect_left(self._seen, (moment, 0))
        return self._seen[before - 1][1] if before else 0

    def possible(self, during: Operation) -> list[State]:
        """The versions one of which the memory may have had at a moment of the operation."""
        lowest = self.floor(during.start)
        return [one for one in self.states.values() if one.version >= lowest and one.write.start < during.end]

    def may_be_absent(self, during: Operation) -> bool:
        """Whether it may not have been there yet, or no more, at a moment of the operation."""
        if not self.floor(during.start) or min(self.forget_starts, self.unknown_from) < during.end:
            return True
        return any(one.may_have_expired(during) for one in self.possible(during))

    def flaws(self) -> Iterator[tuple[str, Operation]]:
        """What is wrong with the writes alone: each must build on the version before."""
        for version, state in sorted(self.states.items()):
            before = self.states.get(version - 1)
            if before is None and version > 1:
                if self.unknown_from > state.write.start:
                    yield "lost_write", state.write
                continue
            changes = {name: value for name, value in state.write.arguments.items() if name in FIELDS}
            if state.fields != {**(before.fields if before else state.fields), **changes}:
                yield "lost_write", state.write
            if before and state.write.end < before.write.start:
                yield "stale", state.write
