"""DynamoDB and its streams for this machine: moto behind HTTP, made fit for threads and for more than a few items.

moto keeps all in memory. It has no lock, so that concurrent transactions lose each other's writes, and copies the whole
table for each action of a transaction. Here requests take turns, and the copy shares its items.
"""

import copy
import threading
from collections import defaultdict
from collections.abc import Callable, Iterable
from types import TracebackType
from typing import Any

from moto.core.serialize import AttributePicker, AttributePickerContext
from moto.dynamodb.models.table import Table
from moto.dynamodbstreams.models import DynamoDBStreamsBackend
from moto.moto_server.werkzeug_app import DomainDispatcherApplication, MotoRequestHandler, create_backend_app
from werkzeug.serving import make_server

CREDENTIALS = ("local", "local")
"""Access key and secret: any will do."""
_VALUE_TYPES = frozenset({"S", "N", "B", "SS", "NS", "BS", "M", "L", "NULL", "BOOL"})
_pick_of_moto = AttributePicker.__call__


class DynamoStandIn:
    """Serves on loopback: ``with DynamoStandIn() as stand_in: stand_in.address``. Port 0: any free one.

    All stand-ins of a process share their tables.
    """

    def __init__(self, port: int = 0) -> None:
        app = _OneAtATime(DomainDispatcherApplication(create_backend_app))
        self._server = make_server("127.0.0.1", port, app, threaded=True, request_handler=_QuietHandler)
        self._thread = threading.Thread(target=self._server.serve_forever, name="m4a-dynamodb-stand-in", daemon=True)
        self.address = f"http://127.0.0.1:{self._server.server_port}"

    def start(self) -> "DynamoStandIn":
        """Returns when requests are taken."""
        Table.__deepcopy__ = _sharing_copy  # pyright: ignore[reportAttributeAccessIssue]
        DynamoDBStreamsBackend.get_records = _records  # pyright: ignore[reportAttributeAccessIssue]
        Table.all_items = _all_items  # pyright: ignore[reportAttributeAccessIssue]
        AttributePicker.__call__ = _pick  # pyright: ignore[reportAttributeAccessIssue]
        self._thread.start()
        return self

    def stop(self) -> None:
        """The tables stay."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def __enter__(self) -> "DynamoStandIn":
        return self.start()

    def __exit__(
        self, _type: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self.stop()


class _OneAtATime:
    """A WSGI application that answers one request after the other."""

    def __init__(self, app: Callable[..., Iterable[bytes]]) -> None:
        self._app = app
        self._lock = threading.Lock()

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> list[bytes]:
        with self._lock:
            return list(self._app(environ, start_response))


class _QuietHandler(MotoRequestHandler):
    protocol_version = "HTTP/1.1"  # connections stay open

    def log(self, type: str, message: str, *args: object) -> None:
        """Nothing is logged: requests hold memory text."""


def _all_items(table: Any) -> list[Any]:
    """In the order of their keys, which are text here: moto, for whom they may be numbers, converts them to compare."""
    items = (item for items in table.items.values() for item in items.values())
    return sorted(items, key=lambda item: (item.hash_key.value, item.range_key.value))


def _pick(picker: AttributePicker, context: AttributePickerContext) -> Any:
    """A value has one member of ten, and moto looks for each of the others under several names: half of its time."""
    if context.obj.__class__ is dict and _VALUE_TYPES.issuperset(context.obj):
        return context.obj.get(context.key)
    return _pick_of_moto(picker, context)


def _records(streams: DynamoDBStreamsBackend, iterator_arn: str, limit: int) -> dict[str, Any]:
    """From the table as it is now: a transaction that fails puts another in its place, and with it another stream, of
    which an iterator from before would never see more. An iterator is used once, and moto would keep them all."""
    iterator = streams.shard_iterators.pop(iterator_arn)
    table = streams.dynamodb.tables.get(iterator.stream_shard.table.name)
    if table and table.stream_shard:
        iterator.stream_shard = table.stream_shard
    return iterator.get(limit)


def _sharing_copy(table: Any, _memo: dict[int, Any]) -> Any:
    """A copy to go back to when a transaction fails. Puts and deletes change which items a table has, and no item."""
    snapshot = copy.copy(table)
    snapshot.items = defaultdict(dict, {pk: dict(items) for pk, items in table.items.items()})
    if table.stream_shard:
        snapshot.stream_shard = copy.copy(table.stream_shard)
        snapshot.stream_shard.table = snapshot
        snapshot.stream_shard.items = list(table.stream_shard.items)
    return snapshot
