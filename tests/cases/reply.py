"""What one call answered, whatever the entry point."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

CLIENT_ERRORS = (400, 409, 413, 415, 422)
ECHOES = ("query", "asked", "applied_filters", "explain")
"""Members that repeat the question: not memory text."""
_NOT_TEXT = ("memory_id", "recall_id", "request_id", "created_at", "updated_at", "event_time", "expires_at")


@dataclass(frozen=True, kw_only=True)
class Reply:
    """``value`` is the tool's own answer or error; ``document`` the whole reply, which over HTTP is the same.

    ``outcome``: ok, client_error, not_found or other. ``arguments``: what a tool was called with, where that is known.
    ``saved``: ids by the names that the step itself gives to memories.
    """

    outcome: str
    body: bytes
    value: Any
    document: Any
    seconds: float
    status: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    caller: Any = None
    arguments: Mapping[str, Any] = field(default_factory=dict[str, Any])
    raised: str | None = None
    saved: Mapping[str, str] = field(default_factory=dict[str, str])

    @classmethod
    def http(cls, status: int, headers: Mapping[str, str], body: bytes, seconds: float, **known: Any) -> "Reply":
        """An HTTP response."""
        value = parsed(body)
        return cls(
            outcome=http_outcome(status),
            status=status,
            headers=headers,
            body=body,
            value=value,
            document=value,
            seconds=seconds,
            **known,
        )

    @property
    def memories(self) -> list[dict[str, Any]]:
        """The memories in it: of a list, or the one that was made or changed. None in an error."""
        answer: object = self.value
        if self.outcome != "ok" or not isinstance(answer, dict):
            return []
        value = cast("dict[str, Any]", answer)
        alone = [value] if "memory_id" in value else []
        return value.get("memories", alone)

    @property
    def memory_id(self) -> str | None:
        """The id of the one memory that it is about."""
        only = self.memories
        return only[0].get("memory_id") if len(only) == 1 else None

    def texts(self) -> str:
        """Memory texts and error texts, one a line; no ids, no times, no echo of the question."""
        if self.document is None:
            return self.body.decode("utf-8", "replace")
        return "\n".join(_texts(self.document))

    def __str__(self) -> str:
        return f"{self.status or self.outcome}: {self.body[:300].decode('utf-8', 'replace')}"


def http_outcome(status: int) -> str:
    """The outcome that a status stands for."""
    if 200 <= status < 300:
        return "ok"
    return "client_error" if status in CLIENT_ERRORS else "not_found" if status == 404 else "other"


def parsed(body: bytes) -> Any:
    """The body as JSON; None where it is not."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in cast("list[object]", value):
            yield from _texts(item)
    elif isinstance(value, dict):
        for name, item in cast("dict[str, object]", value).items():
            if name not in ECHOES and name not in _NOT_TEXT:
                yield from _texts(item)
