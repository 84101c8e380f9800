"""Requests to DynamoDB, with patience while it is overrun."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from m4a.adapters.dynamodb.client import Client
from m4a.adapters.dynamodb.errors import OVERRUN, translate_errors
from m4a.adapters.dynamodb.retries import attempts
from m4a.domain.errors import Throttled

ATTEMPTS = 8


class Sender:
    """Raises Throttled and Unavailable, as ``translate_errors`` says. ``budget_s``: seconds after which nothing is sent
    again, if the time that is left is not shorter."""

    def __init__(self, client: Client, budget_s: float, sleep: Callable[[float], None]) -> None:
        self._client = client
        self._budget_s = budget_s
        self._sleep = sleep

    def attempts(self, most: int) -> Iterator[int]:
        """Counts attempts from 0, with a growing random pause before each but the first, until the time is spent."""
        return attempts(most, self._budget_s, self._sleep)

    def send(self, operation: str, **request: Any) -> Mapping[str, Any]:
        """Sends a request once: for who tells by its outcome whether, and what, to send again."""
        with translate_errors():
            return self._client(operation, **request)

    def persist(self, operation: str, *, tries: int = ATTEMPTS, **request: Any) -> Mapping[str, Any]:
        """Sends a request again while DynamoDB is overrun, so often in all; of a batch of writes, what was left
        unprocessed.

        Only for requests that come to the same when they are carried out twice: one that was refused changed nothing,
        but botocore may have sent it before, and lost the answer. One without an answer is not sent again here.
        """
        for _ in self.attempts(tries):
            try:
                response = self.send(operation, **request)
            except Throttled:
                continue
            left = {table: writes for table, writes in response.get("UnprocessedItems", {}).items() if writes}
            if not left:
                return response
            request["RequestItems"] = left
        raise Throttled(OVERRUN)
