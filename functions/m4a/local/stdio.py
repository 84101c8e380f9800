"""MCP over stdin and stdout, for a client that starts this program as its child."""

import asyncio
import os
import signal
import sys
import threading
from collections.abc import AsyncIterator, Callable
from types import FrameType, TracebackType
from typing import Any

import anyio
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCError, JSONRPCResponse, jsonrpc_message_adapter

from m4a.application.service import Service
from m4a.domain.owner import Caller
from m4a.entrypoints.json_rpc import RequestId, is_id
from m4a.entrypoints.mcp.messages import Message, Refused, read_message
from m4a.entrypoints.mcp.server import mcp_server

GRACE_SECONDS = 30
"""How long open requests may still take once the client has closed stdin."""

_CHUNK = 65_536


def serve_stdio(service: Service, caller: Callable[[], Caller]) -> None:
    """Serves until the client closes stdin or is gone, or until SIGINT or SIGTERM. What runs is finished.

    Requests that came before the end of stdin are answered. What is printed to stdout meanwhile goes to stderr.
    """
    anyio.run(_serve, service, caller)


async def _serve(service: Service, caller: Callable[[], Caller]) -> None:
    with anyio.CancelScope() as scope:
        _end_on_signals(scope.cancel)
        await serve_lines(service, caller, sys.stdin.fileno())


async def serve_lines(
    service: Service, caller: Callable[[], Caller], stdin: int, stdout: anyio.AsyncFile[str] | None = None
) -> None:
    """The same on other streams, and without signals. ``stdin``: a descriptor. ``stdout``: by default the process's."""
    server = mcp_server(service, caller)
    inbox = _Inbox(stdin)
    try:
        async with stdio_server(inbox, stdout) as (read_stream, write_stream):  # pyright: ignore[reportArgumentType]
            outbox = _Outbox(write_stream, inbox)
            inbox.refuse = outbox.refuse
            await server.run(read_stream, outbox, server.create_initialization_options())
    except* BrokenPipeError:
        pass  # the client is gone, and with it whoever would read an error


def _end_on_signals(end: Callable[[], None]) -> None:
    loop = asyncio.get_running_loop()

    def handle(_number: int, _frame: FrameType | None) -> None:
        loop.call_soon_threadsafe(end)

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, handle)


class _Inbox:
    """Checked lines of stdin, for the SDK to read. Its end comes when all requests are answered.

    A thread of its own reads the descriptor: one that waits there can be left behind when the program ends.
    """

    refuse: Callable[[Refused], Any]

    def __init__(self, descriptor: int) -> None:
        self._lines: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._open: set[RequestId] = set()
        self._answered = asyncio.Event()
        loop = asyncio.get_running_loop()
        read = threading.Thread(target=_read, args=(descriptor, loop, self._lines), name="m4a-stdin", daemon=True)
        read.start()

    async def __aiter__(self) -> AsyncIterator[str]:
        while (line := await self._lines.get()) is not None:
            message = read_message(line)
            if isinstance(message, Message):
                self._note(message)
                yield message.to_json()
            elif message.answerable:
                await self.refuse(message)
        with anyio.move_on_after(GRACE_SECONDS):
            while self._open:
                self._answered.clear()
                await self._answered.wait()

    def answered(self, request_id: object) -> None:
        """Takes a request off those that are open. What is no id is that of none."""
        if is_id(request_id):
            self._open.discard(request_id)
            self._answered.set()

    def _note(self, message: Message) -> None:
        if message.request_id is not None:
            self._open.add(message.request_id)
        elif message.method == "notifications/cancelled":  # a cancelled request is never answered
            self.answered(message.fields.get("params", {}).get("requestId"))


class _Outbox:
    """The SDK's stream to stdout, which tells the inbox what has been answered."""

    def __init__(self, stream: Any, inbox: _Inbox) -> None:
        self._stream = stream
        self._inbox = inbox

    async def send(self, item: SessionMessage, /) -> None:
        await self._stream.send(item)
        if isinstance(item.message, JSONRPCResponse | JSONRPCError):
            self._inbox.answered(item.message.id)

    async def refuse(self, refused: Refused) -> None:
        """Sends the error of a message that the SDK never sees. A request of the same id may still be open."""
        await self._stream.send(SessionMessage(jsonrpc_message_adapter.validate_json(refused.to_json())))

    async def aclose(self) -> None:
        await self._stream.aclose()

    async def __aenter__(self) -> "_Outbox":
        return self

    async def __aexit__(
        self, exc_type: type[BaseException] | None, exc_val: BaseException | None, exc_tb: TracebackType | None
    ) -> None:
        await self.aclose()


def _read(descriptor: int, loop: asyncio.AbstractEventLoop, lines: asyncio.Queue[bytes | None]) -> None:
    """Puts each line that is not blank into the queue, then None."""
    rest = b""
    while chunk := os.read(descriptor, _CHUNK):
        *whole, rest = (rest + chunk).split(b"\n")
        for line in whole:
            if line.strip():
                loop.call_soon_threadsafe(lines.put_nowait, line)
    if rest.strip():
        loop.call_soon_threadsafe(lines.put_nowait, rest)
    loop.call_soon_threadsafe(lines.put_nowait, None)
