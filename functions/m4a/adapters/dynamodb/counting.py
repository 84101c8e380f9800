"""A client that counts what its requests would cost on DynamoDB: local stand-ins report constants."""

import threading
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from botocore.exceptions import ClientError

from m4a.adapters.dynamodb.client import Client
from m4a.adapters.dynamodb.keys import Key
from m4a.adapters.dynamodb.units import NOTHING, Footprint, check_units, page_units, read_units, write_units
from m4a.adapters.dynamodb.values import from_attributes

_Attributes = Mapping[str, Mapping[str, Any]]


class CountingClient:
    """Passes requests on and counts them. Implements ``Client``; safe to share between threads.

    What a write costs depends on the item it replaces, which DynamoDB does not tell: the client knows the items that
    were written through it, and takes others to be no larger than what replaces them, and not in the index.
    """

    def __init__(self, client: Client) -> None:
        self._client = client
        self._lock = threading.Lock()
        self._stored: dict[tuple[str, Key], Footprint] = {}
        self.requests: Counter[str] = Counter()
        self.read_units = 0.0
        self.write_units = 0.0

    def __call__(self, operation: str, /, **request: Any) -> Mapping[str, Any]:
        try:
            response = self._client(operation, **request)
        except ClientError as error:
            if "CancellationReasons" in error.response:
                with self._lock:
                    self.requests[operation] += 1
                    self.write_units += self._cancelled(request)
            raise
        with self._lock:
            self.requests[operation] += 1
            self._count(operation, request, response)
        return response

    def reset(self) -> None:
        """Counts from 0 again; what is known of stored items stays."""
        with self._lock:
            self.requests.clear()
            self.read_units = self.write_units = 0.0

    def _count(self, operation: str, request: Mapping[str, Any], response: Mapping[str, Any]) -> None:
        match operation:
            case "get_item":
                sizes = [self._read_size(request["TableName"], response.get("Item", {}))]
                self.read_units += read_units(sizes, consistent=_consistent(request))
            case "batch_get_item":
                self._count_batch(request, response)
            case "query" | "scan":
                sizes = [self._read_size(request["TableName"], item, request) for item in response["Items"]]
                self.read_units += page_units(sizes, consistent=_consistent(request))
            case "put_item" | "delete_item" | "update_item":
                self._write(request["TableName"], _written_item(request), deletes=operation == "delete_item")
            case "batch_write_item":
                self._count_batch_write(request, response)
            case "transact_write_items":
                self._count_transaction(request)
            case _:
                pass

    def _count_batch(self, request: Mapping[str, Any], response: Mapping[str, Any]) -> None:
        for table, wanted in request["RequestItems"].items():
            items = response.get("Responses", {}).get(table, [])
            unread = len(response.get("UnprocessedKeys", {}).get(table, {}).get("Keys", []))
            absent = len(wanted["Keys"]) - unread - len(items)
            sizes = [*(self._read_size(table, item) for item in items), *[0] * absent]
            self.read_units += read_units(sizes, consistent=_consistent(wanted))

    def _count_batch_write(self, request: Mapping[str, Any], response: Mapping[str, Any]) -> None:
        for table, rows in request["RequestItems"].items():
            unprocessed = response.get("UnprocessedItems", {}).get(table, [])
            for row in rows:
                if row not in unprocessed:
                    ((kind, one),) = row.items()
                    self._write(table, _written_item(one), deletes=kind == "DeleteRequest")

    def _count_transaction(self, request: Mapping[str, Any]) -> None:
        for kind, one in _actions(request):
            if kind == "ConditionCheck":
                self.write_units += check_units(self._known(one["TableName"], one["Key"]).size)
            else:
                self._write(one["TableName"], _written_item(one), deletes=kind == "Delete", transactional=True)

    def _cancelled(self, request: Mapping[str, Any]) -> float:
        """A transaction that is cancelled has read what it would have written, and costs as much, without the index."""
        found = ((self._known(one["TableName"], _written_item(one)), one) for _, one in _actions(request))
        return sum(check_units(max(known.size, Footprint.of(_written_item(one)).size)) for known, one in found)

    def _write(self, table: str, attributes: _Attributes, *, deletes: bool, transactional: bool = False) -> None:
        before = self._known(table, attributes)
        after = NOTHING if deletes else Footprint.of(attributes)
        self.write_units += write_units(before, after, transactional=transactional)
        self._stored[table, _key(attributes)] = after

    def _read_size(self, table: str, attributes: _Attributes, request: Mapping[str, Any] | None = None) -> int:
        """The whole item counts, whatever part of it was asked for; of an index, its entry."""
        size = Footprint.of(attributes).size
        if not attributes or (request and "IndexName" in request):
            return size
        return max(size, self._known(table, attributes).size)

    def _known(self, table: str, attributes: _Attributes) -> Footprint:
        return self._stored.get((table, _key(attributes)), NOTHING)


def _actions(request: Mapping[str, Any]) -> Iterable[tuple[str, Mapping[str, Any]]]:
    return (pair for row in request["TransactItems"] for pair in row.items())


def _written_item(request: Mapping[str, Any]) -> _Attributes:
    """What a write names: the item, or its key. An update sets what its values hold, which is near enough in size."""
    if "Item" in request:
        return request["Item"]
    return {**request["Key"], **request.get("ExpressionAttributeValues", {})}


def _key(attributes: _Attributes) -> Key:
    return Key(**from_attributes({name: attributes[name] for name in Key._fields}))


def _consistent(request: Mapping[str, Any]) -> bool:
    return bool(request.get("ConsistentRead", False))
