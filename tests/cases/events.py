"""API Gateway events (payload format 2.0) of a case, given to the entry point without a server."""

import base64
import time
from collections.abc import Mapping
from typing import Any, cast

from m4a.application.service import Service
from m4a.entrypoints import api_gateway, mcp
from m4a.local.events import Context
from tests.cases.reply import Reply

REQUEST_ID = "case-event"
_EVENT: Mapping[str, Any] = {
    "version": "2.0",
    "routeKey": "$default",
    "rawPath": "/",
    "rawQueryString": "",
    "headers": {"content-type": "application/json", "host": "api.example", "x-forwarded-proto": "https"},
    "requestContext": {
        "accountId": "000000000000",
        "apiId": "api",
        "domainName": "api.example",
        "domainPrefix": "api",
        "http": {"method": "POST", "protocol": "HTTP/1.1", "sourceIp": "192.0.2.1", "userAgent": "case"},
        "requestId": REQUEST_ID,
        "routeKey": "$default",
        "stage": "$default",
        "time": "01/Jan/2026:00:00:00 +0000",
        "timeEpoch": 1767225600000,
    },
    "isBase64Encoded": False,
}


def request_event(method: str, path: str, headers: Mapping[str, str], body: str | None) -> dict[str, Any]:
    """The event that the API makes of a request."""
    return {
        "rawPath": path,
        "headers": dict(headers),
        "requestContext": {"http": {"method": method, "path": path}},
        **({} if body is None else {"body": body}),
    }


def with_claims(event: Mapping[str, Any], claims: Mapping[str, Any]) -> Mapping[str, Any]:
    """The event as the authorizer passes it on; one that says itself what the authorizer found stays as it is."""
    about = event.get("requestContext", {})
    if not isinstance(about, dict) or "authorizer" in about:
        return event
    return _laid_over(event, {"requestContext": {"authorizer": {"jwt": {"claims": claims}}}})


def complete_event(event: Mapping[str, Any]) -> dict[str, Any]:
    """A complete event with what the case gives of it laid over."""
    path = event.get("rawPath") or "/"
    return _laid_over(_laid_over(_EVENT, {"requestContext": {"http": {"path": path}}}), event)


def is_mcp(event: Mapping[str, Any]) -> bool:
    """Whether the API gives this event to the function for MCP."""
    about = complete_event(event)["requestContext"]
    path, method = event.get("rawPath"), _member(_member(about, "http"), "method")
    return isinstance(path, str) and path.rstrip("/").endswith("/mcp") and method == "POST"


def answer_event(service: Service, event: Mapping[str, Any], caller: Any) -> Reply:
    """The entry point's answer. Whatever it raises is part of the reply: the platform would answer 500."""
    start = time.monotonic()
    try:
        whole = complete_event(event)
        respond = mcp.respond if is_mcp(whole) else api_gateway.respond
        answer = respond(service, whole, Context(REQUEST_ID))
    except Exception as error:
        raised = type(error).__name__
        return Reply.http(500, {}, b"", time.monotonic() - start, caller=caller, raised=raised)
    body = base64.b64decode(answer["body"]) if answer["isBase64Encoded"] else answer["body"].encode()
    return Reply.http(answer["statusCode"], answer["headers"], body, time.monotonic() - start, caller=caller)


def _laid_over(under: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(under)
    for name, value in over.items():
        below = merged.get(name)
        both = isinstance(value, dict) and isinstance(below, dict)
        merged[name] = _laid_over(cast("dict[str, Any]", below), cast("dict[str, Any]", value)) if both else value
    return merged


def _member(value: object, name: str) -> object:
    return cast("dict[str, object]", value).get(name) if isinstance(value, dict) else None
