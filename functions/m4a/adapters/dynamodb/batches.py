"""Writes of many items in few requests, each item by itself."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from m4a.adapters.dynamodb.errors import OVERRUN
from m4a.adapters.dynamodb.keys import Key
from m4a.adapters.dynamodb.values import Item, to_attributes
from m4a.domain.errors import Throttled

MAX_WRITES = 25
"""Items in one BatchWriteItem."""
Write = Mapping[str, Any]


def puts(pk: str, items: Sequence[Item]) -> list[Write]:
    return [{"PutRequest": {"Item": to_attributes({"pk": pk, **item})}} for item in items]


def deletes(pk: str, sort_keys: Sequence[str]) -> list[Write]:
    return [{"DeleteRequest": {"Key": to_attributes(Key(pk, sk)._asdict())}} for sk in sort_keys]


def send_all(
    send: Callable[[Sequence[Write]], Sequence[Write]],
    writes: Sequence[Write],
    attempts: Callable[[], Iterator[int]],
) -> None:
    """``send`` returns what DynamoDB left unprocessed, which is sent again. Raises Throttled for what stays so."""
    for start in range(0, len(writes), MAX_WRITES):
        waiting: Sequence[Write] = writes[start : start + MAX_WRITES]
        for _ in attempts():
            waiting = send(waiting)
            if not waiting:
                break
        else:
            raise Throttled(OVERRUN)
