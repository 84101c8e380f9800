"""How much time an operation has. What may wait asks here, so that an answer comes before the end of the function.

The limit belongs to the thread that set it and goes with the work that it gives to a ``LimitedPool``. Without one there
is no end to the time that is left.
"""

import math
from collections.abc import Callable, Generator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from time import monotonic
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

_deadline: ContextVar[float] = ContextVar("m4a_deadline", default=math.inf)


@contextmanager
def time_limit(seconds: float) -> Generator[None]:
    """What is done within waits for no more than so many seconds, nor beyond a limit around this one."""
    token = _deadline.set(min(_deadline.get(), monotonic() + seconds))
    try:
        yield
    finally:
        _deadline.reset(token)


def seconds_left() -> float:
    """Until the limit; 0.0 beyond it."""
    return max(0.0, _deadline.get() - monotonic())


def share(seconds: float = math.inf, of: float = 0.5) -> float:
    """For what an answer can do without: at most ``seconds``, and that part of the time that is left."""
    return min(seconds, seconds_left() * of)


class LimitedPool(ThreadPoolExecutor):
    """Threads that see the context of whoever gives them work, and so are under its limit."""

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        return super().submit(copy_context().run, fn, *args, **kwargs)
