"""How a step reaches the product: one function for each entry point, in one table.

To add an entry point, write its function and put it into ``ENTRY_POINTS``. A step through one that the product does not
have is not applicable; once the product has it, a missing function here fails the case.
"""

import importlib.util
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from m4a.entrypoints.api_gateway import published_schema
from m4a.tools import TOOLS
from tests.cases.agents import answer_mcp
from tests.cases.callers import session_of
from tests.cases.events import is_mcp
from tests.cases.reply import Reply, parsed
from tests.cases.stream import send_stream
from tests.cases.world import World
from tests.support.profiles import PROFILES, STACK

JSON_HEADERS = {"content-type": "application/json"}
MCP_HEADERS = {**JSON_HEADERS, "accept": "application/json, text/event-stream"}
_FORMATS = {"openapi_for_bedrock": "bedrock-openapi"}
_TOOL_PATH = re.compile(rf"(?P<stage>(?:/(?!tools/)[^/?]+)?)/(?P<rest>(?:{'|'.join(TOOLS)})/?(?:\?.*)?)")

Reach = Callable[[World, Mapping[str, Any]], Reply]


@dataclass(frozen=True, slots=True)
class EntryPoint:
    """``module``: where the product keeps it. ``takes``: members of a step that belong to it. ``profiles``: those that
    have it."""

    title: str
    module: str
    reach: Reach | None
    takes: tuple[str, ...] = ()
    profiles: tuple[str, ...] = PROFILES

    @property
    def is_there(self) -> bool:
        """Whether the product has it."""
        try:
            return importlib.util.find_spec(self.module) is not None
        except ModuleNotFoundError:  # not even its package
            return False


def call_tool(world: World, step: Mapping[str, Any]) -> Reply:
    """``call``: a tool with arguments, over HTTP."""
    arguments: Mapping[str, Any] = step.get("args") or {}
    reply = world.send("POST", f"/tools/{step['call']}", JSON_HEADERS, json.dumps(arguments), step.get("caller"))
    return replace(reply, arguments=arguments)


def send_http(world: World, step: Mapping[str, Any]) -> Reply:
    """``http``: a request as written, except for the tool's real path."""
    asked = step["http"]
    body = asked.get("body")
    text = body if body is None or isinstance(body, str) else json.dumps(body)
    path = real_path(asked["path"])
    reply = world.send(asked.get("method", "POST"), path, asked.get("headers") or {}, text, step.get("caller"))
    return replace(reply, arguments=_members(text))


def send_event(world: World, step: Mapping[str, Any]) -> Reply:
    """``apigw_event``: an event of the API, given to the entry point itself."""
    event = step["apigw_event"]
    path = event.get("rawPath")
    sent = {**event, "rawPath": real_path(path)} if isinstance(path, str) else event
    reply = world.send_event(sent, step.get("caller"))
    return answer_mcp(reply) if is_mcp(sent) else reply


def send_agent_event(world: World, step: Mapping[str, Any]) -> Reply:
    """``bedrock``: an event of an action group, given to the entry point itself. The caller is the user of its session,
    where the event says nothing of one."""
    event, caller = step["bedrock"], step.get("caller")
    about = {} if caller is None else {"sessionAttributes": session_of(caller)}
    return world.send_agent_event({**about, **event})


def send_mcp(world: World, step: Mapping[str, Any]) -> Reply:
    """``mcp``: a JSON-RPC message, over HTTP; or a request of ``/mcp`` as written."""
    if "http" in step:
        return answer_mcp(send_http(world, step))
    message = step["mcp"]
    reply = world.send("POST", "/mcp", MCP_HEADERS, json.dumps(message), step.get("caller"))
    params = message.get("params") if isinstance(message, dict) else None  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    arguments = params.get("arguments") if isinstance(params, dict) else None  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    return answer_mcp(replace(reply, arguments=arguments if isinstance(arguments, dict) else {}))  # pyright: ignore[reportUnknownArgumentType]


def inspect_schema(_world: World, step: Mapping[str, Any]) -> Reply:
    """``inspect``: a published schema by its format; ``openapi_for_bedrock`` is another name of ``bedrock-openapi``."""
    name = str(step["inspect"])
    schema = published_schema(_FORMATS.get(name, name))
    return Reply(outcome="ok", body=json.dumps(schema).encode(), value=schema, document=schema, seconds=0)


def real_path(path: str) -> str:
    """``/remember`` stands for ``/tools/remember``, after a stage too; other paths are their own."""
    found = _TOOL_PATH.fullmatch(path)
    return f"{found['stage']}/tools/{found['rest']}" if found else path


def entry_point_of(step: Mapping[str, Any]) -> EntryPoint | None:
    """The entry point that the step goes through; None for a step that calls nothing."""
    if "http" in step and str(step["http"]["path"]).partition("?")[0].rstrip("/") == "/mcp":
        return ENTRY_POINTS["mcp"]
    return next((entry for kind, entry in ENTRY_POINTS.items() if kind in step), None)


def _members(text: str | None) -> Mapping[str, Any]:
    value = parsed((text or "").encode("utf-8", "surrogatepass"))
    return value if isinstance(value, dict) else {}  # pyright: ignore[reportUnknownVariableType]


ENTRY_POINTS: Mapping[str, EntryPoint] = {
    "call": EntryPoint("HTTPS", "m4a.entrypoints.api_gateway", call_tool, ("args",)),
    "http": EntryPoint("HTTPS", "m4a.entrypoints.api_gateway", send_http),
    "apigw_event": EntryPoint("HTTPS", "m4a.entrypoints.api_gateway", send_event),
    "mcp": EntryPoint("MCP", "m4a.entrypoints.mcp", send_mcp),
    "bedrock": EntryPoint("Bedrock action group", "m4a.entrypoints.action_group", send_agent_event),
    "stream": EntryPoint("DynamoDB stream", "m4a.entrypoints.stream", send_stream, profiles=(STACK,)),
    "inspect": EntryPoint("published schema", "m4a.tools.export", inspect_schema),
}
