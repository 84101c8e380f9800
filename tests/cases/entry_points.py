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

from m4a.tools import TOOLS
from tests.cases.reply import Reply, parsed
from tests.cases.stream import send_stream
from tests.cases.world import World
from tests.support.profiles import PROFILES, STACK

JSON_HEADERS = {"content-type": "application/json"}
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
    arguments = step.get("args", {})
    reply = world.send("POST", f"/tools/{step['call']}", JSON_HEADERS, json.dumps(arguments), step.get("caller"))
    return replace(reply, arguments=arguments)


def send_http(world: World, step: Mapping[str, Any]) -> Reply:
    """``http``: a request as written, except for the tool's real path."""
    asked = step["http"]
    body = asked.get("body")
    text = body if body is None or isinstance(body, str) else json.dumps(body)
    path = real_path(asked["path"])
    reply = world.send(asked.get("method", "POST"), path, asked.get("headers", {}), text, step.get("caller"))
    return replace(reply, arguments=_members(text))


def send_event(world: World, step: Mapping[str, Any]) -> Reply:
    """``apigw_event``: an event of the API, given to the entry point itself."""
    event = step["apigw_event"]
    return world.send_event({**event, "rawPath": real_path(event["rawPath"])} if "rawPath" in event else event)


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
    "mcp": EntryPoint("MCP", "m4a.entrypoints.mcp", None),
    "bedrock": EntryPoint("Bedrock action group", "m4a.entrypoints.action_group", None),
    "stream": EntryPoint("DynamoDB stream", "m4a.entrypoints.stream", send_stream, profiles=(STACK,)),
    "inspect": EntryPoint("published schema", "m4a.tools.export", None),
}
