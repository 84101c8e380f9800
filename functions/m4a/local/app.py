"""The local server's ASGI application: what API Gateway does in front of the functions, and nothing more."""

import asyncio
import base64
import uuid
from collections.abc import Awaitable, Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from m4a.application.service import Service
from m4a.domain.errors import Forbidden, InvalidInput, M4AError
from m4a.entrypoints import api_gateway, mcp
from m4a.entrypoints.http import MAX_IMPORT_BYTES, MAX_JSON_BYTES, NDJSON, Response, too_large
from m4a.entrypoints.protected_resource import MCP_PATH, challenge
from m4a.entrypoints.routes import match_path
from m4a.local.access import Tokens
from m4a.local.events import Context, payload, raw_path, read_headers
from m4a.local.routes import DEFAULT_PATH, TemplateRoute, template_routes

THREADS = 16
BODY_PART_SECONDS = 10
"""How long the next part of a body is waited for: a client that stalls must not hold up the end of the server."""
_ENTRY_POINTS = {"mcp_server.handler.handler": mcp.respond}
"""By the handler that the template names; all others are of the API."""

Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]


class ClientLeft(Exception):
    """The client closed the connection before its request was whole."""


class App:
    """Checks Host, Origin and token, finds the template's route, and runs the entry point on a thread."""

    def __init__(self, service: Service, tokens: Tokens | None, default_user: str, hosts: Iterable[str]) -> None:
        self._service = service
        self._tokens = tokens
        self._default_claims = {"sub": default_user}
        self._hosts = frozenset(hosts)
        self._routes = template_routes()
        self._pool = ThreadPoolExecutor(THREADS, thread_name_prefix="m4a-http")

    async def __call__(self, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        request_id = uuid.uuid4().hex
        try:
            reply = await self._reply(scope, receive, request_id)
        except M4AError as error:
            reply = Response.problem(error, request_id, self._challenge(scope)).to_event(request_id)
        except ClientLeft:
            return
        await _send(send, reply)

    def close(self) -> None:
        """Waits for requests that are still running."""
        self._pool.shutdown(wait=True)

    async def _reply(self, scope: dict[str, Any], receive: Receive, request_id: str) -> dict[str, Any]:
        headers = read_headers(scope)
        self._check_origin(scope, headers)
        route, params = self._route(scope["method"], raw_path(scope))
        claims = None if route.public else self._claims(headers)
        body = await _read(receive, headers, _limit(route, headers))
        event = payload(
            scope, headers, route_key=route.key, params=params, body=body, claims=claims, request_id=request_id
        )
        respond = _ENTRY_POINTS.get(route.handler, api_gateway.respond)
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._pool, respond, self._service, event, Context(request_id))

    def _challenge(self, scope: Mapping[str, Any]) -> str:
        """Goes with a 401; a client of MCP is told where to sign in."""
        if raw_path(scope).rstrip("/") != MCP_PATH:
            return "Bearer"
        host = dict(scope["headers"]).get(b"host", b"").decode("latin-1")
        return challenge(self._service, f"{scope['scheme']}://{host}")

    def _check_origin(self, scope: Mapping[str, Any], headers: Mapping[str, str]) -> None:
        """Refuses what a foreign web page could send: it can neither choose our Host nor hide its Origin."""
        address, port = scope["server"]
        own = {*self._hosts, f"[{address}]" if ":" in address else address}
        host = headers.get("host", "").lower()
        if host not in {f"{name}:{port}" for name in own} and not (port == 80 and host in own):
            raise Forbidden("The header Host names another server than this one.")
        if headers.get("origin", f"http://{host}").lower() != f"http://{host}":
            raise Forbidden("Pages of another origin may not call this server.")

    def _claims(self, headers: Mapping[str, str]) -> Mapping[str, str]:
        return self._tokens.claims(headers.get("authorization")) if self._tokens else self._default_claims

    def _route(self, method: str, path: str) -> tuple[TemplateRoute, Mapping[str, str]]:
        for route in self._routes:
            if route.method == method and (params := match_path(route.path, path)) is not None:
                return route, params
        return next(route for route in self._routes if route.path == DEFAULT_PATH), {}


def _limit(route: TemplateRoute, headers: Mapping[str, str]) -> int:
    is_import = route.key == "POST /import" and headers.get("content-type", "").lower().startswith(NDJSON)
    return MAX_IMPORT_BYTES if is_import else MAX_JSON_BYTES


async def _read(receive: Receive, headers: Mapping[str, str], limit: int) -> bytes:
    """The body. One that is too large is refused as soon as that is known, and never held."""
    declared = headers.get("content-length", "")
    if declared.isdecimal() and int(declared) > limit:
        raise too_large(limit)
    body = bytearray()
    while True:
        try:
            async with asyncio.timeout(BODY_PART_SECONDS):
                message = await receive()
        except TimeoutError:
            raise InvalidInput.of("body", "did not arrive in time", f"{BODY_PART_SECONDS} seconds") from None
        if message["type"] == "http.disconnect":
            raise ClientLeft
        body += message.get("body", b"")
        if len(body) > limit:
            raise too_large(limit)
        if not message.get("more_body"):
            return bytes(body)


async def _send(send: Send, reply: Mapping[str, Any]) -> None:
    body = base64.b64decode(reply["body"]) if reply["isBase64Encoded"] else reply["body"].encode()
    headers = {**reply["headers"], "content-length": str(len(body))}
    pairs = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": reply["statusCode"], "headers": pairs})
    await send({"type": "http.response.body", "body": body})
