"""Functions that the platform ends soon, behind each door, on backends with the time-outs that they have in use."""

import json
from collections.abc import Callable, Generator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any

from m4a.application.service import Service
from m4a.domain.owner import Owner
from m4a.entrypoints import action_group, agentcore_gateway, api_gateway, mcp
from m4a.entrypoints.gateway_interceptor import intercept
from m4a.entrypoints.mcp.server import PROBLEM_META
from m4a.entrypoints.protected_resource import MCP_PATH
from m4a.local.stack import Stack, on_stack, stack_settings
from tests.support.action_group import body_of, function_event, lambda_context
from tests.support.gateway import SECRET, interceptor_event, target_context, token, tool_call
from tests.support.proxy import Proxy
from tests.support.stack import Backends
from tests.support.waiting import until

MARIA = Owner("default", "maria")
LEFT_S = 3.0
_EVENT = Path(__file__).parents[2] / "events/https/recall.json"
Document = Mapping[str, Any]


class Ending:
    """A Lambda context whose function is ended ``seconds`` from now."""

    aws_request_id = "lambda-1"
    client_context: object = None

    def __init__(self, seconds: float = LEFT_S) -> None:
        self._end = monotonic() + seconds

    def get_remaining_time_in_millis(self) -> int:
        return round((self._end - monotonic()) * 1000)

    @property
    def still_runs(self) -> bool:
        return self.get_remaining_time_in_millis() > 0


Door = Callable[[Service, Ending, str, Mapping[str, object]], Document]


def https(service: Service, context: Ending, tool: str, arguments: Mapping[str, object]) -> Document:
    return json.loads(request(service, context, f"POST /tools/{tool}", json.dumps(arguments))["body"])


def agent(service: Service, context: Ending, tool: str, arguments: Mapping[str, object]) -> Document:
    return body_of(action_group.respond(service, function_event(MARIA.user, tool, arguments), context))


def gateway(service: Service, context: Ending, tool: str, arguments: Mapping[str, object]) -> Document:
    message = tool_call(tool, arguments)
    event = interceptor_event(message, {"authorization": f"Bearer {token({'sub': MARIA.user})}"})
    output = intercept(event, lambda_context(), secret=SECRET, tenant_claim=None, clock=service.clock)
    headers = output["mcp"]["transformedGatewayRequest"]["headers"]
    context.client_context = target_context(message, headers).client_context
    answer = agentcore_gateway.respond(service, arguments, context, secret=SECRET)
    return answer.get("error", answer)


def over_mcp(service: Service, context: Ending, tool: str, arguments: Mapping[str, object]) -> Document:
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
    reply = mcp.respond(service, _event(f"POST {MCP_PATH}", json.dumps(message)), context)
    result = json.loads(reply["body"])["result"]
    return result["_meta"][PROBLEM_META] if result.get("isError") else result["structuredContent"]


DOORS: Mapping[str, Door] = {"https": https, "action group": agent, "gateway": gateway, "mcp": over_mcp}


def request(service: Service, context: Ending, route: str, body: str = "", **changes: object) -> dict[str, Any]:
    """What the function answers the API to a request."""
    return api_gateway.respond(service, _event(route, body, **changes), context)


def _event(route: str, body: str, **changes: object) -> dict[str, Any]:
    event: dict[str, Any] = json.loads(_EVENT.read_text("utf-8"))
    method, path = route.split()
    event["requestContext"]["http"]["method"] = method
    return {**event, "routeKey": route, "rawPath": path, "body": body, **changes}


@dataclass(frozen=True)
class Place:
    """``table``, ``index`` and ``model`` are proxies."""

    table: Proxy
    index: Proxy
    model: Proxy
    stack: Stack

    @property
    def service(self) -> Service:
        return self.stack.operator.service

    def remember(self, content: str) -> str:
        """A memory that the index has come to know."""
        made = https(self.service, Ending(60), "remember", {"content": content})
        until(lambda: not self.service.outbox.pending(MARIA, 1))
        return made["memory_id"]


@contextmanager
def open_place(backends: Backends) -> Generator[Place]:
    with ExitStack() as opened:
        table, index, model = (
            opened.enter_context(Proxy(one)) for one in (backends.dynamodb, backends.search, backends.bedrock)
        )
        name = opened.enter_context(backends.fresh_names())
        settings = stack_settings(table.address, index.address, model.address, table=name, prefix=name)
        yield Place(table, index, model, opened.enter_context(on_stack(settings)))
