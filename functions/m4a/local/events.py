"""Events of an HTTP API (payload format 2.0), made from ASGI requests."""

import base64
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qsl

from m4a.domain.errors import InvalidInput
from m4a.entrypoints.identity import ON_BEHALF_OF

_ONCE = ("authorization", "content-type", "idempotency-key", ON_BEHALF_OF)
"""Headers that are never joined: the result would be a value that nobody sent."""
REQUEST_SECONDS = 30.0
"""The longest that an HTTP API waits for a function."""


class Context:
    """As much of a Lambda context as the entry point reads."""

    def __init__(self, request_id: str) -> None:
        self.aws_request_id = request_id
        self._deadline = time.monotonic() + REQUEST_SECONDS

    def get_remaining_time_in_millis(self) -> int:
        """Milliseconds until the platform would end the request."""
        return max(0, round((self._deadline - time.monotonic()) * 1000))


def read_headers(scope: Mapping[str, Any]) -> dict[str, str]:
    """The headers as the API passes them: names in lower case, a repeated one joined by commas."""
    headers: dict[str, str] = {}
    for raw_name, raw_value in scope["headers"]:
        name, value = raw_name.decode("latin-1").lower(), _text(raw_value)
        if name in headers and name in _ONCE:
            raise InvalidInput.of(name, "is sent more than once", "one header of this name")
        headers[name] = f"{headers[name]},{value}" if name in headers else value
    return headers


def payload(
    scope: Mapping[str, Any],
    headers: Mapping[str, str],
    *,
    route_key: str,
    params: Mapping[str, str],
    body: bytes,
    claims: Mapping[str, str] | None,
    request_id: str,
) -> dict[str, Any]:
    """The whole event. ``claims`` None: a route without an authorizer."""
    query = scope["query_string"].decode("latin-1")
    event: dict[str, Any] = {
        "version": "2.0",
        "routeKey": route_key,
        "rawPath": raw_path(scope),
        "rawQueryString": query,
        "headers": {name: value for name, value in headers.items() if name != "cookie"}
        | {"x-forwarded-proto": scope["scheme"]},
        "requestContext": _request_context(scope, headers, route_key, claims, request_id),
        **_body(body, headers.get("content-type", "")),
    }
    if "cookie" in headers:
        event["cookies"] = [cookie.strip() for cookie in headers["cookie"].split(";")]
    if query:
        event["queryStringParameters"] = _query(query)
    if params:
        event["pathParameters"] = dict(params)
    return event


def raw_path(scope: Mapping[str, Any]) -> str:
    """The path as the client sent it, still percent-encoded."""
    return scope["raw_path"].decode("latin-1")


def _request_context(
    scope: Mapping[str, Any],
    headers: Mapping[str, str],
    route_key: str,
    claims: Mapping[str, str] | None,
    request_id: str,
) -> dict[str, Any]:
    now = datetime.now(UTC)
    host = headers.get("host", "")
    context: dict[str, Any] = {
        "accountId": "local",
        "apiId": "local",
        "domainName": host,
        "domainPrefix": host.partition(".")[0],
        "http": {
            "method": scope["method"],
            "path": raw_path(scope),
            "protocol": f"HTTP/{scope['http_version']}",
            "sourceIp": (scope["client"] or ("",))[0],
            "userAgent": headers.get("user-agent", ""),
        },
        "requestId": request_id,
        "routeKey": route_key,
        "stage": "$default",
        "time": now.strftime("%d/%b/%Y:%H:%M:%S +0000"),
        "timeEpoch": round(now.timestamp() * 1000),
    }
    if claims is not None:
        context["authorizer"] = {"jwt": {"claims": dict(claims), "scopes": None}}
    return context


def _query(query: str) -> dict[str, str]:
    values: dict[str, str] = {}
    for name, value in parse_qsl(query, keep_blank_values=True):
        values[name] = f"{values[name]},{value}" if name in values else value
    return values


def _body(body: bytes, content_type: str) -> dict[str, Any]:
    """Text types travel as text, everything else in base64."""
    if not body:
        return {"isBase64Encoded": False}
    if content_type.lower().startswith(("text/", "application/json")):
        try:
            return {"body": body.decode("utf-8"), "isBase64Encoded": False}
        except UnicodeDecodeError:
            pass  # broken text must reach the function as it came, to be refused there
    return {"body": base64.b64encode(body).decode(), "isBase64Encoded": True}


def _text(raw: bytes) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:  # a second reading would make two different values one
        raise InvalidInput.of("headers", "have a value that is not valid UTF-8", "values in UTF-8") from None
