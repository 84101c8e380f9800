"""Writes of many items in few requests, each item by itself."""

from collections.abc import Mapping, Sequence
from typing import Any

from m4a.adapters.dynamodb.keys import Key
from m4a.adapters.dynamodb.values import Item, to_attributes

MAX_WRITES = 25
"""Items in one BatchWriteItem."""
Write = Mapping[str, Any]


def puts(pk: str, items: Sequence[Item]) -> list[Write]:
    return [{"PutRequest": {"Item": to_attributes({"pk": pk, **item})}} for item in items]


def deletes(pk: str, sort_keys: Sequence[str]) -> list[Write]:
    return [{"DeleteRequest": {"Key": to_attributes(Key(pk, sk)._asdict())}} for sk in sort_keys]
