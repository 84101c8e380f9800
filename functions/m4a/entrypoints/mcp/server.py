"""The MCP server of one caller: the tools, resources and prompt, on the official SDK."""

import logging
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

import mcp_types as types
from anyio import to_thread
from mcp.server.caching import CacheableMethod, CacheHint
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

import m4a
from m4a.application.context import core_block
from m4a.application.service import Service
from m4a.domain.errors import InvalidInput, NotFound
from m4a.domain.owner import Caller
from m4a.entrypoints.http import to_json
from m4a.entrypoints.mcp.definitions import (
    CONTEXT_URI,
    MEMORY_URI,
    PROMPT,
    PROMPTS,
    RESOURCE_TEMPLATES,
    RESOURCES,
    tools,
)
from m4a.entrypoints.mcp.text import answer_text, error_text
from m4a.entrypoints.operations import current
from m4a.entrypoints.outcomes import OUTCOMES, known, problem
from m4a.entrypoints.tool_calls import run_tool
from m4a.tools import TOOLS
from m4a.tools.answers import show_answer
from m4a.tools.prompt import system_prompt

ENTRY_POINT = "mcp"
PROBLEM_META = "m4a/problem"
"""Where an error has its problem details: clients would hold structured content against the output schema."""

T = TypeVar("T")
_Context = ServerRequestContext[Any, Any]
_Params = types.PaginatedRequestParams | None
_STATIC: tuple[CacheableMethod, ...] = ("tools/list", "resources/list", "resources/templates/list", "prompts/list")
_HINTS: dict[CacheableMethod, CacheHint] = {method: CacheHint(300_000, "public") for method in _STATIC}

logging.getLogger("mcp").setLevel(logging.CRITICAL)  # the SDK logs tracebacks, which quote what clients send


def mcp_server(service: Service, caller: Callable[[], Caller]) -> Server[Any]:
    """A server for one caller; ``caller`` is asked at each operation, and has a request id of its own each time."""
    handlers = _Handlers(service, caller)
    return Server(
        "m4a",
        version=m4a.__version__,
        title="M4A: memory as tools",
        instructions=system_prompt(),
        cache_hints=_HINTS,
        get_tool_input_schema=_input_schema,
        on_list_tools=_list_tools,
        on_call_tool=handlers.call_tool,
        on_list_resources=_list_resources,
        on_list_resource_templates=_list_resource_templates,
        on_read_resource=handlers.read_resource,
        on_list_prompts=_list_prompts,
        on_get_prompt=_get_prompt,
    )


class _Handlers:
    """The operations that reach memories. Each runs on a thread: the use cases block."""

    def __init__(self, service: Service, caller: Callable[[], Caller]) -> None:
        self._service = service
        self._caller = caller

    async def call_tool(self, _: _Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        if params.name not in TOOLS:
            names = ", ".join(TOOLS)
            raise MCPError(types.INVALID_PARAMS, f"There is no tool of this name; there are {names}.")
        caller = self._caller()
        try:
            run = partial(run_tool, self._service, caller, params.name, params.arguments or {})
            answer = await to_thread.run_sync(run)
            text = answer_text(params.name, answer)
        except Exception as error:  # noqa: BLE001 the edge: whatever it is, the client gets an answer
            return _refusal(error, caller.request_id)
        return types.CallToolResult(content=[types.TextContent(text=text)], structured_content=answer)

    async def read_resource(self, _: _Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        caller = self._caller()
        try:
            mime_type, text = await to_thread.run_sync(self._resource, caller, params.uri)
        except Exception as error:  # noqa: BLE001 the edge
            raise _unread(error, params.uri, caller.request_id) from None
        contents = types.TextResourceContents(uri=params.uri, mime_type=mime_type, text=text)
        return types.ReadResourceResult(contents=[contents])

    def _resource(self, caller: Caller, uri: str) -> tuple[str, str]:
        recorded = current()
        if recorded:
            recorded.name = "showContext" if uri == CONTEXT_URI else "showMemory"
        if uri == CONTEXT_URI:
            return "text/plain", core_block(self._service, caller).text
        memory_id = uri.removeprefix(MEMORY_URI)
        if recorded:
            recorded.note_ids({"memory_id": memory_id})
        return "application/json", to_json(show_answer(self._service, caller, memory_id))


def _refusal(error: Exception, request_id: str) -> types.CallToolResult:
    """The error as a result that the model sees. Raises MCPError for a fault of ours."""
    ours = known(error, request_id)
    if OUTCOMES[ours.code].mcp == "json_rpc_internal":
        raise MCPError(types.INTERNAL_ERROR, ours.message, {"request_id": request_id})
    return types.CallToolResult(
        content=[types.TextContent(text=error_text(ours))],
        is_error=True,
        _meta={PROBLEM_META: problem(ours, request_id)},
    )


def _unread(error: Exception, uri: str, request_id: str) -> MCPError:
    """Why a resource could not be read: the client asked wrongly, or it may work later."""
    details = problem(error, request_id)
    asked_wrongly = details["code"] in (NotFound.code, InvalidInput.code)
    code = types.INVALID_PARAMS if asked_wrongly else types.INTERNAL_ERROR
    return MCPError(code, details["detail"], {"uri": uri, **details})


async def _list_tools(_: _Context, __: _Params) -> types.ListToolsResult:
    return types.ListToolsResult(tools=list(tools().values()))


async def _list_resources(_: _Context, __: _Params) -> types.ListResourcesResult:
    return types.ListResourcesResult(resources=RESOURCES)


async def _list_resource_templates(_: _Context, __: _Params) -> types.ListResourceTemplatesResult:
    return types.ListResourceTemplatesResult(resource_templates=RESOURCE_TEMPLATES)


async def _list_prompts(_: _Context, __: _Params) -> types.ListPromptsResult:
    return types.ListPromptsResult(prompts=PROMPTS)


async def _get_prompt(_: _Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
    if params.name != PROMPT:
        raise MCPError(types.INVALID_PARAMS, f"There is no prompt of this name; there is {PROMPT}.")
    message = types.PromptMessage(role="user", content=types.TextContent(text=system_prompt()))
    return types.GetPromptResult(description=PROMPTS[0].description, messages=[message])


def _input_schema(name: str) -> dict[str, Any] | None:
    tool = tools().get(name)
    return tool.input_schema if tool else None
