"""Plain values as DynamoDB's attribute values, and back; and moments as numbers."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

Item = Mapping[str, Any]
"""The attributes of an item by name: text, whole numbers, bytes, and lists of these. None stands for no attribute."""
Attributes = dict[str, dict[str, Any]]
"""The same as DynamoDB writes it: ``{"rev": {"N": "3"}}``."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)


def to_attributes(item: Item) -> Attributes:
    """Leaves out what is None."""
    return {name: _to_attribute(value) for name, value in item.items() if value is not None}


def from_attributes(attributes: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    return {name: _from_attribute(value) for name, value in attributes.items()}


def to_millis(moment: datetime) -> int:
    """Milliseconds since 1970."""
    return (moment - _EPOCH) // _MILLISECOND


def from_millis(millis: int) -> datetime:
    return _EPOCH + millis * _MILLISECOND


def to_seconds(moment: datetime) -> int:
    """Whole seconds since 1970 that have passed."""
    return to_millis(moment) // 1000


def to_ttl(moment: datetime) -> int:
    """The moment for the attribute ``ttl``: whole seconds since 1970, never too early."""
    return -(-to_millis(moment) // 1000)


def _to_attribute(value: str | int | bytes | list[Any] | tuple[Any, ...]) -> dict[str, Any]:
    match value:
        case str():
            return {"S": value}
        case int():
            return {"N": str(value)}
        case bytes():
            return {"B": value}
        case _:
            return {"L": [_to_attribute(one) for one in value]}


def _from_attribute(attribute: Mapping[str, Any]) -> Any:
    ((kind, value),) = attribute.items()
    match kind:
        case "N":
            return int(value)
        case "L":
            return [_from_attribute(one) for one in value]
        case _:
            return value
