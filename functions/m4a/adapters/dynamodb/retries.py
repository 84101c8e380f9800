"""Trying again: a bounded number of times, with random pauses, within a time budget."""

import time
from collections.abc import Callable, Iterator
from random import SystemRandom

from m4a.ports.deadline import seconds_left

FIRST_PAUSE_S = 0.05
LONGEST_PAUSE_S = 1.0

_random = SystemRandom()
"""Functions that start from one snapshot would draw the same numbers from a generator that was seeded before it."""


def attempts(most: int, budget_s: float, sleep: Callable[[float], None]) -> Iterator[int]:
    """Counts attempts from 0. Before each but the first it waits a random time below a bound that doubles; it ends
    early if that would go beyond the budget, or beyond the time that is left."""
    stop = time.monotonic() + min(budget_s, seconds_left())
    for number in range(most):
        if number:
            longest = min(LONGEST_PAUSE_S, FIRST_PAUSE_S * 2 ** (number - 1))
            pause = _random.uniform(0, longest)
            if time.monotonic() + pause > stop:
                return
            sleep(pause)
        yield number
