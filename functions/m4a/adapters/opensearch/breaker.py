"""Leaves a backend alone for a while after it has failed several times in a row."""

import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager

from m4a.adapters.opensearch.client import OutOfTime
from m4a.domain.errors import Throttled, Unavailable

FAILURES = 3
PAUSE_S = 15.0


class Breaker:
    """Threads share it. ``clock`` gives seconds that never go back."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._failures = 0
        self._closed_from = clock()

    @contextmanager
    def guard(self) -> Generator[None]:
        """Around one call. Raises Unavailable without making it, while the backend is left alone.

        The first call after a pause decides: an answer ends the count, a failure begins another pause. A call that ran
        out of our own time counts as neither.
        """
        with self._lock:
            wait_s = self._closed_from - self._clock()
        if wait_s > 0:
            raise Unavailable("The search index failed and is left alone for a while.", retry_after=int(wait_s) + 1)
        try:
            yield
        except OutOfTime:
            raise
        except (Throttled, Unavailable):
            self._count_failure()
            raise
        with self._lock:
            self._failures = 0

    def _count_failure(self) -> None:
        with self._lock:
            self._failures += 1
            if self._failures >= FAILURES:
                self._closed_from = self._clock() + PAUSE_S
