"""What the users of one history do: remember, update, forget and recall at random, several threads to a user.

Every text holds the word ``COMMON``, which every query asks for, and a word of its own. So each recall finds by words
all memories that its filters select, and a memory can be asked for by name. An owner has at most ``MOST`` memories.
"""

import random
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import count
from threading import Barrier
from typing import Any

from m4a.domain.memory import IMPORTANCES, MEMORY_TYPES
from m4a.domain.times import format_instant
from tests.consistency.history import Recorder, instant

COMMON = "ledger"
MOST = 40
WHOLE, FEW = 50, 5
"""Limits of recalls: one leaves room for all memories of an owner."""
_LETTERS = "bcfhjkmpqtvwxz"
_FILLERS = "amber basin cedar delta ember fjord grove heron inlet jetty kelp lagoon".split()
_TAGS = ("home", "work", "garden")
_LIFE_S = (0.3, 2.0)
_WRITING = {"remember": 30, "repeat": 4, "update": 26, "forget": 8, "trespass": 2, "recall": 30}
_READING = {"remember": 8, "repeat": 3, "update": 12, "forget": 6, "trespass": 2, "recall": 69}


@dataclass(slots=True)
class Known:
    """What a user's threads know of each other's memories: the arguments by which each was remembered, by id."""

    user: str
    memories: dict[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])

    def pick(self, chance: random.Random) -> tuple[str, Mapping[str, Any]] | None:
        rows = list(self.memories.items())
        return chance.choice(rows) if rows else None


class Words:
    """Words that occur once in a history."""

    def __init__(self) -> None:
        self._numbers = count()
        self.used: list[str] = []

    def new(self) -> str:
        number, word = next(self._numbers), ""
        for _ in range(5):
            number, letter = divmod(number, len(_LETTERS))
            word += _LETTERS[letter]
        self.used.append(word)
        return word


class Thread:
    """One thread of one user."""

    def __init__(self, recorder: Recorder, known: Known, others: Known, words: Words, seed: int) -> None:
        self._recorder = recorder
        self._known = known
        self._others = others
        self._words = words
        self._chance = random.Random(seed)

    def run(self, operations: int, half_time: Barrier) -> None:
        """Writes much, lets the index catch up at half-time, then reads much."""
        self._do(operations // 2, _WRITING)
        half_time.wait()
        self._do(operations - operations // 2, _READING)

    def _do(self, operations: int, weights: Mapping[str, int]) -> None:
        for _ in range(operations):
            (kind,) = self._chance.choices(list(weights), list(weights.values()))
            getattr(self, f"_{kind}")()

    def _call(self, tool: str, **arguments: Any) -> Mapping[str, Any] | None:
        return self._recorder.call(self._known.user, tool, **arguments)

    def _remember(self) -> None:
        if len(self._known.memories) >= MOST - 5:  # each thread may be about to add one
            self._forget()
            return
        arguments = {"content": self._text(), **self._fields(1.0)}
        if self._chance.random() < 0.08:
            arguments["expires_at"] = self._soon()
        answer = self._call("remember", **arguments)
        if answer:
            self._known.memories[answer["memory_id"]] = arguments

    def _repeat(self) -> None:
        """Remembers again what was remembered before, which may be there or not."""
        picked = self._known.pick(self._chance)
        if picked is None:
            self._recall()
            return
        answer = self._call("remember", **picked[1])
        if answer:
            self._known.memories[answer["memory_id"]] = picked[1]

    def _update(self) -> None:
        picked = self._known.pick(self._chance)
        if picked is None:
            self._recall()
            return
        changes = self._fields(0.3)
        if not changes or self._chance.random() < 0.5:
            changes["content"] = self._text()
        if self._chance.random() < 0.08:
            changes["expires_at"] = self._chance.choice(["clear", self._soon()])
        self._call("update_memory", memory_id=picked[0], **changes)

    def _forget(self) -> None:
        picked = self._known.pick(self._chance)
        if picked is None:
            self._recall()
            return
        self._call("forget", memory_id=picked[0], reason="it is time")
        self._known.memories.pop(picked[0], None)

    def _trespass(self) -> None:
        """Reaches for another user's memory."""
        picked = self._others.pick(self._chance)
        if picked is None:
            self._recall()
        elif self._chance.random() < 0.5:
            self._call("forget", memory_id=picked[0], reason="not mine")
        else:
            self._call("update_memory", memory_id=picked[0], importance="high", content=self._text())

    def _recall(self) -> None:
        limit = WHOLE if self._chance.random() < 0.75 else FEW
        recall(self._recorder, self._known.user, self._word(), limit, **self._filters())

    def _text(self) -> str:
        return " ".join([COMMON, self._words.new(), *self._chance.sample(_FILLERS, self._chance.randint(1, 4))])

    def _word(self) -> str:
        return self._chance.choice(self._words.used[-60:]) if self._words.used else self._words.new()

    def _fields(self, likely: float) -> dict[str, Any]:
        values: dict[str, Any] = {
            "type": self._chance.choice(MEMORY_TYPES),
            "importance": self._chance.choice(IMPORTANCES),
            "tags": self._chance.sample(_TAGS, self._chance.randint(0, 2)),
        }
        return {name: value for name, value in values.items() if self._chance.random() < likely}

    def _filters(self) -> dict[str, Any]:
        return {**self._fields(0.2), **({"tags": [self._chance.choice(_TAGS)]} if self._chance.random() < 0.2 else {})}

    def _soon(self) -> str:
        return format_instant(instant(time.monotonic() + self._chance.uniform(*_LIFE_S)))


def recall(recorder: Recorder, user: str, word: str, limit: int, **filters: Any) -> None:
    """Asks for all that the filters select, what holds the word first."""
    recorder.call(user, "recall", query=f"{COMMON} {word}", limit=limit, **filters)
