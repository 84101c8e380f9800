"""The connection to OpenSearch, and its errors in the words of the domain: the one place where they are told apart."""

import logging
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from random import SystemRandom
from typing import Any, TypeVar

from opensearchpy import OpenSearch, TransportError, Urllib3AWSV4SignerAuth, Urllib3HttpConnection
from opensearchpy.exceptions import ConnectionError as NoConnection
from opensearchpy.exceptions import ConnectionTimeout, SerializationError
from urllib3 import Timeout

from m4a.domain.errors import Throttled, Unavailable
from m4a.ports.deadline import seconds_left

TIMEOUT_S = 3.0
WRITE_TIMEOUT_S = 20.0
"""For what waits for a refresh or makes an index."""
_LOGGERS = ("opensearch", "opensearchpy.trace")
"""The library's. Below WARNING they log bodies, which hold words of memories."""
UNREADABLE = "The search index gave an answer that can't be read."
_ATTEMPTS = 3
_FIRST_PAUSE_S = 0.1
_random = SystemRandom()  # functions that start from one snapshot would share another generator's numbers

T = TypeVar("T")


class OutOfTime(Unavailable):
    """The index did not answer in the time that was left, which is less than it is given: no word against the index."""


class _CutShort(ConnectionTimeout):
    """A time-out that came early, at the end of the time that was left."""


@dataclass(frozen=True, slots=True)
class Signing:
    """By what requests are signed: credentials as botocore's session gives them, and for which region and service."""

    credentials: Any
    region: str
    service: str


def connect(address: str, signing: Signing | None = None, *, timeout_s: float = TIMEOUT_S) -> OpenSearch:
    """A client for one endpoint, such as ``https://search-x.eu-west-1.es.amazonaws.com``; connects when first used.

    Threads can share it; make one per process. A dropped connection and a 502, 503 or 504 are tried once more. Each
    wait, for the connection and for the next bytes of an answer, ends with the time that is left when the request is
    made, see ``m4a.ports.deadline``; an answer that trickles can take longer in all.
    """
    for name in _LOGGERS:
        logging.getLogger(name).setLevel(logging.WARNING)
    auth = Urllib3AWSV4SignerAuth(signing.credentials, signing.region, signing.service) if signing else None
    return OpenSearch(
        hosts=[address],
        http_auth=auth,
        connection_class=_Connection,
        timeout=timeout_s,
        max_retries=1,
        pool_maxsize=16,
    )


class _Connection(Urllib3HttpConnection):
    """Waits for the next bytes no longer than the time that is left. The signer of the library's other class gets 403
    on Serverless."""

    def perform_request(self, *args: Any, timeout: float | None = None, **options: Any) -> Any:
        left = seconds_left()
        if not left:
            raise _CutShort("TIMEOUT", "no time is left", None)
        usual = timeout or self.timeout
        longest: Any = Timeout(total=min(usual, left))  # urllib3 takes it, the library passes it on
        try:
            return super().perform_request(*args, timeout=longest, **options)
        except ConnectionTimeout as error:
            raise (_CutShort(*error.args) if left < usual else error) from None


@contextmanager
def translate_errors() -> Generator[None]:
    """Raises Throttled for 429, Unavailable for every other answer that is none, for one that is no JSON, and for no
    answer; OutOfTime, which is an Unavailable, where that was not waited for as long as usual.

    The original is left out: its text can quote what was asked or written.
    """
    try:
        yield
    except ConnectionTimeout as error:
        late = OutOfTime if isinstance(error, _CutShort) else Unavailable
        raise late("The search index did not answer in time.") from None
    except NoConnection:
        raise Unavailable("The search index can't be reached.") from None
    except TransportError as error:
        if error.status_code == 429:
            raise Throttled("The search index is overrun.") from None
        raise Unavailable(f"The search index answered with the status {error.status_code}.") from None
    except SerializationError:
        raise Unavailable(UNREADABLE) from None


@contextmanager
def reading() -> Generator[None]:
    """Around what takes an answer apart. Raises Unavailable for one that is of another form than it should be."""
    try:
        yield
    except (ArithmeticError, AttributeError, IndexError, KeyError, TypeError, ValueError):
        raise Unavailable(UNREADABLE) from None


def patiently(call: Callable[[], T], *, pause: Callable[[float], None] = time.sleep) -> T:
    """The result of the call, which is made up to three times while the answer is 429. Raises as the call does."""
    for attempt in range(1, _ATTEMPTS):
        try:
            return call()
        except TransportError as error:
            if error.status_code != 429:
                raise
            longest = _FIRST_PAUSE_S * attempt * _random.uniform(0.5, 1.5)
            pause(min(longest, seconds_left()))
    return call()
