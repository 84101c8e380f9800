"""Replies to action-group events, never larger than Bedrock takes.

The attributes of the session are not in them: left out, they stay as they are.
"""

import json
from collections.abc import Mapping
from typing import Any

from m4a.entrypoints.action_group.events import JSON, is_openapi
from m4a.entrypoints.action_group.fitting import Document, fitted
from m4a.entrypoints.http import to_json
from m4a.entrypoints.outcomes import BedrockState

MAX_BYTES = 24_999
"""Bedrock takes less than 25,000."""

Reply = dict[str, Any]


def reply_to(
    event: Mapping[str, Any], document: Document, status: int = 200, state: BedrockState | None = None
) -> Reply:
    """The reply with the document as its body, shortened as far as it must be. Raises TooLarge."""

    def reply(body: Document) -> Reply:
        return envelope(event, body, status, state)

    return reply(fitted(document, lambda body: size(reply(body)) <= MAX_BYTES))


def size(reply: Reply) -> int:
    """Bytes of the reply as the runtime of Python 3.12 and later sends it."""
    return len(json.dumps(reply, ensure_ascii=False).encode())


def envelope(event: Mapping[str, Any], document: Document, status: int, state: BedrockState | None) -> Reply:
    """The reply in the style of the event, with the document whole."""
    body = to_json(document)
    result: dict[str, Any] = {"responseState": state} if state else {}
    about = {"actionGroup": _echo(event, "actionGroup")}
    if is_openapi(event):
        result |= {"httpStatusCode": status, "responseBody": {JSON: {"body": body}}}
        response = {**about, "apiPath": _echo(event, "apiPath"), "httpMethod": _echo(event, "httpMethod"), **result}
    else:
        result |= {"responseBody": {"TEXT": {"body": body}}}
        response = {**about, "function": _echo(event, "function"), "functionResponse": result}
    return {"messageVersion": "1.0", "response": response}


def _echo(event: Mapping[str, Any], name: str) -> str | None:
    """What the event says, as far as it can be sent back: UTF-8 has no lone surrogates."""
    value = event.get(name)
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else None
