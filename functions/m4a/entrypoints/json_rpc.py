"""What of JSON-RPC 2.0 holds wherever it is spoken."""

from typing import TypeGuard

RequestId = str | int


def is_id(value: object) -> TypeGuard[RequestId]:
    """Whether it can be the id of a request, and be sent back: UTF-8 has no lone surrogates."""
    if isinstance(value, str):
        return value.encode("utf-8", "ignore").decode() == value
    return isinstance(value, int) and not isinstance(value, bool)
