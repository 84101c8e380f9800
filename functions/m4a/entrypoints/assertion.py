"""The identity that travels through an AgentCore Gateway: what our interceptor asserts and our target verifies.

It is a JWT, signed with HMAC-SHA256 and a secret that the two share, and good for one tool and one MCP message, for a
minute.
"""

import base64
import hashlib
import hmac
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from m4a.domain.errors import Unauthenticated

ASSERTION_HEADER = "m4a-assertion"
SECONDS = 60
SKEW_SECONDS = 5
"""By how much the clocks of the two functions may differ."""

_HEADER = {"alg": "HS256", "typ": "JWT"}


@dataclass(frozen=True, slots=True)
class Call:
    """Which call it is: the tool's name as the Gateway has it, ``<target>___<tool>``, and the id of the MCP message."""

    tool: str
    message_id: str


def sign(secret: bytes, call: Call, claims: Mapping[str, object], on_behalf_of: str | None, now: datetime) -> str:
    """The assertion of these claims, and of the user that the caller acts for, if any."""
    issued = int(now.timestamp())
    body = {
        "tool": call.tool,
        "message": call.message_id,
        "claims": dict(claims),
        "on_behalf_of": on_behalf_of,
        "iat": issued,
        "exp": issued + SECONDS,
    }
    signed = f"{_encode(_HEADER)}.{_encode(body)}"
    return f"{signed}.{_signature(secret, signed)}"


def verify(secret: bytes, call: Call, assertion: str, now: datetime) -> tuple[Mapping[str, object], str | None]:
    """The claims, and the user acted for. Raises Unauthenticated for an assertion that is not ours, or not of now or of
    this call."""
    signed, _, signature = assertion.rpartition(".")
    header, _, body = signed.partition(".")
    genuine = hmac.compare_digest(_signature(secret, signed).encode(), signature.encode("utf-8", "surrogatepass"))
    if not genuine or header != _encode(_HEADER):
        raise Unauthenticated("The assertion of the caller's identity is not genuine.")
    fields: dict[str, Any] = json.loads(_decode(body))
    if (fields["tool"], fields["message"]) != (call.tool, call.message_id):
        raise Unauthenticated("The assertion of the caller's identity is for another call.")
    if not fields["iat"] - SKEW_SECONDS <= now.timestamp() < fields["exp"]:
        raise Unauthenticated("The assertion of the caller's identity is not of now.")
    return fields["claims"], fields["on_behalf_of"]


def claims_of_token(authorization: object) -> Mapping[str, object]:
    """The claims in the token of an Authorization header, unverified: only for what has verified it before.

    Raises Unauthenticated if there is no such token.
    """
    scheme, _, token = authorization.partition(" ") if isinstance(authorization, str) else ("", "", "")
    parts = token.strip().split(".")
    try:
        claims: object = json.loads(_decode(parts[1])) if scheme.lower() == "bearer" and len(parts) == 3 else None
    except (ValueError, RecursionError):
        claims = None
    if not isinstance(claims, dict):
        raise Unauthenticated("A bearer token with claims is needed in the header Authorization.")
    return claims  # pyright: ignore[reportUnknownVariableType]


def _signature(secret: bytes, signed: str) -> str:
    text = signed.encode("utf-8", "surrogatepass")
    return _base64(hmac.new(secret, text, hashlib.sha256).digest())


def _encode(value: Mapping[str, object]) -> str:
    return _base64(json.dumps(value, separators=(",", ":")).encode())


def _base64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _decode(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
