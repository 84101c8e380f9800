"""Both clients under one face: each behaviour is written once and holds for ``Client`` and for ``AsyncClient``."""

import inspect
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack
from typing import Any

import httpx
import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal

from m4a.adapters.onnx import OnnxEmbedder
from m4a.application.service import Limits, Service
from m4a.bootstrap import build_operator
from m4a.client import AsyncClient, Client
from m4a.local.access import Tokens
from m4a.local.server import LocalServer
from m4a.settings import Settings

TOKENS: dict[str, object] = {
    "t-ana": "ana",
    "t-bob": "bob",
    "t-svc": {"user": "backend", "scope": "memory:delegate"},
}
Answering = Callable[[httpx.Request], httpx.Response]


class Waiting:
    """An AsyncClient whose methods are waited for; what it yields comes as a list."""

    def __init__(self, client: AsyncClient, portal: BlockingPortal) -> None:
        self._client = client
        self._portal = portal

    def __getattr__(self, name: str) -> Callable[..., Any]:
        method = getattr(self._client, name)

        async def run(*arguments: Any, **named: Any) -> Any:
            answer = method(*arguments, **named)
            if inspect.isasyncgen(answer):
                rows: AsyncIterator[Any] = answer
                return [one async for one in rows]
            return await answer if inspect.isawaitable(answer) else answer

        def call(*arguments: Any, **named: Any) -> Any:
            answer = self._portal.call(lambda: run(*arguments, **named))
            return Waiting(answer, self._portal) if isinstance(answer, AsyncClient) else answer

        return call


class Connecting:
    """Opens clients of one kind. ``waits``: the seconds that they would have slept."""

    def __init__(self, stack: ExitStack, portal: BlockingPortal | None) -> None:
        self._stack = stack
        self._portal = portal
        self.waits: list[float] = []

    def __call__(self, url: str, token: Any = None, *, answers: Answering | None = None, **options: Any) -> Any:
        """A client; with ``answers`` there is no server, and that function replies."""
        if self._portal is None:
            return self._stack.enter_context(self._client(url, token, answers, options))
        client = self._portal.call(lambda: self._async_client(url, token, answers, options))
        self._stack.callback(self._portal.call, client.aclose)
        return Waiting(client, self._portal)

    def _client(self, url: str, token: Any, answers: Answering | None, options: Any) -> Client:
        if answers:
            http = self._stack.enter_context(httpx.Client(transport=httpx.MockTransport(answers)))
            options = {"http": http, **options}
        return Client(url, token, sleep=self.waits.append, **options)

    async def _async_client(self, url: str, token: Any, answers: Answering | None, options: Any) -> AsyncClient:
        if answers:
            options = {"http": httpx.AsyncClient(transport=httpx.MockTransport(answers)), **options}

        async def sleep(seconds: float) -> None:
            self.waits.append(seconds)

        return AsyncClient(url, token, sleep=sleep, **options)


@pytest.fixture(params=["waiting", "awaiting"])
def connect(request: pytest.FixtureRequest) -> Iterator[Connecting]:
    with ExitStack() as stack:
        portal = stack.enter_context(start_blocking_portal()) if request.param == "awaiting" else None
        yield Connecting(stack, portal)


@pytest.fixture(scope="package")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    path = tmp_path_factory.mktemp("client") / "m4a.db"
    limits = Limits(query_embedding_s=20, document_embedding_s=20)
    made = build_operator(Settings.model_validate({"db": path}), embedder=OnnxEmbedder.load(), limits=limits).service
    yield made
    made.close()


@pytest.fixture(scope="package")
def server(service: Service) -> Iterator[LocalServer]:
    with LocalServer(service, Tokens.of(TOKENS)) as running:
        yield running
