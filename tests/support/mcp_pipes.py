"""MCP over stdio without a process: the server's own loop on pipes, on a service with a test's clock and faults."""

import os
import threading
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any

import anyio
from mcp.client.client import Client as SdkClient
from mcp.server.stdio import stdio_server

from m4a.application.service import Service
from m4a.domain.ids import new_ulid
from m4a.domain.owner import Caller, Owner
from m4a.entrypoints.mcp.server import ENTRY_POINT
from m4a.local.stdio import serve_lines
from tests.support.mcp import McpClient


class McpPipesClient(McpClient):
    """A user at the other end of the server's stdin and stdout."""

    def __init__(self, service: Service, user: str) -> None:
        self._stdin, to_server = os.pipe()
        from_server, self._stdout = os.pipe()
        self._server = threading.Thread(target=anyio.run, args=(self._serve, service, user), name="m4a-stdio")
        self._server.start()
        super().__init__(lambda _: SdkClient(_lines(from_server, to_server)))

    def close(self) -> None:
        super().close()
        self._server.join()
        os.close(self._stdin)

    async def _serve(self, service: Service, user: str) -> None:
        def caller() -> Caller:
            return Caller(Owner("default", user), user, ENTRY_POINT, new_ulid(datetime.now(UTC)))

        async with await anyio.open_file(self._stdout, "w", encoding="utf-8") as stdout:
            await serve_lines(service, caller, self._stdin, stdout)


@asynccontextmanager
async def _lines(from_server: int, to_server: int) -> AsyncGenerator[Any]:
    """The client's side: the SDK's transport of lines does not mind which side it is on."""
    stdin = await anyio.open_file(from_server, encoding="utf-8")
    stdout = await anyio.open_file(to_server, "w", encoding="utf-8")
    async with stdin, stdout, stdio_server(stdin, stdout) as streams:
        yield streams
        await stdout.aclose()  # the server ends with its input, and its output with the server
