"""Where the time of a recall goes, seen at the ports: the product has no timers of its own."""

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import pairwise
from time import perf_counter
from typing import Any

from m4a.application.service import Service

STAGES = ("read input", "embed", "to the index", "search", "get", "rank", "log", "answer")
"""In order. ``read input`` goes as far as the embedder's thread, ``to the index`` back from it and into a read
transaction; ``rank`` includes making the trace, ``log`` stores it."""


class Stopwatch:
    """Times at which the calls of four ports began and ended, in their order."""

    def __init__(self) -> None:
        self._marks: list[float] = []

    @contextmanager
    def watching(self, service: Service) -> Generator[None]:
        """Within it, the ports of the service report to this watch."""
        calls = (
            (service.embedder, "embed"),
            (service.index, "search"),
            (service.store, "get"),
            (service.log, "append"),
        )
        for port, name in calls:
            setattr(port, name, partial(self._timed, getattr(port, name)))
        try:
            yield
        finally:
            for port, name in calls:
                delattr(port, name)

    def stages(self, run: Callable[[], object]) -> Sequence[float]:
        """Milliseconds of each stage while ``run`` does one recall."""
        self._marks = []
        start = perf_counter()
        run()
        marks = [start, *self._marks, perf_counter()]
        (before, embed, between, search, gap, get, rank, log, answer) = (
            1000 * (end - begin) for begin, end in pairwise(marks)
        )
        return (before, embed, between, search, gap + get, rank, log, answer)

    def _timed(self, call: Callable[..., Any], *arguments: Any) -> Any:
        self._marks.append(perf_counter())
        try:
            return call(*arguments)
        finally:
            self._marks.append(perf_counter())
