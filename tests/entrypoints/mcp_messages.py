"""Raw JSON-RPC messages over POST /mcp."""

import json
from typing import Any

import httpx

META: dict[str, object] = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


def send(client: httpx.Client, message: object, **headers: str) -> httpx.Response:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    content = message if isinstance(message, str | bytes) else json.dumps(message)
    return client.post("/mcp", content=content, headers=named)


def ask(client: httpx.Client, method: str, params: object = None, request_id: Any = 1, **headers: str) -> Any:
    """Sends a request and answers its JSON; the reply is never empty and never a 5xx."""
    message = {"jsonrpc": "2.0", "id": request_id, "method": method, "params": params}
    reply = send(client, {name: value for name, value in message.items() if value is not None}, **headers)
    assert reply.status_code < 500
    assert reply.headers["content-type"] == "application/json"
    assert reply.headers["x-content-type-options"] == "nosniff"
    return reply.json()


def start(client: httpx.Client, version: str, **headers: str) -> Any:
    about = {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "probe", "version": "0"}}
    return ask(client, "initialize", about, **headers)["result"]["protocolVersion"]
