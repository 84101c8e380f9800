"""Every sample event, and what has none, sent through its entry point with marked words in it."""

import base64
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from m4a.application.service import Service
from m4a.entrypoints import action_group, agentcore_gateway, api_gateway, mcp
from m4a.entrypoints.assertion import Call, sign
from m4a.entrypoints.gateway_interceptor import intercept
from m4a.local.events import Context
from tests.support.doubles import SettableClock
from tests.support.gateway import SECRET, token

PLACEHOLDER = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
EVENTS = Path(__file__).parents[2] / "events"
MARK = "Xqzmark"
"""In every text that is sent; no line may hold it."""
NAMESPACE = "M4A/Test"
REQUEST = "lambda-1"
_MARKED = {"Prefers": "content", "Which train": "query", "travel": "tag", "asked to": "reason", "maria": "user"}


Send = Callable[[Service, str], object]
Door = Callable[[str], Send]
"""From the name of a sample to what sends it."""


def sample(name: str, memory_id: str = "") -> Any:
    text = (EVENTS / f"{name}.json").read_text("utf-8")
    for words, kind in _MARKED.items():
        text = text.replace(words, f"{MARK}{kind}")
    known = memory_id and not name.endswith("not_found")
    return json.loads(text.replace(PLACEHOLDER, memory_id) if known else text)


def https(name: str) -> Send:
    def send(service: Service, memory_id: str) -> object:
        event = sample(f"https/{name}", memory_id)
        body = json.loads(event["body"])
        if name == "remember":
            body |= {"source": f"{MARK}source", "idempotency_key": f"{MARK}key"}
        event |= {"body": json.dumps(body), "cookies": [f"c={MARK}"]}
        event["requestContext"]["requestId"] = REQUEST
        event["headers"] |= {"x-note": f"{MARK}header", "user-agent": MARK}
        return api_gateway.respond(service, event, Context(REQUEST))

    return send


def request(method: str, path: str, body: str | None = None, query: Mapping[str, str] | None = None) -> Send:
    def send(service: Service, memory_id: str) -> object:
        event = {
            "rawPath": path.format(memory_id=memory_id),
            "headers": {"content-type": "application/json", "authorization": f"Bearer {MARK}"},
            "queryStringParameters": query,
            "requestContext": {"http": {"method": method}, "authorizer": {"jwt": {"claims": {"sub": f"{MARK}user"}}}},
            "body": body,
        }
        return api_gateway.respond(service, event, Context(REQUEST))

    return send


def agent(folder: str) -> Door:
    def door(name: str) -> Send:
        def send(service: Service, memory_id: str) -> object:
            event = sample(f"{folder}/{name}", memory_id) | {"inputText": f"{MARK}input", "sessionId": MARK}
            event["promptSessionAttributes"] = {"note": MARK}
            return action_group.respond(service, event, Context(REQUEST))

        return send

    return door


def gateway(name: str) -> Send:
    def send(service: Service, memory_id: str) -> object:
        custom = sample(f"agentcore_gateway/{name}.context")["custom"]
        headers = custom.get("bedrockAgentCorePropagatedHeaders", {})
        call = Call(custom["bedrockAgentCoreToolName"], custom["bedrockAgentCoreMcpMessageId"])
        claims = {"sub": f"{MARK}user"}
        headers.update({one: sign(SECRET, call, claims, None, service.clock.now()) for one in headers})
        context = SimpleNamespace(aws_request_id=REQUEST, client_context=SimpleNamespace(custom=custom))
        event = sample(f"agentcore_gateway/{name}", memory_id)
        return agentcore_gateway.respond(service, event, context, secret=SECRET)

    return send


def interceptor(name: str) -> Send:
    def send(service: Service, _memory_id: str) -> object:
        event = sample(f"gateway_interceptor/{name}")
        headers = event["mcp"]["gatewayRequest"]["headers"]
        if name != "unauthenticated":
            headers["authorization"] = f"Bearer {token({'sub': f'{MARK}user'})}"
        headers["x-note"] = MARK
        return intercept(
            event,
            Context(REQUEST),
            secret=SECRET,
            tenant_claim=None,
            clock=SettableClock(),
            metrics_namespace=NAMESPACE,
        )

    return send


def message(method: str, params: Any, sub: str = f"{MARK}user", body: str | None = None) -> Send:
    """Over ``POST /mcp``; ``body`` in place of a message."""

    def send(service: Service, memory_id: str) -> object:
        sent = body or json.dumps({"jsonrpc": "2.0", "id": f'{MARK}"error":', "method": method, "params": params})
        event = {
            "rawPath": "/mcp",
            "headers": {"content-type": "application/json", "host": "api.example", "x-note": MARK},
            "requestContext": {"http": {"method": "POST"}, "authorizer": {"jwt": {"claims": {"sub": sub}}}},
            "body": base64.b64encode(sent.replace("MEMORY", memory_id).encode()).decode(),
            "isBase64Encoded": True,
        }
        return mcp.respond(service, event, Context(REQUEST))

    return send


def mcp_event(name: str) -> Send:
    def send(service: Service, memory_id: str) -> object:
        event = sample(f"mcp/{name}", memory_id)
        event["requestContext"]["requestId"] = REQUEST
        event["headers"] |= {"x-note": f"{MARK}header", "user-agent": MARK}
        return mcp.respond(service, event, Context(REQUEST))

    return send


def tool(name: str, **arguments: object) -> Send:
    return message("tools/call", {"name": name, "arguments": arguments})
