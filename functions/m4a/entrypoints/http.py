"""Requests and responses over API Gateway HTTP API (payload format 2.0)."""

import base64
import binascii
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from m4a.domain.errors import InvalidInput, TooLarge
from m4a.domain.strict_json import JSON_OBJECT, read_object
from m4a.entrypoints.outcomes import Refusal, problem

JSON = "application/json"
NDJSON = "application/x-ndjson"
PROBLEM = "application/problem+json"
MAX_JSON_BYTES = 1_000_000
MAX_IMPORT_BYTES = 5_000_000
PAYLOAD = "payload format 2.0 of an API Gateway HTTP API"


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One request. ``path`` has no stage prefix and no trailing slash; header names are in lower case.

    ``params`` are the path's parameters; ``query`` has the values of a repeated name joined by commas, as the API joins
    them. ``claims`` are what the API's authorizer verified.
    """

    method: str
    path: str
    base_url: str = ""
    route_key: str = ""
    params: Mapping[str, str] = field(default_factory=dict[str, str])
    query: Mapping[str, str] = field(default_factory=dict[str, str])
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    claims: Mapping[str, object] = field(default_factory=dict[str, object])
    request_id: str
    raw_body: str | bytes = b""
    base64_encoded: bool = False

    def body(self, content_type: str = JSON, limit: int = MAX_JSON_BYTES) -> bytes:
        """The body of that content type. Raises TooLarge above ``limit`` bytes, and a 415 for another content type."""
        body = self._decoded()
        if len(body) > limit:
            raise too_large(limit)
        sent, *parameters = self.headers.get("content-type", "").lower().split(";")
        if sent.strip() != content_type or not all(map(_is_utf8, parameters)):
            raise Refusal(415, "content-type", "is not one that this path takes", content_type)
        return body

    def json_object(self) -> dict[str, object]:
        """The body as a JSON object, read strictly. Raises InvalidInput naming the body or the field."""
        return read_object(self.body())

    def _decoded(self) -> bytes:
        if isinstance(self.raw_body, bytes):
            return self.raw_body
        if not self.base64_encoded:
            return self.raw_body.encode("utf-8", "surrogatepass")
        try:
            return base64.b64decode(self.raw_body, validate=True)
        except (binascii.Error, ValueError) as error:
            raise InvalidInput.of("body", "is not valid base64", JSON_OBJECT) from error


@dataclass(frozen=True, slots=True)
class Response:
    """One response: text as ``str``, anything else as ``bytes``."""

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    body: str | bytes = ""

    @classmethod
    def json(cls, value: object, status: int = 200, headers: Mapping[str, str] | None = None) -> "Response":
        """A JSON response. Raises ValueError for NaN and the infinities, which JSON does not have."""
        return cls(status, {"content-type": JSON, **(headers or {})}, to_json(value))

    @classmethod
    def problem(cls, error: Exception, request_id: str, challenge: str = "Bearer") -> "Response":
        """The error as problem details, with the headers that belong to its status. ``challenge`` goes with a 401."""
        body = problem(error, request_id)
        headers = {"content-type": PROBLEM}
        if body["status"] == 401:
            headers["www-authenticate"] = challenge
        if body["status"] == 405:
            headers["allow"] = body["errors"][0]["allowed"]
        if "retry_after" in body:
            headers["retry-after"] = str(body["retry_after"])
        return cls(body["status"], headers, to_json(body))

    def to_event(self, request_id: str) -> dict[str, Any]:
        """The payload that the API takes from a function."""
        standing = {"x-content-type-options": "nosniff", "cache-control": "no-store", "x-request-id": request_id}
        binary = isinstance(self.body, bytes)
        return {
            "statusCode": self.status,
            "headers": {**standing, **self.headers},
            "body": base64.b64encode(self.body).decode() if isinstance(self.body, bytes) else self.body,
            "isBase64Encoded": binary,
        }


def to_json(value: object) -> str:
    """Compact JSON. A lone surrogate, which UTF-8 can't carry, is written as its escape. Raises ValueError for NaN."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.encode("utf-8", "backslashreplace").decode()


def too_large(limit: int) -> TooLarge:
    """The error for a body above ``limit`` bytes."""
    return TooLarge(f"body: has more than {limit:,} bytes")


def read_request(event: Mapping[str, Any], context: object) -> Request:
    """Reads a payload 2.0 event. Cookies are ignored. Raises InvalidInput for an event of another format."""
    about = _section(event, "requestContext")
    raw_path, method, body = event.get("rawPath"), _section(about, "http").get("method"), event.get("body")
    if not (isinstance(raw_path, str) and isinstance(method, str)):
        raise InvalidInput.of("event", "has no rawPath or no method, so it is of another format", PAYLOAD)
    if not isinstance(body, str | None):
        raise InvalidInput.of("body", "is not text, so the event is of another format", PAYLOAD)
    headers = {name.lower(): value for name, value in _section(event, "headers").items()}
    stage, path = _split_path(raw_path, about.get("stage"))
    return Request(
        method=method.upper(),
        path=path,
        base_url=f"{headers.get('x-forwarded-proto', 'https')}://{headers.get('host', '')}{stage}",
        route_key=event.get("routeKey") or "",
        params=_section(event, "pathParameters"),
        query=_section(event, "queryStringParameters"),
        headers=headers,
        claims=_section(about, "authorizer", "jwt", "claims"),
        request_id=request_id_of(event, context),
        raw_body=body or "",
        base64_encoded=bool(event.get("isBase64Encoded")),
    )


def request_id_of(event: Mapping[str, Any], context: object) -> str:
    """The API's id of the request, else the function's."""
    sent = _section(event, "requestContext").get("requestId")
    return str(sent or getattr(context, "aws_request_id", None) or "unknown")


def _is_utf8(parameter: str) -> bool:
    """Whether a parameter of a content type lets the body be UTF-8: only a charset could say otherwise."""
    name, _, value = parameter.partition("=")
    return name.strip() != "charset" or value.strip().strip('"') in ("utf-8", "utf8")


def _section(event: Mapping[str, Any], *names: str) -> Mapping[str, Any]:
    """The map at that place; empty where the event has none."""
    section: Mapping[str, Any] = event
    for name in names:
        inner = section.get(name)
        section = cast("Mapping[str, Any]", inner) if isinstance(inner, dict) else {}
    return section


def _split_path(raw: str, stage: str | None) -> tuple[str, str]:
    """The stage, which is a prefix of the raw path unless it is the default one, and the path after it."""
    prefix = f"/{stage}" if stage != "$default" and raw.startswith(f"/{stage}/") else ""
    return prefix, raw.removeprefix(prefix).rstrip("/") or "/"
