"""The time that a Lambda function has left, as the limit of what it does."""

from collections.abc import Callable
from contextlib import AbstractContextManager

from m4a.ports.deadline import time_limit

DEFAULT_SECONDS = 30.0
"""What is left to an invocation whose context does not say."""
RESERVE_S = 1.0
"""Kept for the answer: it has to be written, and a connection that is being made may go on for as long."""


def seconds_left_in(context: object) -> float:
    """Until the platform ends the invocation."""
    remaining: Callable[[], int] | None = getattr(context, "get_remaining_time_in_millis", None)
    return remaining() / 1000 if remaining else DEFAULT_SECONDS


def in_time(context: object) -> AbstractContextManager[None]:
    """What is done within leaves time to answer."""
    return time_limit(seconds_left_in(context) - RESERVE_S)
