"""JSON-RPC messages as clients send them, checked before the SDK sees them.

The SDK answers a message of the wrong shape without its id, and quotes what was sent; here each fault gets its own
code, with the id where there is one. Arguments that came as JSON text are unwrapped.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from mcp_types import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    PARSE_ERROR,
    PROTOCOL_VERSION_META_KEY,
    UNSUPPORTED_PROTOCOL_VERSION,
)
from mcp_types.version import KNOWN_PROTOCOL_VERSIONS

from m4a.domain.errors import InvalidInput
from m4a.domain.strict_json import parse, parse_object, refuse_surrogates
from m4a.entrypoints.http import to_json
from m4a.entrypoints.json_rpc import RequestId, is_id


@dataclass(frozen=True, slots=True)
class Message:
    """A request, a notification or an answer of the client's, in the right shape."""

    fields: dict[str, Any]

    @property
    def method(self) -> str | None:
        """None for an answer."""
        return self.fields.get("method")

    @property
    def request_id(self) -> RequestId | None:
        """The id of a request, to be answered; None for a notification or an answer."""
        return self.fields.get("id") if self.method is not None else None

    def to_json(self) -> str:
        return to_json(self.fields)


@dataclass(frozen=True, slots=True)
class Refused:
    """A message that gets an error. ``answerable``: it is not a notification, so the error may be sent back. ``data``:
    more of the error, for programs."""

    code: int
    message: str
    request_id: RequestId | None = None
    answerable: bool = True
    data: Mapping[str, Any] | None = None

    def to_json(self) -> str:
        error = {"code": self.code, "message": self.message, **({"data": self.data} if self.data else {})}
        return to_json({"jsonrpc": "2.0", "id": self.request_id, "error": error})


def read_message(raw: bytes) -> Message | Refused:
    """Reads one message from its JSON text."""
    try:
        value = parse(raw)
    except InvalidInput as error:
        return Refused(PARSE_ERROR, f"Parse error: {error.message}")
    if not isinstance(value, dict):
        batch = "A batch is not taken: send one message at a time."
        return Refused(INVALID_REQUEST, batch if isinstance(value, list) else "A message is a JSON object.")
    fields = cast("dict[str, Any]", value)
    request_id = fields.get("id")
    if "method" in fields and "id" in fields and not is_id(request_id):
        return Refused(INVALID_REQUEST, "id: must be a string or a whole number")
    known = request_id if is_id(request_id) else None
    if fields.get("jsonrpc") != "2.0" or not (_is_answer(fields) or isinstance(fields.get("method"), str)):
        return Refused(INVALID_REQUEST, 'A message has "jsonrpc": "2.0" and the name of a method, or an answer.', known)
    is_request = "method" in fields and "id" in fields
    return _checked(fields, known if is_request else None, answerable=is_request)


def refuse_version(message: Message, version: str | None) -> Refused | None:
    """For a protocol version in the header of HTTP that this server does not speak; None for any other.

    The SDK takes such a one for newer than the handshake, and misses what newer messages say of themselves. Those that
    do say it are left to the SDK, which refuses them rightly; and ``initialize`` negotiates in its body.
    """
    meta = message.fields.get("params", {}).get("_meta")
    named = isinstance(meta, dict) and PROTOCOL_VERSION_META_KEY in meta
    if version is None or version in KNOWN_PROTOCOL_VERSIONS or named or message.method == "initialize":
        return None
    known = list(KNOWN_PROTOCOL_VERSIONS)
    text = f"This protocol version is not supported; supported are {', '.join(known)}."
    data = {"supported": known, "requested": version}
    return Refused(UNSUPPORTED_PROTOCOL_VERSION, text, message.request_id, message.request_id is not None, data)


def _checked(fields: dict[str, Any], request_id: RequestId | None, *, answerable: bool) -> Message | Refused:
    """The message with its params in the right shape."""
    try:
        fields = _with_params(fields)
        refuse_surrogates(fields)
    except InvalidInput as error:
        return Refused(INVALID_PARAMS, f"Invalid params: {error.message}", request_id, answerable)
    return Message(fields)


def _with_params(fields: dict[str, Any]) -> dict[str, Any]:
    """Without ``params`` where they are null; for a tool call, with its arguments unwrapped. Raises InvalidInput."""
    params = fields.get("params")
    if params is None:
        return {name: value for name, value in fields.items() if name != "params"}
    if not isinstance(params, dict):
        raise InvalidInput.of("params", "must be an object")
    if fields.get("method") != "tools/call" or "arguments" not in params:
        return fields
    return {**fields, "params": {**params, "arguments": _arguments(cast("Any", params["arguments"]))}}


def _arguments(value: Any) -> dict[str, Any] | None:
    """An object as it is, or the one that a JSON text holds. Raises InvalidInput naming the arguments or a field."""
    if isinstance(value, str):
        try:
            value = parse_object(value.encode("utf-8", "surrogatepass")) if value.strip() else None
        except InvalidInput:
            value = False
    if value is not None and not isinstance(value, dict):
        raise InvalidInput.of("arguments", "must be an object")
    arguments = cast("dict[str, Any] | None", value)
    refuse_surrogates(arguments or {})
    return arguments


def _is_answer(fields: Mapping[str, Any]) -> bool:
    """Whether it is an answer to a message of ours, as the SDK reads one. An error may be about one without an id."""
    if "method" in fields or ("result" in fields) == ("error" in fields):
        return False
    request_id, error = fields.get("id"), fields.get("error")
    if "result" in fields:
        return is_id(request_id) and isinstance(fields["result"], dict)
    known = cast("dict[str, Any]", error) if isinstance(error, dict) else {}
    is_error = type(known.get("code")) is int and isinstance(known.get("message"), str)
    return is_error and (is_id(request_id) or (request_id is None and "id" in fields))
