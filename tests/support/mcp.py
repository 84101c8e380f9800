"""The MCP entry point through the official SDK's own client: over HTTP, and over stdio with a process of its own."""

import json
import os
import sys
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx2
from anyio.from_thread import start_blocking_portal
from mcp.client.client import Client as SdkClient
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult, TextContent

from m4a.entrypoints.mcp.server import PROBLEM_META
from tests.support.client import Answer

FUNCTIONS = Path(__file__).parents[2] / "functions"
LEGACY = "legacy"
"""The mode in which the SDK's client starts with ``initialize``."""

COMMAND = (sys.executable, "-W", "error", "-c", "from m4a.local.main import run; run()")
"""``m4a``, installed or not."""


class McpClient:
    """One open connection. ``sdk`` runs on a thread of its own; ``run`` awaits a method of it."""

    def __init__(self, sdk: Callable[[ExitStack], SdkClient]) -> None:
        with ExitStack() as stack:
            self._portal = stack.enter_context(start_blocking_portal())
            made = sdk(stack)
            self.sdk = stack.enter_context(self._portal.wrap_async_context_manager(made))
            self.run("list_tools")  # from now on answers are held against the published schemas
            self._stack = stack.pop_all()

    @property
    def version(self) -> str:
        """The protocol that was agreed on."""
        return self.sdk.protocol_version

    def run(self, method: str, *arguments: Any) -> Any:
        return self._portal.call(getattr(self.sdk, method), *arguments)

    def result(self, tool: str, **arguments: Any) -> CallToolResult:
        """What the client gets, whole."""
        return self.run("call_tool", tool, arguments)

    def call(self, tool: str, **arguments: Any) -> Answer:
        try:
            result = self.result(tool, **arguments)
        except MCPError as error:
            return Answer({"message": error.message}, str(error.code))
        if result.is_error:
            problem: Mapping[str, Any] = (result.meta or {})[PROBLEM_META]  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]
            return Answer(problem, problem["code"])
        return Answer(json.loads(json.dumps(result.structured_content)))

    def close(self) -> None:
        self._stack.close()


class McpHttpClient(McpClient):
    """One user with a bearer token, over ``POST /mcp`` of a server."""

    def __init__(self, address: str, token: str | None = None, *, mode: str = "auto") -> None:
        headers = {"authorization": f"Bearer {token}"} if token else {}
        http = httpx2.AsyncClient(headers=headers, timeout=30, trust_env=False)

        def sdk(stack: ExitStack) -> SdkClient:
            stack.enter_context(self._portal.wrap_async_context_manager(http))
            return SdkClient(streamable_http_client(f"{address}/mcp", http_client=http), mode=mode)

        super().__init__(sdk)


class McpStdioClient(McpClient):
    """A user with a process ``m4a mcp`` of its own, on the store in that file."""

    def __init__(self, db: Path, user: str = "local", *, mode: str = "auto") -> None:
        environment = {"M4A_DEFAULT_USER": user, "PYTHONPATH": str(FUNCTIONS), "PATH": os.environ["PATH"]}
        command, *words = COMMAND
        server = StdioServerParameters(command=command, args=[*words, "mcp", "--db", str(db)], env=environment)
        super().__init__(lambda _: SdkClient(server, mode=mode))


def text_of(result: CallToolResult) -> str:
    """The text of a result's first part."""
    (part,) = result.content
    assert isinstance(part, TextContent)
    return part.text
