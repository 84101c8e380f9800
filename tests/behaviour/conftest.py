"""One behaviour suite: each behaviour is written once and reaches the tools through ``connect``."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from m4a.adapters.onnx import OnnxEmbedder
from m4a.bootstrap import Operator, build_operator
from m4a.local.access import Tokens
from m4a.local.server import LocalServer
from m4a.settings import Settings
from tests.support.doubles import FaultyEmbedder, SettableClock
from tests.support.https import HttpsClient

USERS = ("alice", "bob", "*")
Connect = Callable[[str], HttpsClient]


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
    built = build_operator(Settings(db=tmp_path / "m4a.db"), clock=clock, embedder=embedder)
    yield built
    embedder.released.set()
    built.service.close()


@pytest.fixture
def connect(operator: Operator) -> Iterator[Connect]:
    """A client of the named user."""
    tokens = Tokens.of({f"token-{number}": user for number, user in enumerate(USERS)})
    clients: list[HttpsClient] = []
    with LocalServer(operator.service, tokens) as server:

        def connected(user: str) -> HttpsClient:
            clients.append(HttpsClient(server.address, f"token-{USERS.index(user)}"))
            return clients[-1]

        yield connected
        for client in clients:
            client.close()


@pytest.fixture
def alice(connect: Connect) -> HttpsClient:
    return connect("alice")


@pytest.fixture
def bob(connect: Connect) -> HttpsClient:
    return connect("bob")
