"""An AgentCore Gateway between an MCP client and our functions: the interceptor first, then the target."""

import base64
import itertools
import json
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

from m4a.application.service import Service
from m4a.entrypoints.agentcore_gateway import respond
from m4a.entrypoints.api_gateway import published_schema
from m4a.entrypoints.gateway_interceptor import intercept
from m4a.ports import Clock
from tests.support.action_group import refuse_unpublished
from tests.support.client import Answer

SECRET = b"a secret that both functions know, of 32 or more bytes"
TARGET = "memory"
ALLOWED_HEADERS = ("m4a-assertion",)


def token(claims: Mapping[str, object]) -> str:
    """A token with these claims; the Gateway has verified it, so its signature is of no account here."""
    parts = ({"alg": "RS256"}, claims)
    encoded = [base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=").decode() for part in parts]
    return ".".join([*encoded, "c2lnbmF0dXJl"])


def interceptor_event(message: object, headers: Mapping[str, str]) -> dict[str, Any]:
    """What the Gateway sends to a REQUEST interceptor that is passed headers."""
    request = {"path": "/mcp", "httpMethod": "POST", "headers": dict(headers), "body": message}
    return {
        "interceptorInputVersion": "1.0",
        "mcp": {"rawGatewayRequest": {"body": json.dumps(message)}, "gatewayRequest": request},
    }


def tool_call(tool: str, arguments: Mapping[str, object], message_id: int | str = 1) -> dict[str, Any]:
    """The message of a client of the Gateway."""
    params = {"name": f"{TARGET}___{tool}", "arguments": dict(arguments)}
    return {"jsonrpc": "2.0", "id": message_id, "method": "tools/call", "params": params}


def target_context(message: Mapping[str, Any], headers: Mapping[str, str]) -> SimpleNamespace:
    """The context with which the Gateway invokes the target."""
    custom = {
        "bedrockAgentCoreMessageVersion": "1.0",
        "bedrockAgentCoreAwsRequestId": "gateway-request-1",
        "bedrockAgentCoreMcpMessageId": str(message["id"]),
        "bedrockAgentCoreGatewayId": "gateway-1",
        "bedrockAgentCoreTargetId": "TARGET0001",
        "bedrockAgentCoreToolName": message["params"]["name"],
        "bedrockAgentCorePropagatedHeaders": dict(headers),
    }
    client_context = SimpleNamespace(custom=custom, env=None, client=None)
    return SimpleNamespace(aws_request_id="lambda-1", client_context=client_context)


class Gateway:
    """Runs one message of a client the way it goes. ``tenant_claim`` is the interceptor's."""

    def __init__(self, service: Service, clock: Clock, tenant_claim: str | None = None) -> None:
        self._service = service
        self._clock = clock
        self._tenant_claim = tenant_claim

    def intercepted(self, message: object, headers: Mapping[str, str]) -> dict[str, Any]:
        """The interceptor's output, below ``mcp``."""
        event = interceptor_event(message, headers)
        context = SimpleNamespace(aws_request_id="lambda-0")
        output = intercept(event, context, secret=SECRET, tenant_claim=self._tenant_claim, clock=self._clock)
        assert output["interceptorOutputVersion"] == "1.0"
        return output["mcp"]

    def called(self, message: Mapping[str, Any], headers: Mapping[str, str]) -> dict[str, Any]:
        """The target's answer, or the interceptor's response."""
        output = self.intercepted(message, headers)
        if "transformedGatewayResponse" in output:
            return output["transformedGatewayResponse"]
        changed = {**headers, **output["transformedGatewayRequest"]["headers"]}
        passed = {name: value for name, value in changed.items() if name.lower() in ALLOWED_HEADERS}
        message = output["transformedGatewayRequest"]["body"]
        arguments = json.loads(json.dumps(message["params"]["arguments"]))
        answer = respond(self._service, arguments, target_context(message, passed), secret=SECRET)
        return json.loads(json.dumps(answer))


class GatewayClient:
    """One user's MCP client."""

    def __init__(self, gateway: Gateway, user: str) -> None:
        self._gateway = gateway
        self._headers = {"Authorization": f"Bearer {token({'sub': user})}"}
        self._ids = itertools.count(1)
        self._published = {one["name"]: set(one["inputSchema"]["properties"]) for one in published_schema("gateway")}

    def call(self, tool: str, **arguments: Any) -> Answer:
        refuse_unpublished(tool, arguments, self._published)
        answer = self._gateway.called(tool_call(tool, arguments, next(self._ids)), self._headers)
        return Answer(answer["error"], answer["error"]["code"]) if "error" in answer else Answer(answer)
