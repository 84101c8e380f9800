"""One behaviour suite: each behaviour is written once and reaches the tools through ``connect``, by every way in."""

from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from m4a.adapters.onnx import OnnxEmbedder
from m4a.bootstrap import Operator, build_operator
from m4a.local.access import Tokens
from m4a.local.server import LocalServer
from m4a.settings import Settings
from tests.behaviour.doors import DOORS
from tests.support.action_group import ActionGroupClient
from tests.support.client import Client
from tests.support.doubles import FaultyEmbedder, SettableClock
from tests.support.gateway import Gateway, GatewayClient
from tests.support.https import HttpsClient
from tests.support.mcp import McpHttpClient

USERS = ("alice", "bob", "*")
Connect = Callable[[str], Client]


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "only_through(*doors, reason): the ways in that a behaviour is tested through")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Takes away what a mark leaves to other ways in."""
    kept = [item for item in items if _is_tested(item)]
    config.hook.pytest_deselected(items=[item for item in items if not _is_tested(item)])
    items[:] = kept


def _is_tested(item: pytest.Item) -> bool:
    params = item.callspec.params if isinstance(item, pytest.Function) and hasattr(item, "callspec") else {}
    marks = item.iter_markers("only_through") if "door" in params else ()
    return all(params["door"] in mark.args for mark in marks)


@pytest.fixture(scope="session")
def onnx() -> OnnxEmbedder:
    return OnnxEmbedder.load()


@pytest.fixture
def clock() -> SettableClock:
    return SettableClock()


@pytest.fixture
def embedder(onnx: OnnxEmbedder) -> Iterator[FaultyEmbedder]:
    faulty = FaultyEmbedder(onnx)
    yield faulty
    faulty.released.set()


@pytest.fixture
def operator(tmp_path: Path, clock: SettableClock, embedder: FaultyEmbedder) -> Iterator[Operator]:
    built = build_operator(Settings.model_validate({"db": tmp_path / "m4a.db"}), clock=clock, embedder=embedder)
    yield built
    embedder.released.set()
    built.service.close()


@pytest.fixture(params=DOORS)
def door(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def connect(door: str, operator: Operator, clock: SettableClock) -> Iterator[Connect]:
    """A client of the named user, through the door."""
    match door:
        case "action_group" | "action_group_openapi":
            openapi = door == "action_group_openapi"
            yield lambda user: ActionGroupClient(operator.service, user, openapi=openapi)
        case "gateway":
            gateway = Gateway(operator.service, clock)
            yield lambda user: GatewayClient(gateway, user)
        case _:
            with served(operator, McpHttpClient if door == "mcp" else HttpsClient) as connected:
                yield connected


@contextmanager
def served(operator: Operator, client_of: Callable[[str, str], HttpsClient | McpHttpClient]) -> Generator[Connect]:
    """Clients of a server with a token for each user."""
    tokens = Tokens.of({f"token-{number}": user for number, user in enumerate(USERS)})
    clients: list[HttpsClient | McpHttpClient] = []
    with LocalServer(operator.service, tokens) as server:

        def connected(user: str) -> Client:
            clients.append(client_of(server.address, f"token-{USERS.index(user)}"))
            return clients[-1]

        try:
            yield connected
        finally:
            for client in clients:
                client.close()


@pytest.fixture
def alice(connect: Connect) -> Client:
    return connect("alice")


@pytest.fixture
def bob(connect: Connect) -> Client:
    return connect("bob")
