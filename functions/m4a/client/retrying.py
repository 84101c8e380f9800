"""When a request is sent again, and after how long."""

import random
from dataclasses import dataclass
from typing import Any

import httpx

from m4a.client.asking import Ask
from m4a.client.replies import NOT_OURS
from m4a.domain.errors import Internal, InvalidInput, M4AError, Throttled, Unavailable

FAILURES = (httpx.RequestError, Throttled, Unavailable)
"""What ``Attempts`` decides about."""

_UNREADABLE = (httpx.DecodingError, httpx.TooManyRedirects)
_UNSENDABLE = (httpx.UnsupportedProtocol, httpx.LocalProtocolError)
_NOT_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)


@dataclass(frozen=True, slots=True, kw_only=True)
class Retries:
    """How often a request is sent at most, and the waits in seconds: doubled each time, up to ``longest_s``.

    A server that asks for a longer wait gets it, unless it is longer than ``longest_s``: then the error is raised.
    """

    attempts: int = 4
    first_s: float = 0.25
    longest_s: float = 8.0


class Attempts:
    """The attempts at one request."""

    def __init__(self, retries: Retries, ask: Ask[Any]) -> None:
        self._retries = retries
        self._ask = ask
        self._failed = 0

    def wait_after(self, error: Exception) -> float:
        """Seconds to wait before the next attempt. Raises the error, as one of ours, if there is to be none."""
        self._failed += 1
        ours = _ours(error)
        asked_for: int = getattr(ours, "retry_after", 0)
        enough = self._failed >= self._retries.attempts or asked_for > self._retries.longest_s
        if enough or self._is_lost(error) or not isinstance(ours, Throttled | Unavailable):
            raise ours from (error if ours is not error else None)
        wait = min(self._retries.longest_s, self._retries.first_s * 2 ** (self._failed - 1))
        return max(float(asked_for), wait * random.uniform(0.5, 1))  # noqa: S311 spreads clients, keeps no secret

    def _is_lost(self, error: Exception) -> bool:
        """Whether it may have been done, and doing it again would not be the same."""
        return self._ask.once and not isinstance(error, (*_NOT_SENT, Throttled))


def unsendable() -> InvalidInput:
    """The error of a request that can't even be written. What it was about may be the token, so it quotes nothing."""
    return InvalidInput.of("request", "can't be sent", "an http or https URL, and headers of one line")


def _ours(error: Exception) -> M4AError:
    if isinstance(error, M4AError):
        return error
    if isinstance(error, _UNSENDABLE):
        return unsendable()
    if isinstance(error, _UNREADABLE):
        return Internal(NOT_OURS)
    if isinstance(error, _NOT_SENT):
        return Unavailable("The server can't be reached.")
    return Unavailable("The connection ended before the answer: it is not known whether this was done.")
