"""Calls of every entry point, and what the line of each is to say."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from m4a.tools import TOOLS
from tests.telemetry.doors import (
    MARK,
    Door,
    Send,
    agent,
    gateway,
    https,
    interceptor,
    mcp_event,
    message,
    request,
    tool,
)


@dataclass(frozen=True)
class Expected:
    """The fields of the line that tell what it is about. ``status`` is that of HTTP."""

    entry_point: str
    operation: str
    outcome: str = "ok"
    status: int | None = None


_DOORS: Mapping[str, tuple[str, Door]] = {
    "https": ("https", https),
    "action_group": ("bedrock", agent("action_group")),
    "action_group_openapi": ("bedrock", agent("action_group_openapi")),
    "agentcore_gateway": ("gateway", gateway),
}
_STATUS = {"ok": 200, "invalid_input": 400, "unauthenticated": 401, "not_found": 404}


def _samples(name: str, operation: str, outcome: str) -> dict[str, tuple[Send, Expected]]:
    """The sample of this name in each folder that has it."""
    return {
        f"{folder} {name}": (
            door(name),
            Expected(entry_point, operation, outcome, _STATUS[outcome] if folder == "https" else None),
        )
        for folder, (entry_point, door) in _DOORS.items()
    }


_SAMPLES: dict[str, tuple[Send, Expected]] = {
    **{key: value for name in TOOLS for key, value in _samples(name, name, "ok").items()},
    **_samples("invalid_input", "recall", "invalid_input"),
    **_samples("not_found", "unknown", "not_found"),
    **_samples("unauthenticated", "unknown", "unauthenticated"),
    "https unauthenticated": (https("unauthenticated"), Expected("https", "recall", "unauthenticated", 401)),
    "interceptor tools_call": (interceptor("tools_call"), Expected("gateway", "intercept")),
    "interceptor tools_list": (interceptor("tools_list"), Expected("gateway", "intercept")),
    "interceptor unauthenticated": (
        interceptor("unauthenticated"),
        Expected("gateway", "intercept", "unauthenticated"),
    ),
}
_ROUTES: dict[str, tuple[Send, Expected]] = {
    "https no such path": (request("GET", f"/{MARK}"), Expected("https", "unknown", "not_found", 404)),
    "https no such id": (request("GET", f"/memories/{MARK}"), Expected("https", "showMemory", "not_found", 404)),
    "https show": (request("GET", "/memories/{memory_id}"), Expected("https", "showMemory", "ok", 200)),
    "https list": (
        request("GET", "/memories", query={"tags": f"{MARK}tag"}),
        Expected("https", "listMemories", "ok", 200),
    ),
    "https wrong query": (
        request("GET", "/memories", query={MARK: MARK}),
        Expected("https", "listMemories", "invalid_input", 400),
    ),
    "https broken body": (
        request("POST", "/tools/recall", f'{{"query": "{MARK}'),
        Expected("https", "recall", "invalid_input", 400),
    ),
    "https unknown field": (
        request("POST", "/tools/recall", json.dumps({"query": MARK, MARK: MARK})),
        Expected("https", "recall", "invalid_input", 400),
    ),
    "https health": (request("GET", "/health"), Expected("https", "showHealth", "ok", 200)),
}
_MCP: dict[str, tuple[Send, Expected]] = {
    **{f"mcp {name}": (mcp_event(name), Expected("mcp", name, "ok", 200)) for name in TOOLS},
    "mcp invalid_input": (mcp_event("invalid_input"), Expected("mcp", "recall", "invalid_input", 200)),
    "mcp not_found": (mcp_event("not_found"), Expected("mcp", "forget", "not_found", 200)),
    "mcp unauthenticated": (mcp_event("unauthenticated"), Expected("mcp", "mcp", "unauthenticated", 401)),
    "mcp full remember": (
        tool("remember", content=f"{MARK}content is new", tags=[f"{MARK}tag"], source=f"{MARK}source"),
        Expected("mcp", "remember", "ok", 200),
    ),
    "mcp full recall": (tool("recall", query=f"{MARK}query"), Expected("mcp", "recall", "ok", 200)),
    "mcp update": (
        tool("update_memory", memory_id="MEMORY", tags=[f"{MARK}tag"]),
        Expected("mcp", "update_memory", "ok", 200),
    ),
    "mcp invalid": (tool("recall", query=MARK, limit=0), Expected("mcp", "recall", "invalid_input", 200)),
    "mcp no such tool": (tool(MARK), Expected("mcp", "mcp", "invalid_input", 200)),
    "mcp no such method": (message(MARK, None), Expected("mcp", "mcp", "invalid_input", 200)),
    "mcp broken": (message("", None, body=f'{{"{MARK}'), Expected("mcp", "mcp", "invalid_input", 400)),
    "mcp nobody": (message("tools/list", None, sub=" "), Expected("mcp", "mcp", "unauthenticated", 401)),
    "mcp tools": (message("tools/list", {}), Expected("mcp", "mcp", "ok", 200)),
    "mcp core block": (
        message("resources/read", {"uri": "m4a://context"}),
        Expected("mcp", "showContext", "ok", 200),
    ),
    "mcp memory": (
        message("resources/read", {"uri": "m4a://memories/MEMORY"}),
        Expected("mcp", "showMemory", "ok", 200),
    ),
    "mcp no memory": (
        message("resources/read", {"uri": f"m4a://memories/{MARK}"}),
        Expected("mcp", "showMemory", "not_found", 200),
    ),
}
CALLS: Mapping[str, tuple[Send, Expected]] = {**_SAMPLES, **_ROUTES, **_MCP}
