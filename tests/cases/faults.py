"""Backends that fail on request, each until its fault is cleared."""

import math
from collections.abc import Sequence
from threading import Event, Lock
from typing import Protocol

from m4a.domain.errors import Throttled, Unavailable
from m4a.domain.memory import Embedding
from m4a.domain.vectors import pack, unpack
from m4a.ports import Embedder, Purpose
from m4a.ports.deadline import seconds_left
from tests.cases.fault_modes import NO_FAULT, Mode

LONG_S = 60.0


class Breakable(Protocol):
    """A backend whose fault can be set."""

    def set(self, mode: Mode) -> None:
        """Puts it into the mode; NO_FAULT ends it."""
        ...


class Fault:
    """The mode that a backend is in. A call is held no longer than its adapter waits: ``read_s`` and ``write_s``."""

    def __init__(self, read_s: float = LONG_S, write_s: float = LONG_S) -> None:
        self._longest = {"read": read_s, "write": write_s}
        self._lock = Lock()
        self._ended = Event()
        self.set(NO_FAULT)

    def set(self, mode: Mode) -> None:
        with self._lock:
            self._ended.set()
            self._ended = Event()
            self.now, self._left = mode, mode.calls

    def read(self) -> str:
        """Fails or holds a call that reads, as the mode says; the effect, where that is more than this."""
        return self._strike("read") if self.now.reads else "clear"

    def write(self) -> str:
        """The same for a call that writes."""
        return self._strike("write") if self.now.writes else "clear"

    def _strike(self, kind: str) -> str:
        mode, ended = self._take()
        match mode.effect:
            case "throttle":
                raise Throttled("This backend is made to refuse for now.")
            case "fail" | "absent":
                raise Unavailable("This backend is made to fail for now.")
            case "delay" | "hang":
                self._hold(mode, ended, min(self._longest[kind], seconds_left()))
            case _:
                pass
        return mode.effect

    def _take(self) -> tuple[Mode, Event]:
        with self._lock:
            if self._left is None:
                return self.now, self._ended
            self._left -= 1
            return self.now if self._left >= 0 else NO_FAULT, self._ended

    @staticmethod
    def _hold(mode: Mode, ended: Event, longest: float) -> None:
        asked = math.inf if mode.seconds is None else mode.seconds
        over = ended.wait(min(asked, longest))
        if not over and (mode.effect == "hang" or asked >= longest):
            raise Unavailable("This backend is made not to answer in time.")


class FaultyEmbedder:
    """``swap`` makes it another model: with vectors of another size, or of the same size in another space."""

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner
        self._fault = Fault()
        self.set = self._fault.set

    @property
    def model(self) -> str:
        return (self._fault.now.model or "another-model") if self._is_swapped else self._inner.model

    @property
    def dense_weight(self) -> float:
        return self._inner.dense_weight

    @property
    def similar_floor(self) -> float:
        return self._inner.similar_floor

    def embed(self, texts: Sequence[str], purpose: Purpose) -> list[Embedding]:
        self._fault.write() if purpose == "document" else self._fault.read()
        made = self._inner.embed(texts, purpose)
        return [self._swapped(one) for one in made] if self._is_swapped else made

    @property
    def _is_swapped(self) -> bool:
        return self._fault.now.effect == "swap"

    def _swapped(self, embedding: Embedding) -> Embedding:
        values = unpack(embedding.data)
        other = values[: len(values) // 2] if self._fault.now.other_size else values[::-1]
        return Embedding(self.model, pack(other))
