"""What requests cost: sizes of items and capacity units, by DynamoDB's published rules. Pure.

A read unit is 4 KB read consistently (half, if eventually), a write unit 1 KB written; a transaction costs twice. Each
item counts by itself, except in a query or scan, where the sum of a page does.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import ceil
from typing import Any

READ_UNIT_BYTES = 4_096
WRITE_UNIT_BYTES = 1_024
_CONTAINER_BYTES = 3
INDEX_KEYS = ("wb", "due")
ENTRY_NAMES = ("pk", "sk", *INDEX_KEYS)
"""What an entry of the index ``work`` holds: an item is in it if it has both of the index's keys."""


@dataclass(frozen=True, slots=True)
class Footprint:
    """What an item takes up: bytes in the table; its key in the index, None if it is not in it; bytes there."""

    size: int = 0
    index_key: tuple[Any, ...] | None = None
    entry_size: int = 0

    @classmethod
    def of(cls, attributes: Mapping[str, Mapping[str, Any]]) -> "Footprint":
        """Of an item as DynamoDB writes it."""
        if not all(name in attributes for name in INDEX_KEYS):
            return cls(item_size(attributes))
        entry = {name: attributes[name] for name in ENTRY_NAMES}
        return cls(item_size(attributes), tuple(str(attributes[name]) for name in INDEX_KEYS), item_size(entry))


NOTHING = Footprint()


def item_size(attributes: Mapping[str, Mapping[str, Any]]) -> int:
    """Bytes of an item: its attributes' names and values."""
    return sum(len(name.encode()) + _value_size(value) for name, value in attributes.items())


def read_units(sizes: Iterable[int], *, consistent: bool) -> float:
    """Of items that are read one by one; one that is not there has size 0, and costs as much as the smallest."""
    return sum(max(1, ceil(size / READ_UNIT_BYTES)) for size in sizes) * (1.0 if consistent else 0.5)


def page_units(sizes: Iterable[int], *, consistent: bool) -> float:
    """Of one page of a query or scan."""
    return read_units([sum(sizes)], consistent=consistent)


def write_units(before: Footprint, after: Footprint, *, transactional: bool = False) -> float:
    """Of one item put, updated or deleted (``after`` NOTHING), with the index's share."""
    table = _written(max(before.size, after.size)) * (2 if transactional else 1)
    return table + _index_units(before, after)


def check_units(size: int) -> float:
    """Of one condition in a transaction that failed, or of a condition check: as a write that leaves the item."""
    return _written(size) * 2


def _index_units(before: Footprint, after: Footprint) -> float:
    """An entry with the same key stays; with another key it is deleted and written."""
    if before.index_key == after.index_key:
        return 0.0
    return sum(_written(one.entry_size) for one in (before, after) if one.index_key is not None)


def _written(size: int) -> float:
    return float(max(1, ceil(size / WRITE_UNIT_BYTES)))


def _value_size(attribute: Mapping[str, Any]) -> int:
    ((kind, value),) = attribute.items()
    match kind:
        case "S":
            return len(value.encode())
        case "B":
            return len(value)
        case "N":
            return _number_size(value)
        case "L":
            return _CONTAINER_BYTES + sum(1 + _value_size(one) for one in value)
        case "M":
            return _CONTAINER_BYTES + len(value) + item_size(value)
        case "SS" | "NS" | "BS":
            return sum(_value_size({kind[0]: one}) for one in value)
        case _:
            return 1  # NULL and BOOL


def _number_size(text: str) -> int:
    """One byte for two significant digits and one more; another for a negative number."""
    digits = text.lstrip("-").replace(".", "").lstrip("0").rstrip("0")
    return ceil(len(digits) / 2) + 1 + text.startswith("-")
