"""The one DynamoDB table: requests in plain values, consistent reads, retries within a time budget."""

import hashlib
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from botocore.exceptions import ClientError

from m4a.adapters.dynamodb.actions import Action, Reason, condition_failed, read_reasons, transact_item, update_of
from m4a.adapters.dynamodb.batches import MAX_WRITES, Write
from m4a.adapters.dynamodb.client import Client
from m4a.adapters.dynamodb.errors import OVERRUN
from m4a.adapters.dynamodb.keys import Key
from m4a.adapters.dynamodb.sending import ATTEMPTS, Sender
from m4a.adapters.dynamodb.values import Item, from_attributes, to_attributes, to_seconds
from m4a.adapters.dynamodb.work import INDEX
from m4a.domain.errors import Throttled, Unavailable
from m4a.ports import Clock

MAX_KEYS = 100
"""Keys in one BatchGetItem."""
FIRST, LAST = "0", "~"
"""Sorts before and after every instant as it is stored; DynamoDB takes no empty value for a key."""


@dataclass(frozen=True, slots=True)
class Read:
    """What a read of many keys found, and which keys it could not read."""

    items: Mapping[Key, Item]
    unread: frozenset[Key]


class Table:
    """Raises Throttled and Unavailable, as ``translate_errors`` says. Items past their ``ttl`` are not returned unless
    they are asked for.

    ``budget_s``: seconds after which no request is tried again. Safe to share between threads.
    """

    def __init__(
        self,
        client: Client,
        name: str,
        *,
        clock: Clock,
        budget_s: float = 5.0,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.name = name
        self.clock = clock
        self.cursor_key = hashlib.sha256(name.encode()).digest()
        """Binds cursors to this table. It is no secret: a cursor holds ids of its owner alone and grants nothing."""
        self._sender = Sender(client, budget_s, sleep)

    def attempts(self, most: int) -> Iterator[int]:
        """Counts attempts from 0, with a growing random pause before each but the first, until the time is spent."""
        return self._sender.attempts(most)

    def get(self, key: Key) -> Item | None:
        """One item."""
        response = self._sender.persist(
            "get_item", TableName=self.name, Key=to_attributes(key._asdict()), ConsistentRead=True
        )
        return next(self._present([response["Item"]]), None) if "Item" in response else None

    def get_many(self, keys: Sequence[Key], *, tries: int = ATTEMPTS) -> Read:
        """Items by key. What DynamoDB leaves unprocessed is asked for again, so often in all. Raises if no key could be
        read."""
        waiting = list(dict.fromkeys(keys))
        asked, found = len(waiting), dict[Key, Item]()
        failure: Throttled | Unavailable = Throttled(OVERRUN)
        for _ in self.attempts(tries):
            unread: list[Key] = []
            for start in range(0, len(waiting), MAX_KEYS):
                batch = waiting[start : start + MAX_KEYS]
                try:
                    unread += self._get_batch(batch, found)
                except (Throttled, Unavailable) as error:
                    failure, unread = error, [*unread, *batch]
            waiting = unread
            if not waiting:
                break
        if waiting and len(waiting) == asked:
            raise failure
        return Read(found, frozenset(waiting))

    def query(
        self,
        pk: str,
        prefix: str,
        *,
        after: str | None = None,
        newest_first: bool = False,
        page: int | None = None,
        keys_only: bool = False,
        expired_too: bool = False,
    ) -> Iterator[Item]:
        """Items of one kind in the order of their sort keys, read page by page (``page`` items) as they are consumed.

        ``after``: the sort key behind which to start. ``expired_too``: those as well that DynamoDB has yet to delete.
        """
        request: dict[str, Any] = {
            "KeyConditionExpression": "pk = :pk AND begins_with(sk, :prefix)",
            "ExpressionAttributeValues": to_attributes({":pk": pk, ":prefix": prefix}),
            "ScanIndexForward": not newest_first,
            "ConsistentRead": True,
        }
        if after:
            request["ExclusiveStartKey"] = to_attributes(Key(pk, after)._asdict())
        if page:
            request["Limit"] = page
        if keys_only:
            request |= {"ProjectionExpression": "pk, sk, #ttl", "ExpressionAttributeNames": {"#ttl": "ttl"}}
        return self._pages("query", request, expired_too=expired_too)

    def due(self, partition: int, limit: int, *, since: str = FIRST, until: str = LAST) -> Iterator[Item]:
        """Keys and due time of what one partition of the index ``work`` holds between those instants, earliest first,
        read ``limit`` at once. The index lags a little behind the table."""
        request: dict[str, Any] = {
            "IndexName": INDEX,
            "KeyConditionExpression": "wb = :wb AND due BETWEEN :since AND :until",
            "ExpressionAttributeValues": to_attributes({":wb": partition, ":since": since, ":until": until}),
            "Limit": limit,
        }
        return self._pages("query", request)

    def scan(self, *attributes: str) -> Iterator[Item]:
        """These attributes of every item of every owner."""
        names = {f"#{number}": attribute for number, attribute in enumerate(attributes)}
        request: dict[str, Any] = {
            "ProjectionExpression": ", ".join(names),
            "ExpressionAttributeNames": names,
            "ConsistentRead": True,
        }
        return self._pages("scan", request)

    def transact(self, pk: str, actions: Sequence[Action]) -> tuple[Reason, ...]:
        """Applies all actions or none. Returns nothing if applied, else a reason for each action."""
        items = [transact_item(self.name, pk, action) for action in actions]
        try:
            self._sender.send("transact_write_items", TransactItems=items)
        except ClientError as error:
            reasons = read_reasons(error.response)
            if reasons is None:
                raise
            return reasons
        return ()

    def write_many(self, writes: Sequence[Write]) -> None:
        """Puts and deletes items, each by itself, whatever is there."""
        for start in range(0, len(writes), MAX_WRITES):
            self._sender.persist("batch_write_item", RequestItems={self.name: writes[start : start + MAX_WRITES]})

    def update(self, key: Key, values: Mapping[str, str | int], *, rev: int | None = None) -> None:
        """Sets attributes of an item, which is made if need be; with ``rev``, only of one that is there at that rev."""
        try:
            self._sender.persist("update_item", TableName=self.name, **update_of(key, values, rev))
        except ClientError as error:
            if rev is None or not condition_failed(error.response):
                raise

    def delete(self, key: Key, *, tries: int = ATTEMPTS) -> None:
        """Deletes an item, if it is there."""
        self._sender.persist("delete_item", tries=tries, TableName=self.name, Key=to_attributes(key._asdict()))

    def _get_batch(self, keys: Sequence[Key], found: dict[Key, Item]) -> list[Key]:
        """Adds to ``found`` and returns the keys that were left unprocessed."""
        wanted = [to_attributes(key._asdict()) for key in keys]
        response = self._sender.send(
            "batch_get_item", RequestItems={self.name: {"Keys": wanted, "ConsistentRead": True}}
        )
        for item in self._present(response.get("Responses", {}).get(self.name, [])):
            found[Key(item["pk"], item["sk"])] = item
        unprocessed = response.get("UnprocessedKeys", {}).get(self.name, {}).get("Keys", [])
        return [Key(**from_attributes(key)) for key in unprocessed]

    def _pages(self, operation: str, request: dict[str, Any], *, expired_too: bool = False) -> Iterator[Item]:
        while True:
            response = self._sender.persist(operation, TableName=self.name, **request)
            rows = response["Items"]
            yield from map(from_attributes, rows) if expired_too else self._present(rows)
            if "LastEvaluatedKey" not in response:
                return
            request["ExclusiveStartKey"] = response["LastEvaluatedKey"]

    def _present(self, rows: Sequence[Mapping[str, Any]]) -> Iterator[Item]:
        now = to_seconds(self.clock.now())
        for item in map(from_attributes, rows):
            if item.get("ttl", now + 1) > now:
                yield item
