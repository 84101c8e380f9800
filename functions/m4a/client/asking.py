"""Each operation of the API as a request and the way to read its reply: what both clients share."""

import json
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any, Generic, TypeVar, cast
from urllib.parse import quote

from pydantic import BaseModel

from m4a.client.fields import Arguments, Changes, Filters, RecallFields, RememberFields
from m4a.domain.errors import InvalidInput, NotFound
from m4a.tools import TOOLS
from m4a.tools.answer_models import AuditOutput, ContextOutput, EraseOutput, HistoryOutput, ListOutput, TraceOutput
from m4a.tools.outputs import MemoryOutput, RecallOutput, ReceiptOutput, RememberOutput, UpdateMemoryOutput

T = TypeVar("T")
M = TypeVar("M", bound=BaseModel)
JSON_HEADERS = {"content-type": "application/json"}


@dataclass(frozen=True, slots=True)
class Ask(Generic[T]):
    """One request. ``once``: to do it again later is not the same, so it is not sent again after a lost answer."""

    method: str
    path: str
    read: Callable[[bytes], T]
    query: Mapping[str, str] = field(default_factory=dict[str, str])
    body: bytes | None = None
    once: bool = False


def call(name: str, arguments: Arguments) -> Ask[dict[str, Any]]:
    """A tool by its name. Raises NotFound for an unknown one, InvalidInput for arguments that are no object."""
    if name not in TOOLS:
        raise NotFound("There is no tool of this name; there are " + ", ".join(TOOLS) + ".")
    given = _object(arguments)
    if name == "remember" and given.get("idempotency_key") is None:
        given["idempotency_key"] = uuid.uuid4().hex
    body = json.dumps(given, default=_time).encode()
    return Ask("POST", f"/tools/{name}", _read_object, body=body, once=name == "update_memory")


def remember(content: str, fields: RememberFields) -> Ask[RememberOutput]:
    return _typed(call("remember", {"content": content, **fields}), RememberOutput)


def recall(query: str, fields: RecallFields) -> Ask[RecallOutput]:
    return _typed(call("recall", {"query": query, **fields}), RecallOutput)


def update_memory(memory_id: str, changes: Changes, expected_version: int | None) -> Ask[UpdateMemoryOutput]:
    arguments = {"memory_id": memory_id, **changes, "expected_version": expected_version}
    return _typed(call("update_memory", arguments), UpdateMemoryOutput)


def forget(memory_id: str, reason: str, expected_version: int | None) -> Ask[ReceiptOutput]:
    arguments = {"memory_id": memory_id, "reason": reason, "expected_version": expected_version}
    return _typed(call("forget", arguments), ReceiptOutput)


def memories(filters: Filters, cursor: str | None) -> Ask[ListOutput]:
    return _get("/memories", ListOutput, {**filters, "cursor": cursor})


def memory(memory_id: str) -> Ask[MemoryOutput]:
    return _get(f"/memories/{_segment(memory_id)}", MemoryOutput)


def history(memory_id: str) -> Ask[HistoryOutput]:
    return _get(f"/memories/{_segment(memory_id)}/history", HistoryOutput)


def receipt(memory_id: str) -> Ask[ReceiptOutput]:
    return _get(f"/receipts/{_segment(memory_id)}", ReceiptOutput)


def trace(recall_id: str) -> Ask[TraceOutput]:
    return _get(f"/recalls/{_segment(recall_id)}", TraceOutput)


def audit(cursor: str | None) -> Ask[AuditOutput]:
    return _get("/audit", AuditOutput, {"cursor": cursor})


def context(max_tokens: int | None) -> Ask[ContextOutput]:
    return _get("/context", ContextOutput, {"max_tokens": max_tokens})


def erase(confirm: str) -> Ask[EraseOutput]:
    return replace(_get("/memories", EraseOutput, {"confirm": confirm}), method="DELETE")


def _get(path: str, model: type[M], query: Mapping[str, object] | None = None) -> Ask[M]:
    values = {name: _text(value) for name, value in (query or {}).items() if value is not None}
    return Ask("GET", path, model.model_validate_json, values)


def _typed(ask: Ask[dict[str, Any]], model: type[M]) -> Ask[M]:
    return Ask(ask.method, ask.path, model.model_validate_json, ask.query, ask.body, ask.once)


def _object(arguments: Arguments) -> dict[str, Any]:
    value: Any = arguments
    if isinstance(arguments, str):
        try:
            value = json.loads(arguments or "{}")
        except (ValueError, RecursionError):
            value = None
    if not isinstance(value, Mapping):
        raise InvalidInput.of("arguments", "must be an object", "a JSON object, or its text")
    return dict(cast("Mapping[str, Any]", value))


def _read_object(body: bytes) -> dict[str, Any]:
    """The object of an answer. Raises ValueError."""
    value: Any = json.loads(body)
    if not isinstance(value, dict):
        raise ValueError("the answer is not an object")
    return cast("dict[str, Any]", value)


def _text(value: object) -> str:
    if isinstance(value, Sequence) and not isinstance(value, str):
        return json.dumps(value)  # a tag may hold a comma
    return str(value)


def _time(value: object) -> str:
    if isinstance(value, date):
        return value.isoformat()
    raise TypeError(f"a {type(value).__name__} can't be sent")


def _segment(value: str) -> str:
    """One segment of a path, whatever the value holds."""
    return quote(value, safe="", errors="replace") or "-"
