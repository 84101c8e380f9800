"""The client for programs that await."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from types import TracebackType
from typing import Any, Self, TypeVar, Unpack

import httpx

from m4a.client import asking
from m4a.client.asking import Ask
from m4a.client.connection import TIMEOUT, Connection, Token, for_model, instructions, refusal_for_model, tools
from m4a.client.fields import Arguments, Changes, Filters, RecallFields, RememberFields
from m4a.client.replies import answer_of
from m4a.client.retrying import FAILURES, Retries
from m4a.domain.errors import M4AError
from m4a.tools.answer_models import AuditEventOutput, ContextOutput, HistoryOutput, TraceOutput
from m4a.tools.outputs import MemoryOutput, RecallOutput, ReceiptOutput, RememberOutput, UpdateMemoryOutput

T = TypeVar("T")


class AsyncClient:
    """One user's memories over HTTP. Methods raise errors of ``M4AError``."""

    def __init__(
        self,
        url: str,
        token: Token = None,
        *,
        user: str | None = None,
        retries: Retries = Retries(),  # noqa: B008 frozen
        http: httpx.AsyncClient | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """``user``: whom a token with the scope memory:delegate acts for. ``http`` stays open when this is closed."""
        self._connection = Connection(url, token, user, retries)
        self._http = http or httpx.AsyncClient(timeout=TIMEOUT)
        self._owns_http = http is None
        self._sleep = sleep

    def acting_for(self, user: str) -> "AsyncClient":
        """The same for another user, over the same connections: for a backend that serves many users."""
        one = self._connection
        return AsyncClient(one.url, one.token, user=user, retries=one.retries, http=self._http, sleep=self._sleep)

    async def remember(self, content: str, **fields: Unpack[RememberFields]) -> RememberOutput:
        """Stores a statement; the same text again gives the memory that is there."""
        return await self._run(asking.remember(content, fields))

    async def recall(self, query: str, **fields: Unpack[RecallFields]) -> RecallOutput:
        """Searches by words and meaning, best first. ``degraded`` names what could not run."""
        return await self._run(asking.recall(query, fields))

    async def update_memory(
        self, memory_id: str, *, expected_version: int | None = None, **changes: Unpack[Changes]
    ) -> UpdateMemoryOutput:
        """Changes the named fields. After a lost answer it is not sent again: the error says that it is not known."""
        return await self._run(asking.update_memory(memory_id, changes, expected_version))

    async def forget(self, memory_id: str, reason: str, *, expected_version: int | None = None) -> ReceiptOutput:
        """Erases a memory and its history."""
        return await self._run(asking.forget(memory_id, reason, expected_version))

    def tools(self, format: str) -> Any:
        """The tools as a model's API wants them: ``openai``, ``anthropic``, ``bedrock-functions``, ``mcp``, …"""
        return tools(format)

    async def call(self, name: str, arguments: Arguments) -> dict[str, Any]:
        """Calls a tool by its name, with the arguments that a model gave."""
        return await self._run(asking.call(name, arguments))

    async def reply(self, name: str, arguments: Arguments) -> str:
        """The same as JSON text for the model; so are errors that it can react to. Others are raised."""
        try:
            return for_model(await self.call(name, arguments))
        except M4AError as error:
            return refusal_for_model(error)

    async def memories(self, **filters: Unpack[Filters]) -> AsyncIterator[MemoryOutput]:
        """All memories that match, newest first."""
        cursor = None
        while True:
            page = await self._run(asking.memories(filters, cursor))
            for one in page.memories:
                yield one
            cursor = page.next
            if cursor is None:
                return

    async def audit(self) -> AsyncIterator[AuditEventOutput]:
        """Everything that was done, newest first."""
        cursor = None
        while True:
            page = await self._run(asking.audit(cursor))
            for one in page.events:
                yield one
            cursor = page.next
            if cursor is None:
                return

    async def memory(self, memory_id: str) -> MemoryOutput:
        """One memory."""
        return await self._run(asking.memory(memory_id))

    async def history(self, memory_id: str) -> HistoryOutput:
        """A memory and its earlier versions."""
        return await self._run(asking.history(memory_id))

    async def receipt(self, memory_id: str) -> ReceiptOutput:
        """The receipt of a forgotten memory."""
        return await self._run(asking.receipt(memory_id))

    async def trace(self, recall_id: str) -> TraceOutput:
        """How a recall came to its answer."""
        return await self._run(asking.trace(recall_id))

    async def context(self, max_tokens: int | None = None) -> ContextOutput:
        """The text of what must never be missed, for a system prompt."""
        return await self._run(asking.context(max_tokens))

    async def instructions(self, max_tokens: int | None = None) -> str:
        """The whole text for a system prompt: how to use the tools, and what must never be missed."""
        return instructions((await self.context(max_tokens)).text)

    async def erase(self, confirm: str) -> int:
        """Erases everything of this user, whose id is ``confirm``. Answers how many memories that were."""
        erased = 0
        while True:
            done = await self._run(asking.erase(confirm))
            erased += done.erased
            if done.next is None:
                return erased

    async def aclose(self) -> None:
        if self._owns_http:
            await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, _type: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def _run(self, ask: Ask[T]) -> T:
        attempts = self._connection.attempts(ask)
        while True:
            try:
                return answer_of(await self._http.send(self._connection.request(self._http, ask)), ask.read)
            except FAILURES as error:
                wait = attempts.wait_after(error)
            await self._sleep(wait)
