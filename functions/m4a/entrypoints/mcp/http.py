"""``POST /mcp``: one event of the API is one exchange of the stateless streamable HTTP transport."""

import asyncio
import json
import logging
from collections.abc import Mapping, MutableMapping
from typing import Any

import anyio
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp_types import INTERNAL_ERROR
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from m4a.application.service import Service
from m4a.domain.errors import Internal, InvalidInput, NotFound
from m4a.entrypoints.http import JSON, Request, Response, read_request, request_id_of
from m4a.entrypoints.identity import ON_BEHALF_OF, caller_of
from m4a.entrypoints.mcp.messages import Message, Refused, read_message, refuse_version
from m4a.entrypoints.mcp.server import ENTRY_POINT, mcp_server
from m4a.entrypoints.operations import OK, Operation
from m4a.entrypoints.protected_resource import MCP_PATH, challenge
from m4a.entrypoints.recording import recording
from m4a.entrypoints.time_left import in_time

AFTER_MCP = f"POST {MCP_PATH}/{{proxy+}}"
"""Route of what clients send to ``/mcp/``. No route of an HTTP API may end in a slash, but the rest may be empty."""
VERSION_HEADER = "mcp-protocol-version"
OPERATION = "mcp"
"""What a message counts as that calls no tool and reads nothing."""

logger = logging.getLogger(__name__)


def respond(service: Service, event: Mapping[str, Any], context: object) -> dict[str, Any]:
    """Answers one event. What is wrong before a message is read becomes problem details; nothing is raised."""
    request_id = request_id_of(event, context)
    sign_in = "Bearer"
    recorded = Operation(entry_point=ENTRY_POINT, name=OPERATION, request_id=request_id)
    with recording(recorded, service.metrics_namespace), in_time(context):
        try:
            request = read_request(event, context)
            sign_in = challenge(service, request.base_url)
            response = _answer(service, request)
            if recorded.outcome == OK:
                recorded.outcome = _outcome(response)
            payload = response.to_event(request_id)
        except Exception as error:  # noqa: BLE001 the edge: whatever it is, the client gets an answer
            payload = Response.problem(error, request_id, sign_in).to_event(request_id)
        recorded.status = payload["statusCode"]
    return payload


def _outcome(response: Response) -> str:
    """What became of a message that no use case refused: the protocol's own errors have codes of its own."""
    body = response.body if isinstance(response.body, str) else ""
    error = json.loads(body).get("error") if '"error":' in body else None  # in a text the quotes have backslashes
    if response.status >= 500 or (error and error["code"] == INTERNAL_ERROR):
        return Internal.code
    return InvalidInput.code if error or response.status >= 400 else OK


def _answer(service: Service, request: Request) -> Response:
    if request.route_key == AFTER_MCP and request.params.get("proxy"):
        raise NotFound(f"MCP is at {MCP_PATH}, with nothing after it.")
    caller = caller_of(
        request.claims,
        request.headers.get(ON_BEHALF_OF),
        tenant_claim=service.tenant_claim,
        entry_point=ENTRY_POINT,
        request_id=request.request_id,
    )
    message = read_message(request.body())
    if isinstance(message, Message):
        message = refuse_version(message, request.headers.get(VERSION_HEADER)) or message
    if isinstance(message, Refused):
        return Response(400, {"content-type": JSON}, message.to_json())
    response = asyncio.run(_exchange(mcp_server(service, lambda: caller), _scope(request, message), message))
    if response.status >= 500:
        logger.error("the MCP SDK answered %s, request %s", response.status, request.request_id)
    return response


async def _exchange(server: Server[Any], scope: dict[str, Any], message: Message) -> Response:
    """Runs the SDK's transport once. A manager serves one event loop, so each exchange has its own."""
    manager = StreamableHTTPSessionManager(server, json_response=True, stateless=True)
    body = [message.to_json().encode()]
    start: MutableMapping[str, Any] = {}
    parts: list[bytes] = []

    async def receive() -> MutableMapping[str, Any]:
        if not body:
            await anyio.sleep_forever()  # a client that leaves is not seen here
        return {"type": "http.request", "body": body.pop(), "more_body": False}

    async def send(part: MutableMapping[str, Any]) -> None:
        if part["type"] == "http.response.start":
            start.update(part)
        else:
            parts.append(part.get("body", b""))

    async with manager.run():
        await manager.handle_request(scope, receive, send)
    return _response(start, b"".join(parts))


def _scope(request: Request, message: Message) -> dict[str, Any]:
    """The request as an ASGI scope.

    ``initialize`` negotiates the version in its body, so an unknown one in the header does not stand in its way; and a
    client that does not say what it accepts gets JSON.
    """
    headers = {"accept": "*/*", **request.headers}
    headers.pop("content-length", None)  # the message is written anew
    if message.method == "initialize" and headers.get(VERSION_HEADER) not in HANDSHAKE_PROTOCOL_VERSIONS:
        headers.pop(VERSION_HEADER, None)
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": request.method,
        "scheme": "https",
        "path": MCP_PATH,
        "raw_path": MCP_PATH.encode(),
        "query_string": b"",
        "root_path": "",
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
        "server": ("", 443),
        "client": None,
    }


def _response(start: Mapping[str, Any], body: bytes) -> Response:
    """The SDK's answer, with the headers that mean something to the client."""
    sent = {name.decode().lower(): value.decode() for name, value in start["headers"]}
    names = ("content-type", "allow") if body else ("allow",)
    return Response(start["status"], {name: sent[name] for name in names if name in sent}, body.decode())
