"""Waiting for what another thread does."""

import time
from collections.abc import Callable

LONGEST_S, POLL_S = 20.0, 0.05


def until(holds: Callable[[], bool]) -> None:
    """Returns as soon as it holds; fails if it does not in a time that is long for anything here."""
    stop = time.monotonic() + LONGEST_S
    while not holds():
        assert time.monotonic() < stop, "it did not come about"
        time.sleep(POLL_S)
